#include "audit_log.h"

#include <fmt/format.h>

#include <fstream>

#include "base/file_system.h"

namespace hearth::bench {
namespace {

constexpr const char* kPolicy = R"(apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Metadata
  users: ["{}"]
- level: None
)";
constexpr auto kLookAgain = std::chrono::milliseconds(50);

}  // namespace

Result<AuditLog> AuditLog::Prepare(const std::string& directory, const std::string& user) {
  RETURN_IF_ERROR(
      RealFileSystem().Write(directory + "/audit-policy.yaml", fmt::format(kPolicy, user), 0644));
  return AuditLog(directory);
}

std::vector<std::string> AuditLog::ApiServerArgs() const {
  return {"--audit-policy-file=" + directory_ + "/audit-policy.yaml",
          "--audit-log-path=" + directory_ + "/audit.log", "--audit-log-mode=blocking",
          "--audit-log-maxsize=100000"};
}

Status AuditLog::Read(RequestCounts& counts) {
  std::ifstream file(directory_ + "/audit.log");
  file.seekg(static_cast<std::streamoff>(position_));
  for (std::string line; std::getline(file, line) && !file.eof();) {
    position_ += line.size() + 1;
    RETURN_IF_ERROR(counts.Add(line));
  }
  return {};
}

Result<RequestCounts> AuditLog::Take() {
  RequestCounts counts;
  RETURN_IF_ERROR(Read(counts));
  return counts;
}

Status AuditLog::TakeUntilQuiet(Duration quiet, const WaitLimit& limit, RequestCounts& counts) {
  SteadyTime since = RealClock().Now();
  while (RealClock().Now() - since < quiet) {
    RETURN_IF_ERROR(limit.Check(RealClock(), "there were requests all the time"));
    const size_t before = counts.requests();
    RETURN_IF_ERROR(Read(counts));
    if (counts.requests() != before) {
      since = RealClock().Now();
    }
    SleepFor(RealClock(), kLookAgain, limit.stop);
  }
  return {};
}

}  // namespace hearth::bench
