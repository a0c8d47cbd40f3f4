#pragma once

#include <chrono>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

// What kind of failure it is: what a caller may branch on. Everything finer is a reason.
enum class Code {
  kOk,
  kInvalid,  // the request or the input is wrong; the same again fails the same
  kNotFound,
  kAlreadyExists,
  kConflict,  // somebody else changed it; read again and retry
  kGone,      // the version or token asked for is no longer kept
  kUnauthenticated,
  kPermissionDenied,
  kExhausted,    // a limit, quota or budget is used up; later it may work
  kUnavailable,  // the other side is not there now; retry
  kDeadlineExceeded,
  kCancelled,
  kUnsupported,
  kDataLoss,  // bytes are truncated, corrupt or missing
  kInternal,  // a bug, ours or theirs
};

std::string_view CodeName(Code code);

// One finding among several, as Kubernetes' Status.details.causes has them.
struct Cause {
  std::string reason;
  std::string message;
  std::string field;

  friend bool operator==(const Cause&, const Cause&) = default;
};

// The outcome of an operation: fine, or a code, a stable reason for machines (CamelCase, may be
// empty), a message for people that names the object, the cause and what to do, and causes. Context
// is added in front on the way up: "while X: while Y: message". Cheap to move, one pointer; an ok
// status allocates nothing. Immutable once shared between threads.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  Status(Code code, std::string reason, std::string message);

  static Status Ok() { return {}; }
  // From errno, mapped to the nearest code: "<what>: No such file or directory".
  static Status FromErrno(int error, std::string_view what);

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  std::string_view reason() const {
    return rep_ ? std::string_view(rep_->reason) : std::string_view();
  }
  std::string_view message() const {
    return rep_ ? std::string_view(rep_->message) : std::string_view();
  }
  const std::vector<Cause>& causes() const;
  // How long the other side asked us to wait before the next try.
  std::optional<std::chrono::milliseconds> retry_after() const;
  // The HTTP status that brought this about, 0 when none did.
  int http_code() const { return rep_ ? rep_->http_code : 0; }

  // Each returns the same status with one thing more. No effect on an ok status.
  Status WithContext(std::string_view context) const;
  Status WithReason(std::string_view reason) const;
  Status WithCause(Cause cause) const;
  Status WithRetryAfter(std::chrono::milliseconds wait) const;
  Status WithHttpCode(int http_code) const;

  bool Is(Code code) const { return this->code() == code; }
  // "Conflict (AlreadyBound): message [spec.a: must be set; ...]", or "Ok".
  std::string ToString() const;

  friend bool operator==(const Status& a, const Status& b);

 private:
  struct Rep {
    Code code;
    std::string reason;
    std::string message;
    std::vector<Cause> causes;
    std::optional<std::chrono::milliseconds> retry_after;
    int http_code = 0;
  };
  template <typename Change>
  Status Changed(Change change) const;

  // Shared so that copies are cheap; never changed after construction.
  std::shared_ptr<const Rep> rep_;
};

std::ostream& operator<<(std::ostream& out, const Status& status);

Status InvalidError(std::string message);
Status NotFoundError(std::string message);
Status AlreadyExistsError(std::string message);
Status ConflictError(std::string message);
Status UnavailableError(std::string message);
Status DeadlineError(std::string message);
Status CancelledError(std::string message);
Status ExhaustedError(std::string message);
Status UnsupportedError(std::string message);
Status DataLossError(std::string message);
Status InternalError(std::string message);

}  // namespace hearth
