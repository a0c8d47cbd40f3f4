// Any payload is refused or understood; what is understood encodes to something that is understood
// the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "gms/protocol/codec.h"

namespace hearth::gms {
namespace {

template <typename M>
void Try(const Document& document) {
  (void)document.As<M>(UnknownFields::kReject);
  auto message = document.As<M>();
  if (!message.ok()) {
    return;
  }
  const std::string bytes = Encode(*message);
  auto again = Document::Parse(bytes);
  CHECK(again.ok()) << again.status().ToString();
  auto same = again->As<M>();
  CHECK(same.ok() && Encode(*same) == bytes);
}

template <typename... Ms>
void TryAll(const Document& document) {
  (Try<Ms>(document), ...);
}

}  // namespace
}  // namespace hearth::gms

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hearth::gms;
  const auto document =
      Document::Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (document.ok()) {
    TryAll<HandshakeRequest, HandshakeResponse, AllocateRequest, MetadataPutRequest,
           MetadataGetResponse, ListAllocationsResponse, GetEventHistoryResponse,
           OpenLayoutResponse, AllocateBatchRequest, MetadataPutBatchRequest, FreeBatchRequest,
           StatusResponse, ErrorResponse, PrepareCheckpointRequest>(*document);
  }
  return 0;
}
