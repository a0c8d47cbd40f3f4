#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "kube/model/api_status.h"

// The first byte picks the HTTP code, the rest is the body. A failure stays one, and survives being
// written and read.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  hearth::http::Response response;
  response.status = 300 + data[0];
  response.body.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  const hearth::Status status = hearth::kube::StatusFromResponse(response);
  CHECK(!status.ok());
  hearth::http::Response again;
  again.status = hearth::kube::HttpCodeFor(status);
  again.body = hearth::kube::StatusToObject(status).Write();
  if (again.status < 200 || again.status >= 300) {
    const hearth::Status reread = hearth::kube::StatusFromResponse(again);
    CHECK(reread.code() == status.code()) << reread << " / " << status;
    CHECK(reread.causes() == status.causes());
  }
  return 0;
}
