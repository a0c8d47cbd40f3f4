#include "gms/client/testing/scripted_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "gms/protocol/fd_channel.h"

namespace hearth::gms {
namespace {

// Reads exactly; false at the end of the stream.
bool ReadAll(int fd, char* to, size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(fd, to, size);
    if (got <= 0) {
      return false;
    }
    to += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

bool ScriptedServer::Connection::ReadFrame() {
  unsigned char header[kFrameHeaderBytes];
  if (!ReadAll(socket_.get(), reinterpret_cast<char*>(header), sizeof header)) {
    return false;
  }
  payload_.resize(size_t{header[0]} << 24 | size_t{header[1]} << 16 | size_t{header[2]} << 8 |
                  size_t{header[3]});
  return ReadAll(socket_.get(), payload_.data(), payload_.size());
}

std::optional<Document> ScriptedServer::Connection::ReceiveDocument(const char* type) {
  if (!ReadFrame()) {
    return std::nullopt;
  }
  Result<Document> document = Document::Parse(payload_);
  EXPECT_TRUE(document.ok());
  EXPECT_EQ(document->type(), type);
  return *std::move(document);
}

void ScriptedServer::Connection::SendBytes(std::string_view bytes, std::span<const UniqueFd> fds) {
  while (!bytes.empty()) {
    const Result<Transferred> sent = SendSome(socket_.get(), bytes, fds);
    if (!sent.ok()) {
      return;  // the client has gone
    }
    if (sent->would_block) {
      pollfd wait{.fd = socket_.get(), .events = POLLOUT, .revents = 0};
      ::poll(&wait, 1, -1);
      continue;
    }
    bytes.remove_prefix(sent->bytes);
    fds = {};
  }
}

std::optional<HandshakeRequest> ScriptedServer::Connection::Shake(
    const HandshakeResponse& response) {
  std::optional<HandshakeRequest> request = Receive<HandshakeRequest>();
  if (request) {
    Send(response);
  }
  return request;
}

void ScriptedServer::Connection::AwaitEnd() {
  char byte = 0;
  while (::read(socket_.get(), &byte, 1) > 0) {
  }
}

ScriptedServer::ScriptedServer(std::string path, Script script) : script_(std::move(script)) {
  listener_ = UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  CHECK(path.size() < sizeof address.sun_path);
  std::copy(path.begin(), path.end(), address.sun_path);
  CHECK(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(::listen(listener_.get(), 16) == 0);
  thread_ = std::jthread([this] { Serve(); });
}

ScriptedServer::~ScriptedServer() { ::shutdown(listener_.get(), SHUT_RDWR); }

void ScriptedServer::Serve() {
  while (true) {
    UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.valid()) {
      return;
    }
    Connection connection(std::move(socket));
    script_(connection);
  }
}

HandshakeResponse Granted(const char* grant, bool committed) {
  return {.success = true, .committed = committed, .granted_lock_type = grant};
}

UniqueFd SomeFd() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace hearth::gms
