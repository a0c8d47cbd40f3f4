#include "kube/client/internal/client_impl.h"

#include <fmt/format.h>

#include <utility>

#include "base/strings.h"
#include "json/parse.h"
#include "kube/client/internal/retry.h"
#include "kube/model/api_status.h"

namespace hearth::kube {

Client::Impl::Impl(Transport& transport, Clock& clock, ClientOptions given)
    : transport(transport),
      clock(clock),
      options(std::move(given)),
      rate(options.requests_per_second, options.burst, clock),
      warnings(std::make_shared<internal::WarningLog>(options.on_warning)),
      random(Random::Seeded()) {}

Result<http::Response> Client::Impl::Call(http::Request request, const WaitLimit& limit,
                                          const std::string& what) {
  const std::string method = request.method;
  for (int tried = 1;; ++tried) {
    const bool last = tried >= options.max_tries;
    auto answer = Try(last ? std::move(request) : request, limit);
    const Status failure = answer.ok() ? StatusFromResponse(*answer) : answer.status();
    if (failure.ok()) {
      return answer;
    }
    const Status waited = AwaitRetry(method, answer, failure, tried, limit);
    if (!waited.ok()) {
      return waited.WithContext(what);
    }
  }
}

Result<http::Response> Client::Impl::Try(http::Request request, const WaitLimit& limit) {
  RETURN_IF_ERROR(rate.Acquire(limit));
  auto answer = transport.Send(std::move(request), limit.AtMost(clock, options.request_timeout));
  if (answer.ok()) {
    warnings->Note(answer->headers);
  }
  return answer;
}

Status Client::Impl::AwaitRetry(std::string_view method, const Result<http::Response>& answer,
                                const Status& failure, int tried, const WaitLimit& limit) {
  const auto advice = internal::AdviseRetry(method, answer, failure, clock.WallNow());
  if (!advice.again || tried >= options.max_tries) {
    return failure;
  }
  Duration wait = options.backoff.DelayFor(tried - 1, *random.Lock());
  if (advice.wait.has_value()) {
    wait = *advice.wait;
  }
  // Sooner than asked would only be refused again, and a wait past the deadline helps nobody.
  if (wait > options.max_retry_after || wait >= limit.Remaining(clock)) {
    return failure;
  }
  return SleepFor(clock, wait, limit.stop)
             ? Status::Ok()
             : CancelledError(fmt::format("stopped while waiting for another try after: {}",
                                          failure.message()));
}

Result<Object> Client::Impl::ToObject(std::string_view text, const std::string& what) const {
  json::ParseLimits limits;
  limits.max_bytes = options.max_object_bytes;
  limits.allow_duplicate_keys = true;
  auto blob = json::Parse(text, limits);
  if (blob.ok() && blob->view().IsObject()) {
    return Object(*std::move(blob));
  }
  if (!blob.ok() && blob.status().Is(Code::kExhausted)) {
    return blob.status().WithContext(what);
  }
  return InternalError(
      fmt::format("{}: the server's answer is no JSON object: {}", what, Excerpt(text, 120)));
}

Result<Object> Client::Impl::CallForObject(http::Request request, const WaitLimit& limit,
                                           const std::string& what) {
  ASSIGN_OR_RETURN(const http::Response answer, Call(std::move(request), limit, what));
  return ToObject(answer.body, what);
}

Result<Object> Client::Impl::CallOn(const ResourceType& type, const ObjectKey& key,
                                    http::Request request, const WaitLimit& limit,
                                    const std::string& what) {
  RETURN_IF_ERROR(CheckKey(type, key).WithContext(what));
  return CallForObject(std::move(request), limit, what);
}

WriteOptions Client::Impl::Filled(WriteOptions write) const {
  if (write.field_manager.empty()) {
    write.field_manager = options.field_manager;
  }
  return write;
}

namespace internal {

std::string Describe(std::string_view verb, const ResourceType& type, const ObjectKey& key,
                     std::string_view subresource) {
  return fmt::format("{} {}{}{} {}", verb, type.ToString(), subresource.empty() ? "" : "/",
                     subresource, key.ToString());
}

std::string DescribeMany(std::string_view verb, const ResourceType& type,
                         std::string_view name_space) {
  return name_space.empty() ? fmt::format("{} {}", verb, type.ToString())
                            : fmt::format("{} {} in {}", verb, type.ToString(), name_space);
}

}  // namespace internal
}  // namespace hearth::kube
