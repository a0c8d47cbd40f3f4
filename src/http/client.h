#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/wait_limit.h"
#include "http/message.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/tls.h"

namespace hearth::http {

struct ClientOptions {
  size_t max_head_bytes = 64 << 10;               // status line and header fields of an answer
  uint64_t max_body_bytes = uint64_t{256} << 20;  // of an answer collected whole; decoded size
  int max_idle_connections = 8;                   // kept open for the next request
  int max_connections = 64;                       // requests beyond wait; lasting ones do not count
  Duration connect_timeout = std::chrono::seconds(10);  // name look-up, TCP and TLS together
  Duration idle_connection_timeout = std::chrono::seconds(60);
  // A peer that vanished without a word is noticed after about this long, also on an idle stream:
  // TCP keep-alive and TCP_USER_TIMEOUT are set from it, and StreamOptions::ask_for_life_after of
  // what is sent by Send (four times as long with a body: a server need not look at the connection
  // before it wants the body, and a request may stand in its queue for a minute).
  Duration dead_peer_timeout = std::chrono::seconds(10);
  bool accept_gzip = false;
};

// Receives one answer while it arrives. Called on the loop thread; must not block. OnEnd is the
// last call and comes exactly once.
class StreamHandler {
 public:
  virtual ~StreamHandler() = default;
  virtual void OnHead(Response head) = 0;  // body empty
  // Decoded body bytes (chunking and gzip undone), valid during the call; `capacity` of them are
  // readable memory.
  virtual void OnData(std::string_view bytes, size_t capacity) = 0;
  // ok: the answer is complete. kUnavailable: connecting failed (reason "ConnectFailed": nothing
  // was sent) or the connection broke; kDataLoss: it ended before the answer did, or what came is
  // no HTTP; kExhausted: over a limit of size; kDeadlineExceeded: deadline or idle limit;
  // kCancelled; kInvalid: the request cannot be sent. A bad answer says nothing about the request:
  // never kInvalid; kUnauthenticated (reason "CertificateInvalid"): one side refused the other's
  // certificate.
  virtual void OnEnd(Status status) = 0;
};

struct StreamOptions {
  SteadyTime deadline = SteadyTime::max();  // for the whole answer; never set it on a watch
  Duration head_timeout = Duration::max();  // until the head is there
  Duration idle_timeout = Duration::max();  // between two arrivals of bytes
  // After a silence of so long the server is asked for a sign of life, where the connection can
  // carry the question (TLS 1.3). One that used to answer and does not, within as long again, is
  // taken for dead: kDeadlineExceeded. One that does not answer such questions is left in peace.
  Duration ask_for_life_after = Duration::max();
  bool lasting = false;  // a watch: has a connection for itself, beyond max_connections
};

// A request under way. Destroying it cancels; OnEnd has then been called or will never be called.
// Thread-safe.
class Stream {
 public:
  virtual ~Stream() = default;
  // OnEnd(kCancelled) follows on the loop.
  virtual void Cancel() = 0;
  // Stops and restarts reading from the socket: back-pressure. At most one buffer arrives after
  // Pause.
  virtual void Pause() = 0;
  virtual void Resume() = 0;
};

// HTTP/1.1 to one endpoint over a pool of kept connections. A request that finds its kept
// connection closed is sent once more on a new one when it only reads (GET, HEAD, OPTIONS) or when
// none of it had left: what writes may have been done, though nobody said so. Thread-safe. Must go
// before the loop; requests still under way end with kCancelled.
class Client {
 public:
  // `tls` null for plain text; refused (kInvalid on every request) when it does not fit
  // endpoint.tls.
  Client(net::EventLoop& loop, const net::Endpoint& endpoint, std::shared_ptr<net::TlsContext> tls,
         ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Blocks for the whole answer. Not on the loop thread. Any HTTP status is a success here.
  Result<Response> Send(Request request, const WaitLimit& limit);
  // `handler` must live until OnEnd or until the Stream is destroyed.
  std::unique_ptr<Stream> Start(Request request, StreamHandler& handler,
                                const StreamOptions& options);

  // Connections from here on are new ones (after a certificate was replaced); those busy finish
  // first.
  void DropIdleConnections();
  struct Stats {
    uint64_t connections_opened = 0;
    uint64_t requests_sent = 0;
    int open_connections = 0;
    uint64_t signs_of_life = 0;  // answers to StreamOptions::ask_for_life_after
  };
  Stats stats() const;
  const net::Endpoint& endpoint() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hearth::http
