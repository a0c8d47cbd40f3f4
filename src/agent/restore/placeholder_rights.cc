#include "agent/restore/placeholder_rights.h"

#include <fmt/format.h>
#include <linux/capability.h>

#include <algorithm>

#include "base/strings.h"

namespace hearth::agent {
namespace {

bool May(const Container& container, const ProcessFacts& waits, std::string_view name,
         unsigned bit) {
  return (waits.most_capabilities >> bit & 1U) != 0 ||
         std::find(container.capabilities.begin(), container.capabilities.end(), name) !=
             container.capabilities.end();
}

std::string BitsText(uint64_t capabilities) {
  std::vector<std::string> bits;
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((capabilities >> bit & 1U) != 0) {
      bits.push_back(std::to_string(bit));
    }
  }
  return Join(bits, ", ");
}

}  // namespace

Status CheckCannotTrace(const Container& container, const ProcessFacts& waits) {
  if (!May(container, waits, "CAP_SYS_PTRACE", CAP_SYS_PTRACE) ||
      May(container, waits, "CAP_SYS_ADMIN", CAP_SYS_ADMIN)) {
    return Status::Ok();
  }
  return Status(Code::kUnsupported, "TracingContainer",
                fmt::format("container {} has CAP_SYS_PTRACE, with which it could take over what "
                            "restores into it: run it without",
                            container.id));
}

Status CheckMasks(const std::vector<std::string>& captured, const ManagedPaths& waits,
                  const RootView& root) {
  std::vector<std::string> open;
  for (const auto* const paths : {&waits.masked, &waits.readonly}) {
    for (const std::string& path : *paths) {
      if (std::find(captured.begin(), captured.end(), path) == captured.end() &&
          root.exists(path)) {
        open.push_back(path);
      }
    }
  }
  if (open.empty()) {
    return Status::Ok();
  }
  return Status(Code::kPermissionDenied, "MoreRights",
                fmt::format("the container which waits masks paths, or makes them read-only, that "
                            "what was captured had open ({}): give both the same procMount and "
                            "security context",
                            Join(open, ", ")));
}

Result<snapshot::images::Rights> RightsIn(const snapshot::images::ImageFolder& images) {
  snapshot::images::Rights all{.capabilities = 0, .no_new_privileges = true};
  ASSIGN_OR_RETURN(const auto names, images.Names("core-", ".img"));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const std::string image, images.Read(name));
    const auto rights = snapshot::images::DecodeRights(image);
    if (!rights.ok()) {
      return rights.status().WithContext(name);
    }
    all.capabilities |= rights->capabilities;
    all.no_new_privileges = all.no_new_privileges && rights->no_new_privileges;
  }
  return all;
}

Status CheckNoMoreRights(const snapshot::images::Rights& saved, const ProcessFacts& waits) {
  const uint64_t more = saved.capabilities & ~waits.most_capabilities;
  if (more != 0) {
    return Status(Code::kPermissionDenied, "MoreRights",
                  fmt::format("what was captured may have capabilities that the container which "
                              "waits may not (numbers {}): give both the same",
                              BitsText(more)));
  }
  if (waits.no_new_privileges && !saved.no_new_privileges) {
    return Status(Code::kPermissionDenied, "MoreRights",
                  "what was captured may start programs with more rights than it has, and the "
                  "container which waits may not: set allowPrivilegeEscalation the same for both");
  }
  return Status::Ok();
}

}  // namespace hearth::agent
