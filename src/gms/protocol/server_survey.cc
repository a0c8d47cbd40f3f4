#include "gms/protocol/server_survey.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/clock.h"

namespace hearth::gms {
namespace {

// How often a stop request is looked for.
constexpr Duration kLook = std::chrono::milliseconds(5);

WaitLimit Now() { return WaitLimit::For(RealClock(), Duration::zero()); }

SurveyedServer Ask(const std::string& admin) {
  SurveyedServer server{.admin = admin, .answer = DeadlineError("")};
  auto channel = MessageChannel::Connect(admin, Now());
  // A socket that was just connected takes a few bytes at once.
  const Status asked = channel.ok() ? channel->Send(StatusRequest{}, Now()) : channel.status();
  if (!asked.ok()) {
    server.answer = asked;
  } else {
    server.channel.emplace(*std::move(channel));
  }
  return server;
}

bool Waits(const SurveyedServer& server) {
  return server.channel && server.answer.status().Is(Code::kDeadlineExceeded);
}

// Until one of them has something to say, or the limit is over.
void AwaitAny(const std::vector<SurveyedServer*>& servers, const WaitLimit& limit) {
  std::vector<pollfd> entries;
  entries.reserve(servers.size());
  for (const SurveyedServer* server : servers) {
    entries.push_back({.fd = server->channel->fd(), .events = POLLIN, .revents = 0});
  }
  const Duration left =
      std::min<Duration>(limit.Remaining(RealClock()),
                         limit.stop.stop_possible() ? kLook : Duration(std::chrono::hours(1)));
  const timespec wait{.tv_sec = left.count() / 1'000'000'000,
                      .tv_nsec = left.count() % 1'000'000'000};
  ::ppoll(entries.data(), entries.size(), &wait, nullptr);
}

// The folder may have another path where the server runs, as in another container; its sockets have
// the same names there.
void UsePathsFromHere(const std::string& admin, StatusResponse& answer) {
  const std::filesystem::path folder = std::filesystem::path(admin).parent_path();
  for (DomainItem& domain : answer.domains) {
    const std::filesystem::path beside = folder / std::filesystem::path(domain.socket).filename();
    std::error_code error;
    if (std::filesystem::is_socket(beside, error)) {
      domain.socket = beside.string();
    }
  }
}

}  // namespace

std::vector<SurveyedServer> SurveyServers(const std::vector<std::string>& admin_sockets,
                                          const WaitLimit& limit) {
  std::vector<SurveyedServer> servers;
  servers.reserve(admin_sockets.size());
  for (const std::string& admin : admin_sockets) {
    servers.push_back(Ask(admin));
  }
  for (bool over = false; !over;) {
    over = limit.Expired(RealClock());  // what has arrived by then still counts
    std::vector<SurveyedServer*> waiting;
    for (SurveyedServer& server : servers) {
      if (Waits(server)) {
        server.answer = server.channel->Receive<StatusResponse>(Now());
      }
      if (Waits(server)) {
        waiting.push_back(&server);
      }
    }
    if (waiting.empty()) {
      break;
    }
    AwaitAny(waiting, limit);
  }
  for (SurveyedServer& server : servers) {
    if (Waits(server)) {
      server.answer = DeadlineError(fmt::format(
          "{}: somebody listens there and does not answer; it hangs, or is no gms-server",
          server.admin));
    } else if (!server.answer.ok() && !server.left_behind() && server.channel) {
      server.answer = server.answer.status().WithContext(server.admin);
    }
    if (server.answer.ok()) {
      UsePathsFromHere(server.admin, *server.answer);
    } else {
      server.channel.reset();
    }
  }
  return servers;
}

}  // namespace hearth::gms
