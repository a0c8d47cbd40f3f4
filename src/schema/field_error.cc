#include "schema/field_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/internal/go_json.h"
#include "schema/internal/go_text.h"
#include "schema/internal/number.h"

namespace hearth::schema {
namespace {

constexpr size_t kMaxValueText = 4096;

std::string Cut(std::string text) {
  if (text.size() > kMaxValueText) {
    text.resize(kMaxValueText);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) {
      text.pop_back();
    }
    text += "...";
  }
  return text;
}

bool ShowsValue(ErrorType type) {
  switch (type) {
    case ErrorType::kRequired:
    case ErrorType::kForbidden:
    case ErrorType::kTooLong:
    case ErrorType::kInternal:
      return false;
    default:
      return true;
  }
}

std::string Body(const FieldError& error) {
  std::string text(ErrorTypeName(error.type));
  if (ShowsValue(error.type) && !error.bad_value.empty()) {
    text += ": " + error.bad_value;
  }
  return error.detail.empty() ? text : text + ": " + error.detail;
}

}  // namespace

std::string_view ErrorTypeName(ErrorType type) {
  switch (type) {
    case ErrorType::kRequired:
      return "Required value";
    case ErrorType::kInvalid:
    case ErrorType::kTypeInvalid:
      return "Invalid value";
    case ErrorType::kNotSupported:
      return "Unsupported value";
    case ErrorType::kDuplicate:
      return "Duplicate value";
    case ErrorType::kNotFound:
      return "Not found";
    case ErrorType::kTooLong:
      return "Too long";
    case ErrorType::kTooMany:
      return "Too many";
    case ErrorType::kForbidden:
      return "Forbidden";
    case ErrorType::kInternal:
      return "Internal error";
  }
  return "";
}

std::string_view ErrorTypeReason(ErrorType type) {
  switch (type) {
    case ErrorType::kRequired:
      return "FieldValueRequired";
    case ErrorType::kInvalid:
      return "FieldValueInvalid";
    case ErrorType::kTypeInvalid:
      return "FieldValueTypeInvalid";
    case ErrorType::kNotSupported:
      return "FieldValueNotSupported";
    case ErrorType::kDuplicate:
      return "FieldValueDuplicate";
    case ErrorType::kNotFound:
      return "FieldValueNotFound";
    case ErrorType::kTooLong:
      return "FieldValueTooLong";
    case ErrorType::kTooMany:
      return "FieldValueTooMany";
    case ErrorType::kForbidden:
      return "FieldValueForbidden";
    case ErrorType::kInternal:
      return "InternalError";
  }
  return "";
}

std::string FieldError::ToString() const { return path + ": " + Body(*this); }

Cause FieldError::ToCause() const {
  return {std::string(ErrorTypeReason(type)), Body(*this), path};
}

std::string QuotedText(std::string_view string) {
  return Cut(internal::GoQuote(string.substr(0, kMaxValueText + 1)));
}

std::string ValueText(const json::Value& value) {
  if (value.IsString()) {
    return QuotedText(value.string());
  }
  if (value.kind() == json::Kind::kNumber) {
    return internal::GoText(internal::ReadNumber(value.number()));
  }
  return Cut(internal::GoJson(value));
}

FieldError Required(const FieldPath& path, std::string detail) {
  return {ErrorType::kRequired, path.ToString(), "", std::move(detail)};
}

FieldError Invalid(const FieldPath& path, const json::Value& value, std::string detail) {
  return {ErrorType::kInvalid, path.ToString(), ValueText(value), std::move(detail)};
}

FieldError Forbidden(const FieldPath& path, std::string detail) {
  return {ErrorType::kForbidden, path.ToString(), "", std::move(detail)};
}

FieldError Duplicate(const FieldPath& path, const json::Value& value) {
  return {ErrorType::kDuplicate, path.ToString(), ValueText(value), ""};
}

FieldError NotFound(const FieldPath& path, const json::Value& value) {
  return {ErrorType::kNotFound, path.ToString(), ValueText(value), ""};
}

FieldError TooLong(const FieldPath& path, int64_t max_bytes) {
  return {ErrorType::kTooLong, path.ToString(), "",
          fmt::format("may not be more than {} {}", max_bytes, max_bytes == 1 ? "byte" : "bytes")};
}

bool BlocksRules(const std::vector<FieldError>& errors) {
  return std::any_of(errors.begin(), errors.end(), [](const FieldError& error) {
    return error.type == ErrorType::kNotSupported || error.type == ErrorType::kRequired ||
           error.type == ErrorType::kTooLong || error.type == ErrorType::kTooMany ||
           error.type == ErrorType::kTypeInvalid;
  });
}

Status ToStatus(const std::vector<FieldError>& errors, std::string_view what) {
  if (errors.empty()) {
    return Status::Ok();
  }
  std::string text = fmt::format("{} is invalid: ", what);
  if (errors.size() == 1) {
    text += errors.front().ToString();
  } else {
    text += "[";
    for (const FieldError& error : errors) {
      text += (text.back() == '[' ? "" : ", ") + error.ToString();
    }
    text += "]";
  }
  Status status(Code::kInvalid, "Invalid", std::move(text));
  for (const FieldError& error : errors) {
    status = status.WithCause(error.ToCause());
  }
  return status;
}

bool ErrorList::Wants() {
  if (errors_.size() < kLimit) {
    return true;
  }
  ++dropped_;
  return false;
}

void ErrorList::Add(FieldError error) {
  if (Wants()) {
    errors_.push_back(std::move(error));
  }
}

void ErrorList::AddAll(ErrorList other) {
  for (FieldError& error : other.errors_) {
    Add(std::move(error));
  }
  dropped_ += other.dropped_;
}

void ErrorList::Forget(const Mark& since) {
  errors_.resize(since.size);
  dropped_ = since.dropped;
}

std::vector<FieldError> ErrorList::Take() {
  std::vector<FieldError> once;
  for (FieldError& error : errors_) {
    if (std::find(once.begin(), once.end(), error) == once.end()) {
      once.push_back(std::move(error));
    }
  }
  errors_.clear();
  return once;
}

}  // namespace hearth::schema
