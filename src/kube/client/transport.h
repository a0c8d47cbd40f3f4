#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "base/wait_limit.h"
#include "http/client.h"
#include "http/message.h"
#include "http/server.h"
#include "kube/config/config.h"
#include "net/event_loop.h"

namespace hearth::kube {

// Carries requests to an API server: over HTTP, or straight into a handler in the same process.
// Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;
  // Blocks. Any HTTP status is a success here.
  virtual Result<http::Response> Send(http::Request request, const WaitLimit& limit) = 0;
  // As http::Client::Start. The handler is called on the loop.
  virtual std::unique_ptr<http::Stream> Start(http::Request request, http::StreamHandler& handler,
                                              const http::StreamOptions& options) = 0;
  virtual net::EventLoop& loop() = 0;
};

// HTTP to the server of `config`, with its credentials on each request. A 401 makes the credentials
// look afresh and the request go once more. Certificates and CA that came from files are read again
// when the files change (looked at when a connection is refused for its certificate, and once a
// minute). Streams whose credentials must be fetched first run that off the loop.
struct HttpTransportOptions {
  http::ClientOptions http;
  std::string user_agent = "hearth";
};
Result<std::unique_ptr<Transport>> MakeHttpTransport(net::EventLoop& loop, const Config& config,
                                                     const ConfigSources& sources,
                                                     HttpTransportOptions options = {});

// Into a handler in this process: the same messages, no sockets, no encryption, no copying of
// bodies. Handlers run on threads of the transport, one for each request at a time; those still
// running when it goes are asked to stop and waited for. `clock` tells when a limit is over.
std::unique_ptr<Transport> MakeHandlerTransport(net::EventLoop& loop,
                                                http::StreamingHandler handler,
                                                Clock& clock = RealClock());

}  // namespace hearth::kube
