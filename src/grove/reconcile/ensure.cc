#include "grove/reconcile/ensure.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <utility>

#include "controller/side_by_side.h"
#include "grove/reconcile/outcome.h"
#include "kube/model/api_status.h"

namespace hearth::grove {
namespace {

using controller::Pass;

constexpr std::string_view kNotTried = "NotTried";

Status NotTried() {
  return {Code::kUnavailable, std::string(kNotTried), "others like it were refused"};
}

// Of failures of one code the first, and how many there are.
struct Kind {
  const Status* first = nullptr;
  size_t count = 0;
};

// What failed, and what it amounts to.
void Note(const std::vector<Wish>& wishes, Sent& sent, std::vector<api::grove::LastError>& errors) {
  std::map<std::string_view, Kind> kinds;
  for (size_t i = 0; i < wishes.size(); ++i) {
    const Status& outcome = sent.outcomes[i];
    const bool tried = !WasNotTried(outcome);
    if (tried) {
      sent.failure = Worse(sent.failure, outcome);
    }
    if (outcome.ok() || IsRace(outcome)) {
      continue;
    }
    Kind& kind = kinds[wishes[i].code];
    ++kind.count;
    ++sent.refused;
    if (tried && kind.first == nullptr) {
      kind.first = &outcome;
    }
    if (tried && sent.refusal.ok()) {
      sent.refusal = outcome;
    }
  }
  for (const auto& [code, kind] : kinds) {
    if (kind.first != nullptr) {
      AddError(errors, code, *kind.first, kind.count);
    }
  }
}

}  // namespace

bool IsRace(const Status& status) { return status.reason() == kube::reason::kConflict; }

bool WasNotTried(const Status& status) { return status.reason() == kNotTried; }

std::vector<Status> SendMost(size_t count, const std::function<Status(size_t index)>& send) {
  std::vector<Status> outcomes(count, NotTried());
  std::atomic<size_t> refused = 0;
  thread_local std::mt19937_64 generator{std::random_device{}()};
  const size_t begin = count > kMostRefusals ? generator() % count : 0;
  controller::SideBySide(count, [&](size_t i) {
    if (refused < kMostRefusals) {
      Status& outcome = outcomes[(begin + i) % count];
      outcome = send((begin + i) % count);
      refused += !outcome.ok() && !IsRace(outcome) ? 1 : 0;
    }
  });
  return outcomes;
}

Sent SendEach(const std::vector<Wish>& wishes, std::vector<api::grove::LastError>& errors) {
  Sent sent;
  sent.outcomes = SendMost(wishes.size(), [&](size_t i) { return wishes[i].send(); });
  Note(wishes, sent, errors);
  return sent;
}

Sent SendUntilRefused(const std::vector<Wish>& wishes, bool cautiously,
                      std::vector<api::grove::LastError>& errors) {
  Sent sent;
  sent.outcomes.resize(wishes.size(), NotTried());
  std::atomic<bool> refused = false;
  size_t batch = cautiously ? 1 : wishes.size();
  for (size_t begin = 0; begin < wishes.size() && !refused; begin += batch, batch *= 2) {
    controller::SideBySide(std::min(batch, wishes.size() - begin), [&](size_t i) {
      if (!refused) {
        Status& outcome = sent.outcomes[begin + i];
        outcome = wishes[begin + i].send();
        refused = refused || (!outcome.ok() && !IsRace(outcome));
      }
    });
  }
  Note(wishes, sent, errors);
  return sent;
}

Status SendAll(const std::vector<Wish>& wishes, std::vector<api::grove::LastError>& errors) {
  return SendEach(wishes, errors).failure;
}

Result<bool> Ensure(Pass& pass, Child child, std::string_view owner_uid) {
  child.former_managers = kFormerManagers;
  return controller::EnsureChild(pass, std::move(child), owner_uid);
}

Status Remove(controller::Pass& pass, const kube::ResourceType& type,
              const controller::CachedObject& cached) {
  return pass.Delete(type, cached, {.propagation = "Background"}).status();
}

}  // namespace hearth::grove
