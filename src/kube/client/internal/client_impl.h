#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/guarded.h"
#include "base/random.h"
#include "kube/client/client.h"
#include "kube/client/internal/rate_limiter.h"
#include "kube/client/internal/warnings.h"

namespace hearth::kube {

struct Client::Impl {
  Impl(Transport& transport, Clock& clock, ClientOptions options);

  // Sends until it succeeds or may not be sent again. A failure has `what` in front.
  Result<http::Response> Call(http::Request request, const WaitLimit& limit,
                              const std::string& what);
  // The same for calls that answer with an object.
  Result<Object> CallForObject(http::Request request, const WaitLimit& limit,
                               const std::string& what);
  // The same for those about one object: nothing is sent when `key` is not the address of one.
  Result<Object> CallOn(const ResourceType& type, const ObjectKey& key, http::Request request,
                        const WaitLimit& limit, const std::string& what);
  Result<Object> ToObject(std::string_view text, const std::string& what) const;
  // With the client's field manager where none is given.
  WriteOptions Filled(WriteOptions options) const;

  Transport& transport;
  Clock& clock;
  const ClientOptions options;
  internal::RateLimiter rate;
  const std::shared_ptr<internal::WarningLog>
      warnings;  // streams that outlive the client note theirs too
  Guarded<Random> random;

 private:
  Result<http::Response> Try(http::Request request, const WaitLimit& limit);
  // Waits before the next try; the failure when there is to be none.
  Status AwaitRetry(std::string_view method, const Result<http::Response>& answer,
                    const Status& failure, int tried, const WaitLimit& limit);
};

namespace internal {

// "get pods ns/name", "update pods/status ns/name", "list pods in ns".
std::string Describe(std::string_view verb, const ResourceType& type, const ObjectKey& key,
                     std::string_view subresource = "");
std::string DescribeMany(std::string_view verb, const ResourceType& type,
                         std::string_view name_space);

}  // namespace internal
}  // namespace hearth::kube
