#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/endpoint.h"

namespace hearth::http {

// A server's end of one connection, for a script that says exactly which bytes go over it. Used by
// its script only.
class ScriptedConnection {
 public:
  virtual ~ScriptedConnection() = default;

  // Waits for a whole request head and the body its Content-Length promises; "" when the client
  // closed instead.
  virtual std::string ReadRequest() = 0;
  virtual void Send(std::string_view bytes) = 0;
  // Byte by byte, each in a packet of its own as far as the kernel plays along.
  virtual void SendSlowly(std::string_view bytes) = 0;
  // Keeps the connection open until the client closes it or the server goes.
  virtual void AwaitClose() = 0;
  // Ends with a reset instead of a proper close.
  virtual void Reset() = 0;
};

// A server on a loopback port that does to its clients what its scripts say: cut off bodies, lie
// about sizes, say nothing. The first connection gets the first script and so on; the last script
// serves all further ones. A connection is closed when its script returns. Each runs on a thread of
// its own; going closes all and waits for them. Thread-safe.
class ScriptedServer {
 public:
  using Script = std::function<void(ScriptedConnection&)>;

  explicit ScriptedServer(std::vector<Script> scripts);
  explicit ScriptedServer(Script script) : ScriptedServer(std::vector<Script>{std::move(script)}) {}
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  // Reads one request, sends these bytes, closes.
  static Script Answer(std::string bytes);

  const net::Endpoint& endpoint() const;
  int connections() const;                    // accepted so far
  std::vector<std::string> requests() const;  // all that ReadRequest gave out

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::http
