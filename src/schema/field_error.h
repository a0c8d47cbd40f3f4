#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/value.h"
#include "schema/field_path.h"

namespace hearth::schema {

enum class ErrorType {
  kRequired,
  kInvalid,
  kTypeInvalid,
  kNotSupported,
  kDuplicate,
  kNotFound,
  kTooLong,
  kTooMany,
  kForbidden,
  kInternal,
};

std::string_view ErrorTypeName(ErrorType type);    // "Invalid value", for people
std::string_view ErrorTypeReason(ErrorType type);  // "FieldValueInvalid", for machines

// One finding about one field, worded as apimachinery's field.Error is, so that users may compare.
struct FieldError {
  ErrorType type = ErrorType::kInvalid;
  std::string path;       // "<nil>" when it is about no single field, as Kubernetes has it
  std::string bad_value;  // already as text: strings quoted, structures as JSON, long ones cut
  std::string detail;

  std::string ToString() const;  // spec.replicas: Invalid value: -1: must not be negative
  // What Status.details.causes says: the reason, the field, and the text without the field.
  Cause ToCause() const;

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

// The text of a value in a message: strings quoted as Go does, numbers as Go prints them, the rest
// as JSON; cut at some kilobytes.
std::string ValueText(const json::Value& value);
std::string QuotedText(std::string_view string);

FieldError Required(const FieldPath& path, std::string detail = "");
FieldError Invalid(const FieldPath& path, const json::Value& value, std::string detail);
FieldError Forbidden(const FieldPath& path, std::string detail);
FieldError Duplicate(const FieldPath& path, const json::Value& value);
// Refers to something that is not there.
FieldError NotFound(const FieldPath& path, const json::Value& value);
FieldError TooLong(const FieldPath& path, int64_t max_bytes);

// Whether some of these keep the server from trying rules: a value of the wrong type or size cannot
// be given to them.
bool BlocksRules(const std::vector<FieldError>& errors);

// The findings as one failure: kInvalid with a cause for each.
Status ToStatus(const std::vector<FieldError>& errors, std::string_view what);

// Collects findings. A hostile object has as many faults as it likes: past the limit they are only
// counted.
class ErrorList {
 public:
  static constexpr size_t kLimit = 100;
  struct Mark {
    size_t size;
    size_t dropped;
  };

  bool empty() const { return errors_.empty() && dropped_ == 0; }
  // Asked before the text of an error is made: false counts it and keeps nothing.
  bool Wants();
  void Add(FieldError error);
  void AddAll(ErrorList other);
  Mark mark() const { return {errors_.size(), dropped_}; }
  bool Since(const Mark& mark) const {
    return errors_.size() > mark.size || dropped_ > mark.dropped;
  }
  void Forget(const Mark& since);  // everything after that
  const std::vector<FieldError>& errors() const { return errors_; }
  std::vector<FieldError> Take();  // each once

 private:
  std::vector<FieldError> errors_;
  size_t dropped_ = 0;
};

}  // namespace hearth::schema
