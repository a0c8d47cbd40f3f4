#include "controller/health_checks.h"

#include <algorithm>

namespace hearth::controller {
namespace {

http::Response Text(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.Set("Content-Type", "text/plain; charset=utf-8");
  response.headers.Set("X-Content-Type-Options", "nosniff");
  response.body = std::move(body);
  return response;
}

std::string Line(const std::string& name, const Status& status) {
  return status.ok() ? "[+]" + name + " ok\n"
                     : "[-]" + name + " failed: " + std::string(status.message()) + "\n";
}

bool Has(const http::QueryPairs& query, std::string_view name, std::string_view value) {
  return std::any_of(query.begin(), query.end(),
                     [&](const auto& pair) { return pair.first == name && pair.second == value; });
}

bool HasName(const http::QueryPairs& query, std::string_view name) {
  return std::any_of(query.begin(), query.end(),
                     [&](const auto& pair) { return pair.first == name; });
}

}  // namespace

void HealthChecks::Add(std::string name, std::function<Status()> check) {
  checks_.push_back({std::move(name), std::move(check)});
}

http::Response HealthChecks::Answer(std::string_view path, std::string_view query) const {
  return path.size() > 1 ? AnswerOne(path.substr(1)) : AnswerAll(query);
}

http::Response HealthChecks::AnswerAll(std::string_view query) const {
  const http::QueryPairs pairs = http::ParseQuery(query);
  std::string lines;
  bool ok = true;
  for (const Check& check : checks_) {
    if (Has(pairs, "exclude", check.name)) {
      lines += "[+]" + check.name + " excluded: ok\n";
      continue;
    }
    const Status status = check.run();
    ok = ok && status.ok();
    lines += Line(check.name, status);
  }
  if (ok && !HasName(pairs, "verbose")) {
    return Text(200, "ok");
  }
  return Text(ok ? 200 : 500, lines + name_ + (ok ? " check passed\n" : " check failed\n"));
}

http::Response HealthChecks::AnswerOne(std::string_view name) const {
  const auto found = std::find_if(checks_.begin(), checks_.end(),
                                  [&](const Check& check) { return check.name == name; });
  if (found == checks_.end()) {
    return Text(404, "there is no such check\n");
  }
  const Status status = found->run();
  return status.ok() ? Text(200, "ok") : Text(500, Line(found->name, status));
}

}  // namespace hearth::controller
