#include "http/testing/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/check.h"
#include "base/unique_fd.h"

namespace hearth::http {
namespace {

UniqueFd Listen(uint16_t* port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  CHECK(::bind(fd.get(), generic, size) == 0 && ::listen(fd.get(), 64) == 0 &&
        ::getsockname(fd.get(), generic, &size) == 0)
      << "no loopback port to listen on";
  *port = ntohs(address.sin_port);
  return fd;
}

size_t BodyLength(std::string_view head) {
  constexpr std::string_view kField = "Content-Length: ";
  const size_t at = head.find(kField);
  size_t length = 0;
  if (at != std::string_view::npos) {
    const std::string_view number = head.substr(at + kField.size());
    std::from_chars(number.data(), number.data() + number.size(), length);
  }
  return length;
}

}  // namespace

struct ScriptedServer::Impl {
  class Connection;

  void Accept();
  void Serve(Connection& connection, const Script& script);
  const Script& ScriptFor(size_t index) const {
    return scripts[std::min(index, scripts.size() - 1)];
  }

  std::vector<Script> scripts;
  net::Endpoint endpoint;
  UniqueFd listener;
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Connection>> connections;
  std::vector<std::string> requests;
  std::vector<std::thread> threads;
  std::thread acceptor;
};

class ScriptedServer::Impl::Connection final : public ScriptedConnection {
 public:
  Connection(Impl& server, UniqueFd fd) : server_(server), fd_(std::move(fd)) {
    const int on = 1;
    (void)::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }

  std::string ReadRequest() override {
    size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!Receive()) {
        return "";
      }
    }
    const size_t size = end + 4 + BodyLength(received_.substr(0, end));
    while (received_.size() < size) {
      if (!Receive()) {
        return "";
      }
    }
    std::string request = received_.substr(0, size);
    received_.erase(0, size);
    std::lock_guard lock(server_.mutex);
    server_.requests.push_back(request);
    return request;
  }

  void Send(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) {
        return;  // the client is gone; its own side of the story tells
      }
      bytes.remove_prefix(static_cast<size_t>(count));
    }
  }

  void SendSlowly(std::string_view bytes) override {
    for (size_t at = 0; at < bytes.size(); ++at) {
      Send(bytes.substr(at, 1));
    }
  }

  void AwaitClose() override {
    while (Receive()) {
    }
  }

  void Reset() override {
    const linger abort{.l_onoff = 1, .l_linger = 0};
    (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
    Close();
  }

  void Close() {
    std::lock_guard lock(server_.mutex);
    fd_.reset();
  }
  // With the server's lock held.
  void WakeUp() {
    if (fd_.valid()) {
      (void)::shutdown(fd_.get(), SHUT_RDWR);
    }
  }

 private:
  bool Receive() {
    char buffer[4096];
    const ssize_t count = ::recv(fd_.get(), buffer, sizeof(buffer), 0);
    if (count <= 0) {
      return false;
    }
    received_.append(buffer, static_cast<size_t>(count));
    return true;
  }

  Impl& server_;
  UniqueFd fd_;
  std::string received_;
};

void ScriptedServer::Impl::Serve(Connection& connection, const Script& script) {
  script(connection);
  connection.Close();
}

void ScriptedServer::Impl::Accept() {
  for (;;) {
    UniqueFd fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd.valid()) {
      return;  // shut down
    }
    std::lock_guard lock(mutex);
    const Script& script = ScriptFor(connections.size());
    Connection& connection =
        *connections.emplace_back(std::make_unique<Connection>(*this, std::move(fd)));
    threads.emplace_back([this, &connection, &script] { Serve(connection, script); });
  }
}

ScriptedServer::ScriptedServer(std::vector<Script> scripts) : impl_(std::make_unique<Impl>()) {
  impl_->scripts = std::move(scripts);
  impl_->endpoint.host = "127.0.0.1";
  impl_->listener = Listen(&impl_->endpoint.port);
  impl_->acceptor = std::thread([impl = impl_.get()] { impl->Accept(); });
}

ScriptedServer::~ScriptedServer() {
  (void)::shutdown(impl_->listener.get(), SHUT_RDWR);
  impl_->acceptor.join();
  {
    std::lock_guard lock(impl_->mutex);
    for (const auto& connection : impl_->connections) {
      connection->WakeUp();
    }
  }
  for (std::thread& thread : impl_->threads) {
    thread.join();
  }
}

ScriptedServer::Script ScriptedServer::Answer(std::string bytes) {
  return [bytes = std::move(bytes)](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(bytes);
  };
}

const net::Endpoint& ScriptedServer::endpoint() const { return impl_->endpoint; }

int ScriptedServer::connections() const {
  std::lock_guard lock(impl_->mutex);
  return static_cast<int>(impl_->connections.size());
}

std::vector<std::string> ScriptedServer::requests() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->requests;
}

}  // namespace hearth::http
