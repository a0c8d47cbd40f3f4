#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace hearth::http {

// The head of a request as it goes on the wire. Framing fields are ours: whatever the caller says
// about Content-Length, Transfer-Encoding is replaced. kInvalid, and nothing may be sent, when a
// part holds characters that could end a line or a field.
Result<std::string> WriteRequestHead(const Request& request, std::string_view host,
                                     bool accept_gzip);

// How an answer's body is delimited and what becomes of the connection.
struct AnswerFraming {
  std::optional<uint64_t> content_length;  // else chunked, else until the connection closes
  bool chunked = false;
  bool close = false;
};

Result<std::string> WriteResponseHead(const Response& response, const AnswerFraming& framing);

// Whether an answer with that status has no body whatever its fields say.
bool HasNoBody(int status);

}  // namespace hearth::http
