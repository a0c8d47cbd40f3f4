#include "engine_process.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <sstream>

#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "json/builder.h"
#include "json/parse.h"
#include "memory_server.h"

namespace hearth::gms {
namespace {

std::string FreshName() {
  static std::atomic<int> count = 0;
  return fmt::format("engine-{}", ++count);
}

}  // namespace

EngineProcess::EngineProcess(Options options)
    : options_(std::move(options)), name_(options_.directory + "/" + FreshName()) {
  const std::string url = "unix://" + name_ + ".http";
  std::vector<std::string> argv = {
      ENGINE_PROGRAM, "--listen", url,       "--socket-dir", options_.directory, "--device", "1",
      "--weights",    "1Mi",      "--width", "256",          "--engine-id",      options_.id};
  if (options_.failover) {
    argv.insert(argv.end(), {"--failover-lock", options_.directory + "/failover.lock"});
  }
  auto process = ChildProcess::Start({.argv = argv, .log_path = name_ + ".log"});
  EXPECT_OK(process);
  process_ = *std::move(process);
  loop_ = std::make_unique<net::EventLoop>("engine");
  client_ = std::make_unique<http::Client>(*loop_, *net::Endpoint::ParseUrl(url), nullptr);
}

Result<http::Response> EngineProcess::Ask(const std::string& method, const std::string& path,
                                          const std::string& body) {
  return client_->Send({.method = method, .target = path, .body = body}, Soon());
}

bool EngineProcess::Serves() {
  return Eventually([&] {
           const auto answer = Ask("GET", "/healthz");
           return (answer.ok() && answer->status == 200) || !Running();
         }) &&
         Running();
}

bool EngineProcess::StandsBy() {
  return Eventually([&] {
           const json::Value state = State();
           return (state.IsObject() && state.Find("phase")->string() == "standby") || !Running();
         }) &&
         Running();
}

std::string EngineProcess::Complete(const std::string& prompt) {
  json::Builder body;
  body.BeginObject().Key("prompt").String(prompt).Key("max_tokens").Int(12).EndObject();
  const auto answer = Ask("POST", "/v1/completions", body.Take());
  if (!answer.ok()) {
    return answer.status().ToString();
  }
  const auto json = json::Parse(answer->body);
  return answer->status == 200 && json.ok() ? json->view()["text"].StringOr("") : answer->body;
}

int EngineProcess::Post(const std::string& path) {
  const auto answer = Ask("POST", path);
  return answer.ok() ? answer->status : 0;
}

json::Value EngineProcess::State() {
  const auto answer = Ask("GET", "/state");
  auto value = answer.ok() ? json::ParseValue(answer->body) : answer.status();
  return value.ok() ? *std::move(value) : json::Value();
}

std::string EngineProcess::Metrics() {
  const auto answer = Ask("GET", "/metrics");
  return answer.ok() ? answer->body : answer.status().ToString();
}

void EngineProcess::Kill() {
  static_cast<void>(process_->Signal(SIGKILL));
  EXPECT_OK(process_->Wait(Soon()));
}

std::string EngineProcess::log() const {
  std::ostringstream text;
  text << std::ifstream(name_ + ".log").rdbuf();
  return text.str();
}

}  // namespace hearth::gms
