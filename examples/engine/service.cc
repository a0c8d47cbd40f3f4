#include "service.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "json/builder.h"
#include "json/parse.h"

namespace hearth::engine {
namespace {

constexpr int kMaxTokens = 256;
constexpr size_t kMaxPromptBytes = 64 << 10;

http::Response Json(int status, json::Builder body) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}},
          .body = body.Take() + "\n"};
}

http::Response Error(int status, std::string_view message) {
  json::Builder body;
  body.BeginObject().Key("error").String(message).EndObject();
  return Json(status, std::move(body));
}

http::Response Answer(const Status& status) {
  return status.ok() ? http::Response{.status = 204} : Error(500, status.message());
}

std::string_view Name(Phase phase) {
  switch (phase) {
    case Phase::kLoading:
      return "loading";
    case Phase::kAsleep:
      return "asleep";
    case Phase::kStandby:
      return "standby";
    case Phase::kServing:
      return "serving";
  }
  return "";
}

}  // namespace

void Service::SetPhase(Phase phase) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
}

void Service::SetRestored() {
  const std::lock_guard lock(mutex_);
  restored_ = true;
}

void Service::SetReadyFromTheStart(bool ready) {
  const std::lock_guard lock(mutex_);
  ready_from_the_start_ = ready;
}

void Service::SetWeights(Weights& weights, Calibration calibration) {
  const std::lock_guard lock(mutex_);
  weights_ = &weights;
  awake_ = weights.awake();
  calibration_ = std::move(calibration);
}

http::Response Service::Handle(const http::Request& request) {
  const bool post = request.method == "POST";
  if (post && request.target == "/v1/completions") {
    return Complete(request);
  }
  if (post && request.target == "/sleep") {
    return Answer(Sleep());
  }
  if (post && request.target == "/wake") {
    return Answer(Wake());
  }
  const bool get = request.method == "GET";
  if (get && request.target == "/state") {
    return State();
  }
  if (get && request.target == "/live") {
    return {.status = 200, .body = "ok\n"};
  }
  if (get && (request.target == "/health" || request.target == "/healthz")) {
    return Health(request.target == "/health");
  }
  return Error(404,
               "there is POST /v1/completions, /sleep, /wake and GET /state, /live, /health, "
               "/healthz");
}

http::Response Service::Health(bool standby_counts) {
  const std::lock_guard lock(mutex_);
  const bool well = phase_ == Phase::kServing || (standby_counts && phase_ == Phase::kStandby) ||
                    (standby_counts && phase_ == Phase::kLoading && ready_from_the_start_);
  return well ? http::Response{.status = 200, .body = "ok\n"}
              : Error(503, fmt::format("the engine is {}", Name(phase_)));
}

Status Service::Sleep() {
  const std::lock_guard one_at_a_time(moving_);
  {
    const std::lock_guard lock(mutex_);
    if (weights_ == nullptr || !awake_) {
      return Status::Ok();
    }
    // From here on nobody computes with the weights.
    awake_ = false;
    phase_ = Phase::kAsleep;
  }
  return weights_->Sleep();
}

Status Service::Wake() {
  const std::lock_guard one_at_a_time(moving_);
  {
    const std::lock_guard lock(mutex_);
    if (weights_ == nullptr || awake_) {
      return Status::Ok();
    }
  }
  // May wait for whoever loads the weights; questions are answered meanwhile.
  RETURN_IF_ERROR(weights_->Wake(WaitLimit::Forever()));
  const std::lock_guard lock(mutex_);
  awake_ = true;
  phase_ = Phase::kServing;
  return Status::Ok();
}

http::Response Service::Complete(const http::Request& request) {
  const auto parsed = json::Parse(request.body);
  if (!parsed.ok()) {
    return Error(400, fmt::format("the body is no JSON: {}", parsed.status().message()));
  }
  const auto prompt = parsed->view()["prompt"].String();
  const auto count = parsed->view()["max_tokens"].Int().value_or(8);
  if (!prompt || prompt->size() > kMaxPromptBytes || count < 1 || count > kMaxTokens) {
    return Error(
        400,
        fmt::format("wanted: \"prompt\", a string of at most {} bytes, and \"max_tokens\", 1 to {}",
                    kMaxPromptBytes, kMaxTokens));
  }
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::kServing || weights_ == nullptr || !awake_) {
    return Error(503,
                 fmt::format("the engine is {}; ask again when /healthz says ok", Name(phase_)));
  }
  const std::string text =
      Generate(weights_->view(), calibration_, *prompt, static_cast<int>(count));
  ++requests_;
  digest_ = HashBytes(text, digest_);
  json::Builder body;
  body.BeginObject().Key("text").String(text).Key("request").Uint(requests_).EndObject();
  return Json(200, std::move(body));
}

http::Response Service::State() {
  const std::lock_guard lock(mutex_);
  json::Builder body;
  body.BeginObject();
  body.Key("phase").String(Name(phase_));
  body.Key("start").String(restored_ ? "restored" : "cold");
  body.Key("pid").Int(getpid());
  body.Key("requests").Uint(requests_);
  body.Key("digest").String(fmt::format("{:016x}", digest_));
  if (weights_ != nullptr) {
    body.Key("weights").BeginObject();
    body.Key("origin").String(weights_->origin() == Weights::Origin::kMade ? "made" : "found");
    body.Key("bytes").Uint(weights_->view().shape.total_bytes());
    body.Key("layout_hash").String(weights_->layout_hash());
    body.Key("awake").Bool(awake_);
    body.EndObject();
  }
  body.EndObject();
  return Json(200, std::move(body));
}

}  // namespace hearth::engine
