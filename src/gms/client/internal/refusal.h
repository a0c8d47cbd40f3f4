#pragma once

#include "base/status.h"
#include "gms/protocol/messages.h"

namespace hearth::gms::internal {

// What a server's refusal means to a caller. By its number; servers without numbers are understood
// by the words that they are known for. A layout or server that is not the expected one is
// kConflict with its reason.
Status RefusalStatus(const ErrorResponse& error);

}  // namespace hearth::gms::internal
