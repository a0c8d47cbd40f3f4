#include "restore_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file_system.h"
#include "gms/protocol/message_channel.h"
#include "gms/protocol/server_survey.h"
#include "gms/protocol/socket_path.h"

namespace hearth::gms::server {
namespace {

constexpr Duration kProbeWait = std::chrono::milliseconds(500);
constexpr const char* kLeftBehind =
    "start it again, remove what it left behind, or say with --device which devices are meant";

Status ProbeSocket(const std::string& path) {
  ASSIGN_OR_RETURN(MessageChannel channel,
                   MessageChannel::Connect(path, WaitLimit::For(RealClock(), kProbeWait)));
  const HandshakeRequest request{
      .lock_type = "ro",
      .timeout_ms = std::chrono::duration_cast<std::chrono::milliseconds>(kProbeWait).count()};
  // The server says in time that nothing came of it.
  auto response =
      channel.Call<HandshakeResponse>(request, WaitLimit::For(RealClock(), 2 * kProbeWait));
  if (!response.ok()) {
    return response.status().WithContext(path);
  }
  return response->success ? Status::Ok()
                           : UnavailableError(fmt::format("{}: nothing is committed", path));
}

std::vector<SurveyedServer> ServersIn(const std::string& directory) {
  const auto ask = [&] {
    return SurveyServers(AdminSocketsIn(directory), WaitLimit::For(RealClock(), kProbeWait));
  };
  std::vector<SurveyedServer> servers = ask();
  if (servers.empty()) {
    // One that is just starting is given a moment.
    (void)MessageChannel::Connect(AdminSocketPath(directory),
                                  WaitLimit::For(RealClock(), kProbeWait));
    servers = ask();
  }
  return servers;
}

// Sockets and links that have the name of one for weights, whoever made them.
std::vector<std::string> WeightsSocketsIn(const std::string& directory) {
  std::vector<std::string> sockets;
  const auto names = RealFileSystem().List(directory);
  const std::string ending = fmt::format("_{}.sock", kWeightsTag);
  for (const std::string& name : names.ok() ? *names : std::vector<std::string>()) {
    if (name.starts_with("gms_") && !name.starts_with("gms_admin") && name.ends_with(ending)) {
      sockets.push_back(fmt::format("{}/{}", directory, name));
    }
  }
  return sockets;
}

bool LeadsToOneOf(const std::set<std::string>& sockets, const std::string& socket) {
  return std::any_of(sockets.begin(), sockets.end(), [&](const std::string& each) {
    std::error_code error;
    return std::filesystem::equivalent(each, socket, error);
  });
}

// Its server died, is still starting, or is not ours.
Status ProbeUnclaimed(const std::string& socket) {
  const auto there = MessageChannel::Connect(socket, WaitLimit::For(RealClock(), Duration::zero()));
  if (there.status().reason() == kNobodyListens) {
    return UnavailableError(
        fmt::format("{}: a server died there; {}", there.status().message(), kLeftBehind));
  }
  return ProbeSocket(socket);
}

Status ProbeDevices(const std::vector<SurveyedServer>& servers, const std::vector<int>& devices) {
  for (const int device : devices) {
    size_t probed = 0;
    for (const SurveyedServer& server : servers) {
      if (!server.answer.ok()) {
        continue;
      }
      for (const DomainItem& domain : server.answer->domains) {
        if (domain.domain == kWeightsTag && domain.device == device) {
          RETURN_IF_ERROR(ProbeSocket(domain.socket));
          ++probed;
        }
      }
    }
    if (probed == 0) {
      return UnavailableError(
          fmt::format("no server that answers has the weights of device {}", device));
    }
  }
  return Status::Ok();
}

Status ProbeAll(const std::vector<SurveyedServer>& servers, const std::string& directory) {
  std::set<std::string> sockets;
  for (const SurveyedServer& server : servers) {
    if (!server.answer.ok()) {
      return UnavailableError(fmt::format(
          "{}{}", server.answer.status().message(),
          server.left_behind() ? fmt::format(": a server died there; {}", kLeftBehind) : ""));
    }
    for (const DomainItem& domain : server.answer->domains) {
      if (domain.domain == kWeightsTag) {
        sockets.insert(domain.socket);
      }
    }
  }
  if (sockets.empty()) {
    return UnavailableError(fmt::format("no server in {} serves weights", directory));
  }
  for (const std::string& socket : sockets) {
    RETURN_IF_ERROR(ProbeSocket(socket));
  }
  for (const std::string& socket : WeightsSocketsIn(directory)) {
    if (!LeadsToOneOf(sockets, socket)) {
      RETURN_IF_ERROR(ProbeUnclaimed(socket));
    }
  }
  return Status::Ok();
}

}  // namespace

Status ProbeRestoreReady(const std::string& directory, const std::vector<int>& devices) {
  const std::vector<SurveyedServer> servers = ServersIn(directory);
  return devices.empty() ? ProbeAll(servers, directory) : ProbeDevices(servers, devices);
}

}  // namespace hearth::gms::server
