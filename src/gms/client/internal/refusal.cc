#include "gms/client/internal/refusal.h"

#include <array>
#include <string>
#include <string_view>

#include "gms/protocol/errors.h"

namespace hearth::gms::internal {
namespace {

struct KnownWords {
  std::string_view words;
  ErrorCode code;
};

constexpr auto kKnownWords = std::to_array<KnownWords>({
    {"Unknown allocation", ErrorCode::kUnknownAllocation},
    {"not allowed", ErrorCode::kNotAllowed},
    {"Timed out waiting for GPU memory", ErrorCode::kOutOfMemory},
    {"out of range for allocation", ErrorCode::kInvalidArgument},
    {"offset_bytes must be >= 0", ErrorCode::kInvalidArgument},
    {"size must be > 0", ErrorCode::kInvalidArgument},
    {"Expected HandshakeRequest", ErrorCode::kExpectedHandshake},
});

ErrorCode CodeByWords(std::string_view text) {
  for (const KnownWords& known : kKnownWords) {
    if (text.find(known.words) != std::string_view::npos) {
      return known.code;
    }
  }
  return ErrorCode::kInternal;
}

}  // namespace

Status RefusalStatus(const ErrorResponse& error) {
  const auto code = static_cast<ErrorCode>(error.code);
  if (code == ErrorCode::kNone) {
    return MakeError(CodeByWords(error.error), error.error);
  }
  if (code == ErrorCode::kStaleLayout || code == ErrorCode::kOtherServer) {
    return {Code::kConflict, std::string(ReasonOf(code)), error.error};
  }
  return StatusOf(error);
}

}  // namespace hearth::gms::internal
