#include <cstddef>
#include <cstdint>
#include <string>

#include "admission/webhook/endpoints.h"
#include "admission/webhook/internal/value_count.h"
#include "admission/webhook/routes.h"
#include "base/check.h"
#include "json/parse.h"

namespace {

// As in operation: one set is there, one cannot be read, others are not there.
hearth::admission::webhook::Services MakeServices() {
  using hearth::json::Value;
  hearth::admission::webhook::Services services;
  services.guard.accounts = {"operator"};
  services.guard.read_set = [](const hearth::kube::ObjectKey& key) -> hearth::Result<Value> {
    if (key.name == "set") {
      return Value::Object();
    }
    return key.name == "broken" ? hearth::UnavailableError("broken")
                                : hearth::NotFoundError("no set");
  };
  return services;
}

}  // namespace

// The bytes are sent to every endpoint: whatever they are, the answer is JSON. No text that can be
// read has more values than are counted before; large ones are not tried, so that the memory this
// takes is what answering takes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hearth::admission::webhook;  // NOLINT(google-build-using-namespace)
  static const Services kServices = MakeServices();
  hearth::http::Request request{.method = "POST"};
  request.headers.Set("Content-Type", "application/json");
  request.body.assign(reinterpret_cast<const char*>(data), size);
  const auto read = hearth::json::ParseValue(request.body, {.max_bytes = 1 << 20});
  if (read.ok()) {
    CHECK(internal::CountValues(*read) <= internal::MostValues(request.body)) << request.body;
  }
  for (const Endpoint& endpoint : Endpoints()) {
    request.target = endpoint.path;
    const Answer answer = Respond(request, kServices);
    CHECK(hearth::json::Parse(answer.response.body).ok()) << answer.response.body;
    const int status = answer.response.status;
    CHECK(status == 200 || status == 400 || status == 413) << endpoint.path;
  }
  return 0;
}
