#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "http/client.h"
#include "kube/client/internal/warnings.h"
#include "kube/client/transport.h"

namespace hearth::kube::internal {

// Makes sense of the body of a good answer while it arrives. Called on the loop.
class AnswerReader {
 public:
  virtual ~AnswerReader() = default;
  // A failure ends the stream.
  virtual Status OnData(std::string_view bytes, size_t capacity) = 0;
  // Last call: ok when the whole body has come.
  virtual void OnEnd(const Status& status) = 0;

  // Set when the caller let go of the stream, perhaps during a call: nothing more may reach the
  // caller's handler.
  std::atomic<bool> cut_off = false;
};

// Sends a request and gives a good answer's body to `reader`. An answer that is no success ends
// with the failure it tells; only so much of its body is read as that takes. Failures have `what`
// in front.
std::unique_ptr<http::Stream> StartAnswer(Transport& transport, http::Request request,
                                          const http::StreamOptions& options,
                                          std::unique_ptr<AnswerReader> reader, std::string what,
                                          std::shared_ptr<WarningLog> warnings);

}  // namespace hearth::kube::internal
