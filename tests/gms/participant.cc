// A client of the memory service that does one thing again and again until it is done or killed:
//
//   gms_participant ROLE DIRECTORY SEED ROUNDS
//
// Ends with 9 when it saw bytes that it must never see, with 1 for any other failure.
#include <fmt/format.h>

#include <cstdlib>

#include "gms/client/admin.h"
#include "gms/client/probe.h"
#include "gms/protocol/socket_path.h"
#include "marked_weights.h"

namespace hearth::gms {
namespace {

constexpr int kCorrupt = 9;

struct Part {
  std::string role;
  std::string directory;
  uint64_t seed = 0;
  int rounds = 0;

  ConnectOptions Connection(LeaseRequest lease, std::string_view tag = kWeightsTag) const {
    return {.socket = OrdinalSocketPath(directory, 0, tag), .lease = lease, .client = role};
  }
};

Status Write(const Part& part, LeaseRequest lease, uint64_t seed) {
  ASSIGN_OR_RETURN(const auto session, Session::Connect(part.Connection(lease)));
  RETURN_IF_ERROR(WriteMarked(*session, seed, 1 + static_cast<int>(seed % 12)));
  if (seed % 5 == 0) {
    return session->Abort();
  }
  RETURN_IF_ERROR(session->Commit(seed % 2 == 0));
  return session->connected() ? CheckMarked(*session) : Status::Ok();
}

Status Read(const Part& part) {
  ASSIGN_OR_RETURN(const auto session, Session::Connect(part.Connection(LeaseRequest::kRo)));
  return CheckMarked(*session);
}

// A cache that is sealed once and then handed from one to the next.
Status Cache(const Part& part) {
  ASSIGN_OR_RETURN(const auto session,
                   Session::Connect(part.Connection(LeaseRequest::kRwDataOrRw, kKvCacheTag)));
  if (session->grant() == Grant::kRw) {
    RETURN_IF_ERROR(session->Allocate(8192, "kv_cache"));
    RETURN_IF_ERROR(session->CommitLayout());
  }
  return ToStatus(session->List());
}

Status Look(const Part& part) {
  const WaitLimit limit = WaitLimit::For(RealClock(), std::chrono::seconds(30));
  ASSIGN_OR_RETURN(const auto admin, Admin::Connect(AdminSocketPath(part.directory), limit));
  RETURN_IF_ERROR(admin->ReadMetrics(limit.deadline));
  return ToStatus(admin->ReadStatus(limit.deadline));
}

// Raises the fence and, unless killed before, lowers it; a refusal is an answer, too.
Status RaiseFence(const Part& part) {
  const std::string socket = OrdinalSocketPath(part.directory, 0, kWeightsTag);
  const WaitLimit limit = WaitLimit::For(RealClock(), std::chrono::seconds(30));
  const auto state = PrepareCheckpoint(socket, {.bound_to_us = true}, limit);
  if (!state.ok()) {
    return state.status().Is(Code::kConflict) ? Status::Ok() : state.status();
  }
  return ToStatus(AbortCheckpoint(socket, state->token.value_or(""), limit));
}

Status Round(const Part& part, int round) {
  const uint64_t seed = part.seed * 1000 + static_cast<uint64_t>(round) + 1;
  if (part.role == "writer") {
    return Write(part, LeaseRequest::kRw, seed);
  }
  if (part.role == "shadow") {
    return Write(part, LeaseRequest::kRwShadow, seed);
  }
  if (part.role == "cache") {
    return Cache(part);
  }
  if (part.role == "fence") {
    return RaiseFence(part);
  }
  return part.role == "look" ? Look(part) : Read(part);
}

int Run(const Part& part) {
  for (int round = 0; round < part.rounds; ++round) {
    const Status status = Round(part, round);
    if (!status.ok()) {
      fmt::print(stderr, "{}: round {}: {}\n", part.role, round, status.ToString());
      return status.Is(Code::kDataLoss) ? kCorrupt : 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace hearth::gms

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "gms_participant: wanted ROLE DIRECTORY SEED ROUNDS\n");
    return 2;
  }
  return hearth::gms::Run({.role = argv[1],
                           .directory = argv[2],
                           .seed = std::strtoull(argv[3], nullptr, 10),
                           .rounds = std::atoi(argv[4])});
}
