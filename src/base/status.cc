#include "base/status.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <ostream>
#include <utility>

namespace hearth {
namespace {

constexpr std::array<std::string_view, 15> kCodeNames = {
    "Ok",          "Invalid",     "NotFound",         "AlreadyExists",
    "Conflict",    "Gone",        "Unauthenticated",  "PermissionDenied",
    "Exhausted",   "Unavailable", "DeadlineExceeded", "Cancelled",
    "Unsupported", "DataLoss",    "Internal",
};
static_assert(kCodeNames.size() == static_cast<size_t>(Code::kInternal) + 1);

Code CodeOfErrno(int error) {
  switch (error) {
    case ENOENT:
    case ESRCH:
    case ENXIO:
    case ENODEV:
      return Code::kNotFound;
    case EEXIST:
    case ENOTEMPTY:
    case EADDRINUSE:
      return Code::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::kPermissionDenied;
    case EINVAL:
    case EBADF:
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EXDEV:
    case ENOEXEC:
    case E2BIG:
    case EDOM:
    case ERANGE:
      return Code::kInvalid;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case EMLINK:
      return Code::kExhausted;
    case EAGAIN:
    case EBUSY:
    case EINTR:
    case EPIPE:
    case ETXTBSY:
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
    case ENOTCONN:
    case EHOSTUNREACH:
    case EHOSTDOWN:
    case ENETUNREACH:
    case ENETDOWN:
      return Code::kUnavailable;
    case ETIMEDOUT:
      return Code::kDeadlineExceeded;
    case ECANCELED:
      return Code::kCancelled;
    case ENOSYS:
    case EOPNOTSUPP:
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
      return Code::kUnsupported;
    case EIO:
    case EUCLEAN:
      return Code::kDataLoss;
    default:
      return Code::kInternal;
  }
}

// strerror() may write to a shared buffer; this one only reads a table.
std::string ErrnoText(int error) {
  const char* text = strerrordesc_np(error);
  return text != nullptr ? text : "error " + std::to_string(error);
}

std::string CauseText(const Cause& cause) {
  const std::string& text = cause.message.empty() ? cause.reason : cause.message;
  return cause.field.empty() ? text : cause.field + ": " + text;
}

}  // namespace

std::string_view CodeName(Code code) {
  auto index = static_cast<size_t>(code);
  return index < kCodeNames.size() ? kCodeNames[index] : std::string_view("Unknown");
}

Status::Status(Code code, std::string message) : Status(code, std::string(), std::move(message)) {}

Status::Status(Code code, std::string reason, std::string message) {
  if (code == Code::kOk) {
    return;
  }
  auto rep = std::make_shared<Rep>();
  rep->code = code;
  rep->reason = std::move(reason);
  rep->message = std::move(message);
  rep_ = std::move(rep);
}

Status Status::FromErrno(int error, std::string_view what) {
  return {CodeOfErrno(error), std::string(what) + ": " + ErrnoText(error)};
}

const std::vector<Cause>& Status::causes() const {
  static const std::vector<Cause> kNone;
  return rep_ ? rep_->causes : kNone;
}

std::optional<std::chrono::milliseconds> Status::retry_after() const {
  return rep_ ? rep_->retry_after : std::nullopt;
}

template <typename Change>
Status Status::Changed(Change change) const {
  Status status;
  if (rep_ != nullptr) {
    auto rep = std::make_shared<Rep>(*rep_);
    change(*rep);
    status.rep_ = std::move(rep);
  }
  return status;
}

Status Status::WithContext(std::string_view context) const {
  return Changed([&](Rep& rep) { rep.message = std::string(context) + ": " + rep.message; });
}

Status Status::WithReason(std::string_view reason) const {
  return Changed([&](Rep& rep) { rep.reason = reason; });
}

Status Status::WithCause(Cause cause) const {
  return Changed([&](Rep& rep) { rep.causes.push_back(std::move(cause)); });
}

Status Status::WithRetryAfter(std::chrono::milliseconds wait) const {
  return Changed([&](Rep& rep) { rep.retry_after = wait; });
}

Status Status::WithHttpCode(int http_code) const {
  return Changed([&](Rep& rep) { rep.http_code = http_code; });
}

std::string Status::ToString() const {
  std::string text(CodeName(code()));
  if (ok()) {
    return text;
  }
  if (!reason().empty()) {
    text.append(" (").append(reason()).append(")");
  }
  text.append(": ").append(message());
  if (!causes().empty()) {
    std::string_view separator = " [";
    for (const Cause& cause : causes()) {
      text.append(separator).append(CauseText(cause));
      separator = "; ";
    }
    text.append("]");
  }
  return text;
}

bool operator==(const Status& a, const Status& b) {
  return a.rep_ == b.rep_ || (a.code() == b.code() && a.reason() == b.reason() &&
                              a.message() == b.message() && a.causes() == b.causes() &&
                              a.retry_after() == b.retry_after() && a.http_code() == b.http_code());
}

std::ostream& operator<<(std::ostream& out, const Status& status) {
  return out << status.ToString();
}

Status InvalidError(std::string message) { return {Code::kInvalid, std::move(message)}; }
Status NotFoundError(std::string message) { return {Code::kNotFound, std::move(message)}; }
Status AlreadyExistsError(std::string message) {
  return {Code::kAlreadyExists, std::move(message)};
}
Status ConflictError(std::string message) { return {Code::kConflict, std::move(message)}; }
Status UnavailableError(std::string message) { return {Code::kUnavailable, std::move(message)}; }
Status DeadlineError(std::string message) { return {Code::kDeadlineExceeded, std::move(message)}; }
Status CancelledError(std::string message) { return {Code::kCancelled, std::move(message)}; }
Status ExhaustedError(std::string message) { return {Code::kExhausted, std::move(message)}; }
Status UnsupportedError(std::string message) { return {Code::kUnsupported, std::move(message)}; }
Status DataLossError(std::string message) { return {Code::kDataLoss, std::move(message)}; }
Status InternalError(std::string message) { return {Code::kInternal, std::move(message)}; }

}  // namespace hearth
