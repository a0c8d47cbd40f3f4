#pragma once

#include <string>

#include "base/status.h"
#include "gms/core/layout.h"
#include "gms/protocol/codec.h"

namespace hearth::gms::server {

class Session;

// Answers a request of a session that holds a lease, now or later (Session::BeginWork). An error
// when nothing was answered and nothing will be: kDataLoss for a message that cannot be read.
Status AnswerRequest(Session& session, const Document& document);

// A record as messages carry it.
AllocationItem ToItem(const Allocation& allocation);
// kInvalidArgument for a name that is longer than any has to be.
Status CheckName(const char* what, const std::string& name);

}  // namespace hearth::gms::server
