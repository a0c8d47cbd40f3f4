// URLs and queries from configuration files and clients: whatever parses is written back the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/message.h"
#include "net/endpoint.h"

namespace {

using hearth::Result;
using hearth::net::Endpoint;

void CheckUrl(std::string_view text) {
  std::string path;
  const Result<Endpoint> endpoint = Endpoint::ParseUrl(text, &path);
  if (!endpoint.ok()) {
    return;
  }
  (void)endpoint->IsLoopback();
  (void)endpoint->HostHeader();
  std::string path_again;
  const Result<Endpoint> again = Endpoint::ParseUrl(endpoint->ToString() + path, &path_again);
  CHECK(again.ok()) << again.status().ToString();
  CHECK(*again == *endpoint && path_again == path) << endpoint->ToString();
}

void CheckQuery(std::string_view text) {
  const hearth::http::QueryPairs pairs = hearth::http::ParseQuery(text);
  CHECK(hearth::http::ParseQuery(hearth::http::WriteQuery(pairs)) == pairs) << "query changed";
  CHECK(hearth::http::UnescapeComponent(hearth::http::EscapeComponent(text)) == text)
      << "escaping changed";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckUrl(text);
  CheckQuery(text);
  return 0;
}
