#include "gms/storage/internal/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace hearth::gms::storage {

Fields::Fields(json::View object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object_.IsObject()) {
    status_ = InvalidError(where_ + ": must be an object");
  }
}

void Fields::Fail(std::string_view name, std::string_view what) {
  if (status_.ok()) {
    status_ = InvalidError(fmt::format("{}: {} {}", where_, name, what));
  }
}

void Fields::OnlyThese(std::initializer_list<std::string_view> names) {
  for (const json::Member& member : object_.members()) {
    const std::string name = member.Name();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      Fail(Excerpt(name, 80), "is not known");
    }
  }
}

std::string Fields::String(std::string_view name, size_t limit) {
  std::optional<std::string> text = object_[name].String();
  if (!text) {
    Fail(name, "must be a string");
    return "";
  }
  if (text->size() > limit) {
    Fail(name, fmt::format("is longer than {} bytes", limit));
    return "";
  }
  return std::move(*text);
}

std::string Fields::StringOr(std::string_view name, std::string_view other, size_t limit) {
  return Has(name) ? String(name, limit) : std::string(other);
}

uint64_t Fields::Uint(std::string_view name) {
  const std::optional<int64_t> number = object_[name].Int();
  if (!number || *number < 0) {
    Fail(name, "must be a whole number, 0 or more");
    return 0;
  }
  return static_cast<uint64_t>(*number);
}

uint64_t Fields::UintOr(std::string_view name, uint64_t other) {
  return Has(name) ? Uint(name) : other;
}

double Fields::NumberOr(std::string_view name, double other) {
  if (!Has(name)) {
    return other;
  }
  const std::optional<double> number = object_[name].Double();
  if (!number) {
    Fail(name, "must be a number");
  }
  return number.value_or(other);
}

disk::Digest Fields::ReadDigest(std::string_view name) {
  const std::optional<disk::Digest> digest = disk::Digest::FromHex(String(name, 64));
  if (!digest) {
    Fail(name, "must be 32 hex digits");
  }
  return digest.value_or(disk::Digest());
}

json::View Fields::Array(std::string_view name) {
  const json::View array = object_[name];
  if (!array.IsArray()) {
    Fail(name, "must be a list");
  }
  return array;
}

json::View Fields::Object(std::string_view name) {
  const json::View object = object_[name];
  if (!object.IsObject()) {
    Fail(name, "must be an object");
  }
  return object;
}

}  // namespace hearth::gms::storage
