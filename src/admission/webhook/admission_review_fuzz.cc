#include <cstddef>
#include <cstdint>
#include <string>

#include "admission/webhook/endpoints.h"
#include "admission/webhook/routes.h"
#include "base/check.h"
#include "json/parse.h"

// The bytes are sent to every endpoint: whatever they are, the answer is JSON.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hearth::admission::webhook;  // NOLINT(google-build-using-namespace)
  static const Services kServices;
  hearth::http::Request request{.method = "POST"};
  request.headers.Set("Content-Type", "application/json");
  request.body.assign(reinterpret_cast<const char*>(data), size);
  for (const Endpoint& endpoint : Endpoints()) {
    request.target = endpoint.path;
    const Answer answer = Respond(request, kServices);
    CHECK(hearth::json::Parse(answer.response.body).ok()) << answer.response.body;
    CHECK(answer.response.status == 200 || answer.response.status == 400) << endpoint.path;
  }
  return 0;
}
