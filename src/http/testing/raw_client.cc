#include "http/testing/raw_client.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "net/internal/address.h"

namespace hearth::http {
namespace {

net::Address AddressOf(const net::Endpoint& endpoint) {
  if (endpoint.IsUnix()) {
    return net::UnixAddress(endpoint.unix_path).value();
  }
  return net::NumericAddress(endpoint.host, endpoint.port);
}

size_t ContentLength(std::string_view head) {
  constexpr std::string_view kField = "\r\nContent-Length: ";
  const size_t at = head.find(kField);
  size_t length = 0;
  if (at != std::string_view::npos) {
    const std::string_view number = head.substr(at + kField.size());
    std::from_chars(number.data(), number.data() + number.size(), length);
  }
  return length;
}

}  // namespace

RawClient::RawClient(const net::Endpoint& server) {
  const net::Address address = AddressOf(server);
  fd_.reset(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit{.tv_sec = 120, .tv_usec = 0};
  (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  if (::connect(fd_.get(), address.get(), address.size) != 0) {
    fd_.reset();
  }
}

void RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) {
      return;
    }
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

bool RawClient::Receive() {
  char buffer[16 << 10];
  const ssize_t count = ::recv(fd_.get(), buffer, sizeof(buffer), 0);
  if (count <= 0) {
    return false;
  }
  received_.append(buffer, static_cast<size_t>(count));
  return true;
}

std::string RawClient::Take(size_t size) {
  std::string taken = received_.substr(0, size);
  received_.erase(0, size);
  return taken;
}

std::string RawClient::ReadUntil(std::string_view end) {
  while (received_.find(end) == std::string::npos) {
    if (!Receive()) {
      return Take(received_.size());
    }
  }
  return Take(received_.find(end) + end.size());
}

std::string RawClient::ReadAnswer() {
  std::string answer = ReadUntil("\r\n\r\n");
  const size_t length = ContentLength(answer);
  while (received_.size() < length && Receive()) {
  }
  return answer + Take(std::min(length, received_.size()));
}

std::string RawClient::ReadToEnd() {
  while (Receive()) {
  }
  return Take(received_.size());
}

void RawClient::CloseSending() { (void)::shutdown(fd_.get(), SHUT_WR); }

}  // namespace hearth::http
