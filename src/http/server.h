#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "http/message.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/tls.h"

namespace hearth::http {

struct ServerOptions {
  net::Endpoint listen;                  // port 0: any free one
  bool loopback_only = false;            // refuse to listen anywhere else
  std::shared_ptr<net::TlsContext> tls;  // with listen.tls
  int workers = 4;                       // threads that run handlers
  size_t max_head_bytes = 64 << 10;      // more is answered 431
  uint64_t max_body_bytes = 3 << 20;     // more is answered 413
  int max_connections = 1024;            // more are closed at once ...
  // Of all requests whose bodies are kept whole, until they are answered; more is answered 503 ...
  uint64_t max_held_bytes = UINT64_MAX;
  // ... unless the one that keeps us waiting longest can go instead.
  bool make_room = false;
  Duration read_timeout = std::chrono::seconds(30);  // for a whole request to arrive, once begun
  // Between requests, and for the client to take an answer: all of it, or when the handler writes
  // it in pieces, the next ones.
  Duration idle_timeout = std::chrono::seconds(120);
  uint32_t unix_mode = 0600;
};

// Facts about a request that the message itself does not hold.
struct Peer {
  std::string address;  // "127.0.0.1:4711", "unix"
  int pid = 0;          // unix sockets: SO_PEERCRED
  uint32_t uid = 0;
  std::string certificate_common_name;  // verified client certificate
  std::vector<std::string> certificate_organizations;
};

// Reads a request's body piece by piece. Not thread-safe.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  // Blocks for the next piece; empty at the end. The client is held back while nobody reads.
  virtual Result<std::string> Read(const WaitLimit& limit) = 0;
};

// Answers one request. May leave the handler and be used from any one thread at a time later on
// (watches). Destroying it without a finished answer closes the connection; without a begun one it
// answers 500.
class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;
  // The whole answer at once.
  virtual Status Send(Response response) = 0;
  // Or piece by piece: head first (chunked unless it has a Content-Length), then writes, then
  // Finish. Write blocks while more than a buffer's worth is waiting for the client; kUnavailable
  // once the client is gone.
  virtual Status Begin(Response head) = 0;
  virtual Status Write(std::string_view bytes, const WaitLimit& limit) = 0;
  virtual Status Finish() = 0;
  // Requested when the client hangs up or the server stops.
  virtual std::stop_token stop() const = 0;
};

struct ServerRequest {
  Request message;  // body filled for a plain handler
  Peer peer;
  std::unique_ptr<BodyReader> body;  // set for a streaming handler
  std::stop_token stop;
};

// Runs on a worker thread, may block.
using Handler = std::function<Response(const ServerRequest&)>;
using StreamingHandler = std::function<void(ServerRequest, std::unique_ptr<ResponseWriter>)>;

// HTTP/1.1 server with keep-alive. Handlers that throw or are slow hurt only their own request.
class Server {
 public:
  static Result<std::unique_ptr<Server>> Start(net::EventLoop& loop, ServerOptions options,
                                               Handler handler, Logger logger = {});
  static Result<std::unique_ptr<Server>> StartStreaming(net::EventLoop& loop, ServerOptions options,
                                                        StreamingHandler handler,
                                                        Logger logger = {});
  virtual ~Server() = default;  // as Stop with no grace

  // The endpoint really listened on.
  virtual const net::Endpoint& endpoint() const = 0;
  // No new connections; requests under way may finish within the limit, then everything is closed.
  virtual void Stop(const WaitLimit& limit) = 0;
};

}  // namespace hearth::http
