#include "agent/node/testing/mortal_transport.h"

namespace hearth::agent::node {
namespace {

// The client does not try this one again.
http::Response Refused() {
  http::Response response;
  response.status = 403;
  response.headers.Set("Content-Type", "application/json");
  response.body =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,)"
      R"("message":"the agent is dead"})";
  return response;
}

bool IsStep(const http::Request& request) {
  return request.method != "GET" && request.target.find("/events") == std::string::npos &&
         request.target.find("/leases/snapshot-agent-") == std::string::npos &&
         request.body.find("\"snapshot-agent-") == std::string::npos;
}

}  // namespace

bool MortalTransport::Lives(const std::string& step) {
  if (!dead_ && may_live_ && !may_live_(step)) {
    dead_ = true;
  }
  return !dead_;
}

Result<http::Response> MortalTransport::Send(http::Request request, const WaitLimit& limit) {
  if (dead_) {
    return Refused();
  }
  if (!IsStep(request)) {
    return real_.Send(std::move(request), limit);
  }
  const std::string what = request.method + " " + request.target;
  if (!Lives("before " + what)) {
    return Refused();
  }
  auto response = real_.Send(std::move(request), limit);
  return Lives("after " + what) ? std::move(response) : Refused();
}

}  // namespace hearth::agent::node
