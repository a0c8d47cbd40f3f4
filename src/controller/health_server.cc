#include "controller/health_server.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace hearth::controller {
namespace {

// The part of `path` behind `page`: "" for the page itself, "/x" below it. Nothing when it is
// another page.
std::optional<std::string_view> Below(std::string_view path, std::string_view page) {
  if (!path.starts_with(page)) {
    return std::nullopt;
  }
  const std::string_view rest = path.substr(page.size());
  return rest.empty() || rest[0] == '/' ? std::optional(rest) : std::nullopt;
}

http::Response Plain(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  response.body = std::move(body);
  return response;
}

Result<std::unique_ptr<http::Server>> Listen(net::EventLoop& loop, const std::string& host_and_port,
                                             const HealthPages& pages, const Logger& logger) {
  http::ServerOptions options;
  ASSIGN_OR_RETURN(options.listen, net::Endpoint::ParseUrl("http://" + host_and_port));
  options.workers = 1;
  // Whoever asks does so at once; nobody may keep the others out by saying nothing.
  options.max_connections = 64;
  options.make_room = true;
  options.read_timeout = std::chrono::seconds(5);
  options.idle_timeout = std::chrono::seconds(5);
  options.max_body_bytes = 4096;
  return http::Server::Start(
      loop, std::move(options),
      [&pages](const http::ServerRequest& request) { return AnswerHealth(pages, request.message); },
      logger);
}

}  // namespace

http::Response AnswerHealth(const HealthPages& pages, const http::Request& request) {
  if (request.method != "GET" && request.method != "HEAD") {
    return Plain(405, "only GET is answered here\n");
  }
  const std::string_view target = request.target;
  const size_t mark = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, mark);
  const std::string_view query = target.substr(std::min(mark + 1, target.size()));
  for (const std::string_view page : {"/healthz", "/livez"}) {
    if (const auto rest = Below(path, page)) {
      return pages.live.Answer(*rest, query);
    }
  }
  if (const auto rest = Below(path, "/readyz")) {
    return pages.ready.Answer(*rest, query);
  }
  if (path == "/metrics" && pages.metrics) {
    return Plain(200, pages.metrics());
  }
  return Plain(404, "there is /healthz, /livez, /readyz and /metrics\n");
}

Result<std::unique_ptr<http::Server>> StartHealthServer(net::EventLoop& loop,
                                                        const std::string& address,
                                                        const HealthPages& pages,
                                                        const Logger& logger) {
  if (!address.starts_with(':')) {
    return Listen(loop, address, pages, logger).WithContext("health address " + address);
  }
  // Both families where there is IPv6, else the other one.
  auto both = Listen(loop, "[::]" + address, pages, logger);
  if (both.ok() || both.status().Is(Code::kInvalid)) {
    return std::move(both).WithContext("health address " + address);
  }
  return Listen(loop, "0.0.0.0" + address, pages, logger).WithContext("health address " + address);
}

}  // namespace hearth::controller
