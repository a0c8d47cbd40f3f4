#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "controller/health_checks.h"
#include "http/server.h"
#include "net/event_loop.h"

namespace hearth::controller {

// What a program shows the outside about itself. Must outlive the server.
struct HealthPages {
  HealthChecks live{"healthz"};          // /healthz and /livez
  HealthChecks ready{"readyz"};          // /readyz
  std::function<std::string()> metrics;  // /metrics, in Prometheus' text format
};

// The answer to one request; 404 for other addresses, 405 for other methods than GET and HEAD.
http::Response AnswerHealth(const HealthPages& pages, const http::Request& request);

// Serves them on `address`: "host:port", ":port" for every interface, port 0 for any free one. One
// thread. kInvalid says what is wrong with the address.
Result<std::unique_ptr<http::Server>> StartHealthServer(net::EventLoop& loop,
                                                        const std::string& address,
                                                        const HealthPages& pages,
                                                        const Logger& logger);

}  // namespace hearth::controller
