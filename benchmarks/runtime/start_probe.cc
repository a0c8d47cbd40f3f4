#include "start_probe.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <fstream>

namespace hearth::bench {
namespace {

constexpr int kTimeoutMs = 30000;

struct Listener {
  UniqueFd socket;
  uint16_t port = 0;
};

Result<Listener> Listen() {
  Listener listener{UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.socket.get(), generic, size) != 0 ||
      ::listen(listener.socket.get(), 16) != 0 ||
      ::getsockname(listener.socket.get(), generic, &size) != 0) {
    return Status::FromErrno(errno, "cannot listen on the loopback address");
  }
  listener.port = ntohs(address.sin_port);
  return listener;
}

Status WriteKubeconfig(const std::string& path, uint16_t port) {
  std::ofstream file(path);
  file << fmt::format(R"(apiVersion: v1
kind: Config
current-context: probe
clusters: [{{name: probe, cluster: {{server: "http://127.0.0.1:{}"}}}}]
users: [{{name: probe, user: {{token: probe}}}}]
contexts: [{{name: probe, context: {{cluster: probe, user: probe}}}}]
)",
                      port);
  file.close();
  return file ? Status() : UnavailableError("cannot write " + path);
}

Status AwaitReadable(int fd, const std::string& what) {
  pollfd ready{fd, POLLIN, 0};
  return ::poll(&ready, 1, kTimeoutMs) == 1 ? Status() : DeadlineError(what);
}

}  // namespace

Result<double> SecondsToFirstRequest(const Contestant& contestant, const std::string& directory) {
  ASSIGN_OR_RETURN(const Listener listener, Listen());
  const std::string kubeconfig = directory + "/start-probe.kubeconfig";
  RETURN_IF_ERROR(WriteKubeconfig(kubeconfig, listener.port));
  ASSIGN_OR_RETURN(
      const auto running,
      RunningContestant::Start(contestant, {.kubeconfig = kubeconfig,
                                            .name_space = "default",
                                            .log_path = directory + "/start-probe.log"}));
  RETURN_IF_ERROR(AwaitReadable(listener.socket.get(), contestant.name + " never connected"));
  const UniqueFd connection(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
  RETURN_IF_ERROR(AwaitReadable(connection.get(), contestant.name + " connected but never asked"));
  return std::chrono::duration<double>(RealClock().Now() - running->started()).count();
}

}  // namespace hearth::bench
