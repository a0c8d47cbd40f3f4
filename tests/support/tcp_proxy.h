#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"

namespace hearth {

// A TCP relay to a server on loopback that the test can break: cut what goes through it, or let it
// hang. Bytes are passed on as they are, so TLS works through it.
class TcpProxy {
 public:
  // Listens at any free port of loopback.
  static Result<std::unique_ptr<TcpProxy>> Start(uint16_t server_port);
  // The same elsewhere, "10.0.0.1"; port 0: any free one.
  static Result<std::unique_ptr<TcpProxy>> StartAt(const std::string& address, uint16_t port,
                                                   uint16_t server_port);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  uint16_t port() const;
  // Closes every connection with a reset, wherever it is; new ones work.
  void CutAll();
  // Cuts each connection that exists or comes after it has carried this many more bytes towards the
  // client; 0 turns it off.
  void CutAfter(uint64_t bytes);
  // Connections that exist stay open but carry nothing more, for ever; new ones work.
  void HangExisting();
  // Nothing goes through at all until it is switched off; then it flows again.
  void SetFrozen(bool frozen);
  int connections() const;
  uint64_t accepted() const;
  uint64_t cut() const;  // connections that CutAfter ended

 private:
  struct Impl;
  explicit TcpProxy(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth
