#pragma once

#include "base/status.h"
#include "gms/protocol/codec.h"

namespace hearth::gms::server {

class Session;

// Answers a connection's only message: a probe, which touches no lease, or one for the checkpoint
// fence. An error, with nothing answered yet, for anything else ("Expected HandshakeRequest").
Status AnswerOnce(Session& session, const Document& document);

}  // namespace hearth::gms::server
