#include "first_request.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <fstream>
#include <utility>

namespace hearth::bench {
namespace {

constexpr int kTimeoutMs = 30000;

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

Result<FirstRequest> FirstRequest::Listen(const std::string& directory) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), generic, size) != 0 || ::listen(socket.get(), 16) != 0 ||
      ::getsockname(socket.get(), generic, &size) != 0) {
    return Status::FromErrno(errno, "cannot listen on the loopback address");
  }
  std::string kubeconfig = directory + "/start-probe.kubeconfig";
  RETURN_IF_ERROR(WriteKubeconfig(kubeconfig, ntohs(address.sin_port)));
  return FirstRequest(std::move(socket), std::move(kubeconfig));
}

Status FirstRequest::Await(const std::string& who) const {
  RETURN_IF_ERROR(AwaitReadable(socket_.get(), who + " never connected"));
  const UniqueFd connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return AwaitReadable(connection.get(), who + " connected but never asked");
}

}  // namespace hearth::bench
