#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "gms/protocol/codec.h"
#include "gms/protocol/frame.h"

namespace hearth::gms {

// A server that says what the test tells it to, right or wrong. The script runs on a thread of its
// own, with one connection after another; it ends with the connection it waits for.
class ScriptedServer {
 public:
  class Connection {
   public:
    explicit Connection(UniqueFd socket) : socket_(std::move(socket)) {}

    // The next request; nothing when the client has gone. Fails the test when it is another one.
    template <typename Request>
    std::optional<Request> Receive() {
      const std::optional<Document> document = ReceiveDocument(Request::kType);
      return document ? std::optional(*document->As<Request>()) : std::nullopt;
    }
    template <typename Response>
    void Send(const Response& response, std::span<const UniqueFd> fds = {}) {
      SendBytes(EncodeFrame(response), fds);
    }
    void SendBytes(std::string_view bytes, std::span<const UniqueFd> fds = {});
    // Answers a handshake with this; nothing when the client has gone.
    std::optional<HandshakeRequest> Shake(const HandshakeResponse& response);
    // Blocks until the client closes its end.
    void AwaitEnd();

   private:
    std::optional<Document> ReceiveDocument(const char* type);
    bool ReadFrame();

    UniqueFd socket_;
    std::string payload_;
  };
  using Script = std::function<void(Connection&)>;

  ScriptedServer(std::string path, Script script);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

 private:
  void Serve();

  UniqueFd listener_;
  Script script_;
  std::jthread thread_;
};

// A handshake's answer with this grant, as servers without the extension give it.
HandshakeResponse Granted(const char* grant, bool committed);
// A descriptor of anything.
UniqueFd SomeFd();

}  // namespace hearth::gms
