#include "kube/client/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "json/parse.h"
#include "kube/client/internal/discovery_document.h"

namespace hearth::kube {
namespace {

constexpr Duration kAskAgain = std::chrono::seconds(10);

using Entry = Discovery::Entry;

Result<json::Blob> Fetch(Client& client, const std::string& path, const WaitLimit& limit) {
  http::Request request;
  request.target = path;
  request.headers.Set("Accept", internal::kAggregatedAccept);
  ASSIGN_OR_RETURN(const http::Response answer, client.Raw(std::move(request), limit));
  return json::Parse(answer.body, {.allow_duplicate_keys = true}).WithContext("GET " + path);
}

// Everything below "/api" or "/apis". A version that does not answer is left out.
Result<std::vector<Entry>> LoadRoot(Client& client, const std::string& root,
                                    const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const json::Blob document, Fetch(client, root, limit));
  if (internal::IsAggregated(document.view())) {
    return internal::ReadAggregated(document.view());
  }
  std::vector<Entry> entries;
  for (const internal::ServedVersion& version : internal::ReadVersions(document.view())) {
    const auto resources = Fetch(client, version.Path(), limit);
    if (!resources.ok()) {
      if (resources.status().Is(Code::kCancelled)) {
        return resources.status();
      }
      continue;
    }
    for (Entry& entry : internal::ReadResources(version, resources->view())) {
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

// A name as people type it, split at its dots.
struct Typed {
  std::string_view name;
  std::string_view rest;  // "", "apps", "v1.apps", "v1"

  explicit Typed(std::string_view text)
      : name(text.substr(0, text.find('.'))),
        rest(name.size() == text.size() ? std::string_view() : text.substr(name.size() + 1)) {}

  bool FitsName(const Entry& entry) const {
    const auto same = [&](std::string_view other) { return EqualIgnoreCase(name, other); };
    return same(entry.type.name) || same(entry.singular) || same(entry.type.kind) ||
           std::any_of(entry.short_names.begin(), entry.short_names.end(), same);
  }
  bool FitsGroup(const Entry& entry) const {
    if (rest.empty() || rest == entry.type.group) {
      return true;
    }
    const std::string with_version =
        entry.type.group.empty() ? entry.type.version : entry.type.version + "." + entry.type.group;
    return rest == with_version || (entry.type.group.empty() && rest == entry.type.version + ".");
  }
};

template <typename Fits>
std::optional<ResourceType> FindIn(const std::vector<Entry>& entries, Fits fits) {
  const auto found = std::find_if(entries.begin(), entries.end(), fits);
  return found == entries.end() ? std::nullopt : std::optional(found->type);
}

Status NoMatch(std::string_view what) {
  return Status(
      Code::kNotFound, "NoMatch",
      fmt::format("the server does not serve {}; is its CustomResourceDefinition installed?",
                  what));
}

}  // namespace

Discovery::Discovery(Client& client, Clock& clock) : client_(client), clock_(clock) {}

Result<ResourceType> Discovery::FindKind(std::string_view group, std::string_view kind,
                                         std::string_view version, const WaitLimit& limit) {
  const auto fits = [&](const Entry& entry) {
    return entry.type.group == group && entry.type.kind == kind &&
           (version.empty() || entry.type.version == version);
  };
  return Find(fits,
              fmt::format("kind {}{}{}{}{}", kind, group.empty() ? "" : ".", group,
                          version.empty() ? "" : " in version ", version),
              limit);
}

Result<ResourceType> Discovery::FindResource(std::string_view text, const WaitLimit& limit) {
  const Typed typed(text);
  const auto fits = [&](const Entry& entry) {
    return typed.FitsName(entry) && typed.FitsGroup(entry);
  };
  return Find(fits, fmt::format("resource {}", Excerpt(text, 100)), limit);
}

Result<ResourceType> Discovery::Find(const std::function<bool(const Entry&)>& fits,
                                     const std::string& what, const WaitLimit& limit) {
  if (auto found = FindKnown(fits)) {
    return *std::move(found);
  }
  if (!MayAskAgain()) {
    return NoMatch(what);
  }
  ASSIGN_OR_RETURN(const std::vector<Entry> fresh, Load(limit));
  if (auto found = FindIn(fresh, fits)) {
    return *std::move(found);
  }
  return NoMatch(what);
}

std::optional<ResourceType> Discovery::FindKnown(const std::function<bool(const Entry&)>& fits) {
  std::lock_guard lock(mutex_);
  return loaded_ ? FindIn(entries_, fits) : std::nullopt;
}

Result<std::vector<Entry>> Discovery::All(const WaitLimit& limit) {
  {
    std::lock_guard lock(mutex_);
    if (loaded_) {
      return entries_;
    }
  }
  return Load(limit);
}

void Discovery::Invalidate() {
  std::lock_guard lock(mutex_);
  loaded_ = false;
}

bool Discovery::MayAskAgain() {
  std::lock_guard lock(mutex_);
  return !loaded_ || clock_.Now() - loaded_at_ >= kAskAgain;
}

// Without the lock: who only reads what is known must not wait for the network.
Result<std::vector<Entry>> Discovery::Load(const WaitLimit& limit) {
  std::vector<Entry> entries;
  Status missing;
  int found = 0;
  for (const char* root : {"/api", "/apis"}) {
    auto below = LoadRoot(client_, root, limit);
    if (below.ok()) {
      ++found;
      std::move(below->begin(), below->end(), std::back_inserter(entries));
    } else if (below.status().Is(Code::kNotFound)) {
      missing = below.status();  // a server may do without one of them
    } else {
      return below.status().WithContext("discovery");
    }
  }
  if (found == 0) {
    return missing.WithContext("discovery");
  }
  std::lock_guard lock(mutex_);
  entries_ = entries;
  loaded_ = true;
  loaded_at_ = clock_.Now();
  return entries;
}

}  // namespace hearth::kube
