#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/status.h"

namespace hearth {

// A value, or the status that says why there is none. A Result never holds an ok status without a
// value.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Implicit on purpose: `return value;` and `return status;` read best.
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    CHECK(!status_.ok());
  }
  template <typename U>
  requires(std::is_convertible_v<U&&, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
           !std::is_same_v<std::remove_cvref_t<U>, Status> &&
           !std::is_same_v<std::remove_cvref_t<U>, Result<T>>) Result(U&& value)
      : value_(std::forward<U>(value)) {
  }  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }

  T& value() & { return *Checked(); }
  const T& value() const& { return *const_cast<Result*>(this)->Checked(); }
  T&& value() && { return std::move(*Checked()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  template <typename U>
  T value_or(U&& other) && {
    return ok() ? std::move(*value_) : static_cast<T>(std::forward<U>(other));
  }

  // The same value, or the same failure told with what was being done.
  Result WithContext(std::string_view context) && {
    if (ok()) {
      return std::move(*this);
    }
    return status_.WithContext(context);
  }

 private:
  std::optional<T>& Checked() {
    CHECK(value_.has_value()) << status_.ToString();
    return value_;
  }

  std::optional<T> value_;
  Status status_;
};

inline const Status& ToStatus(const Status& status) { return status; }
template <typename T>
const Status& ToStatus(const Result<T>& result) {
  return result.status();
}

#define HEARTH_CONCAT_(a, b) a##b
#define HEARTH_CONCAT(a, b) HEARTH_CONCAT_(a, b)

// Returns the failure of `expr` (a Status or a Result) from the enclosing function.
#define RETURN_IF_ERROR(expr)                    \
  do {                                           \
    auto&& hearth_status_ = (expr);              \
    if (!hearth_status_.ok()) {                  \
      return ::hearth::ToStatus(hearth_status_); \
    }                                            \
  } while (false)

// ASSIGN_OR_RETURN(auto pod, GetPod(key)): declares or assigns the value, or returns the failure.
#define ASSIGN_OR_RETURN(left, expr) \
  ASSIGN_OR_RETURN_(HEARTH_CONCAT(hearth_result_, __LINE__), left, expr)
#define ASSIGN_OR_RETURN_(result, left, expr) \
  auto result = (expr);                       \
  if (!result.ok()) {                         \
    return std::move(result).status();        \
  }                                           \
  left = std::move(result).value()

}  // namespace hearth
