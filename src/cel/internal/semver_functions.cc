#include <algorithm>
#include <charconv>
#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/strings.h"
#include "cel/internal/function.h"
#include "cel/opaque.h"

namespace hearth::cel::internal {
namespace {

// Semantic Versioning 2.0.0; build metadata has no part in the order and is not kept.
struct Version {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::vector<std::string> pre_release;
};

bool IsNumeric(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsIdentifier(std::string_view text) {
  static constexpr std::string_view kAllowed =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-";
  return !text.empty() && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::optional<uint64_t> ReadPart(std::string_view text) {
  uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  return !IsNumeric(text) || leading_zero || read.ec != std::errc() ? std::nullopt
                                                                    : std::optional(value);
}

Result<Version> ParseVersion(std::string_view text) {
  const std::string_view core_and_pre = text.substr(0, text.find('+'));
  const size_t dash = core_and_pre.find('-');
  const auto parts = Split(core_and_pre.substr(0, dash), '.');
  if (parts.size() != 3) {
    return InvalidError(text.empty() ? "Version string empty"
                                     : "No Major.Minor.Patch elements found");
  }
  const auto major = ReadPart(parts[0]);
  const auto minor = ReadPart(parts[1]);
  const auto patch = ReadPart(parts[2]);
  if (!major.has_value() || !minor.has_value() || !patch.has_value()) {
    return InvalidError("Invalid character(s) found in a version number, or a leading zero");
  }
  Version version{*major, *minor, *patch, {}};
  if (dash != std::string_view::npos) {
    for (const std::string_view part : Split(core_and_pre.substr(dash + 1), '.')) {
      if (!IsIdentifier(part) || (IsNumeric(part) && !ReadPart(part).has_value())) {
        return InvalidError("Invalid prerelease version");
      }
      version.pre_release.emplace_back(part);
    }
  }
  if (core_and_pre.size() != text.size()) {
    for (const std::string_view part : Split(text.substr(core_and_pre.size() + 1), '.')) {
      if (!IsIdentifier(part)) {
        return InvalidError("Invalid build meta data");
      }
    }
  }
  return version;
}

std::string WithoutLeadingZeros(std::string_view part) {
  if (part.size() <= 1) {
    return std::string(part);
  }
  const std::string_view rest = part.substr(std::min(part.find_first_not_of('0'), part.size()));
  const bool digit = !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
  return (digit ? "" : "0") + std::string(rest);
}

// "v1.02" becomes "1.2.0".
Result<Version> ParseLoosely(std::string_view text) {
  text.remove_prefix(text.starts_with('v') ? 1 : 0);
  std::vector<std::string> parts;
  while (parts.size() < 2 && text.find('.') != std::string_view::npos) {
    const size_t dot = text.find('.');
    parts.push_back(WithoutLeadingZeros(text.substr(0, dot)));
    text.remove_prefix(dot + 1);
  }
  parts.push_back(WithoutLeadingZeros(text));
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) {
    return InvalidError("short version cannot contain PreRelease/Build meta data");
  }
  parts.resize(3, "0");
  return ParseVersion(Join(parts, "."));
}

// Numbers come before words and by value.
std::strong_ordering CompareIdentifiers(const std::string& a, const std::string& b) {
  if (IsNumeric(a) != IsNumeric(b)) {
    return IsNumeric(a) ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (IsNumeric(a) && a.size() != b.size()) {
    return a.size() <=> b.size();
  }
  return a <=> b;
}

std::strong_ordering CompareVersions(const Version& a, const Version& b) {
  const auto core = std::tie(a.major, a.minor, a.patch) <=> std::tie(b.major, b.minor, b.patch);
  if (std::is_neq(core)) {
    return core;
  }
  if (a.pre_release.empty() || b.pre_release.empty()) {
    return a.pre_release.empty() <=> b.pre_release.empty();
  }
  return std::lexicographical_compare_three_way(a.pre_release.begin(), a.pre_release.end(),
                                                b.pre_release.begin(), b.pre_release.end(),
                                                CompareIdentifiers);
}

class SemverValue final : public Opaque {
 public:
  explicit SemverValue(Version version) : Opaque(Kind::kSemver), version_(std::move(version)) {}
  bool Equals(const Opaque& other) const override {
    return CompareVersions(version_, static_cast<const SemverValue&>(other).version_) ==
           std::strong_ordering::equal;
  }
  const Version& version() const { return version_; }

 private:
  Version version_;
};

const Version& VersionOf(const Value& value) {
  return static_cast<const SemverValue&>(value.opaque()).version();
}

Result<Version> Read(const Call& call) {
  const bool loosely = call.args.size() == 2 && call[1].boolean();
  return loosely ? ParseLoosely(call[0].text()) : ParseVersion(call[0].text());
}

Value Semver(const Call& call) {
  auto version = Read(call);
  return version.ok() ? Value::OfOpaque(std::make_shared<SemverValue>(std::move(version).value()))
                      : Value::Error(std::string(version.status().message()));
}

Value IsSemver(const Call& call) { return Value::Bool(Read(call).ok()); }

std::strong_ordering Order(const Call& call) {
  return CompareVersions(VersionOf(call[0]), VersionOf(call[1]));
}

Value CompareTo(const Call& call) {
  const auto order = Order(call);
  return Value::Int(std::is_lt(order) ? -1 : std::is_gt(order) ? 1 : 0);
}

Value IsGreaterThan(const Call& call) { return Value::Bool(std::is_gt(Order(call))); }
Value IsLessThan(const Call& call) { return Value::Bool(std::is_lt(Order(call))); }
Value Number(uint64_t part) { return Value::Int(static_cast<int64_t>(part)); }
Value Major(const Call& call) { return Number(VersionOf(call[0]).major); }
Value Minor(const Call& call) { return Number(VersionOf(call[0]).minor); }
Value Patch(const Call& call) { return Number(VersionOf(call[0]).patch); }

constexpr auto kGlobal = Style::kGlobal;
constexpr auto kMember = Style::kMember;
constexpr auto kSemver = Kind::kSemver;
const Overload kFunctions[] = {
    {"semver", kGlobal, {Kind::kString}, Semver, CostRule::kText},
    {"semver", kGlobal, {Kind::kString, Kind::kBool}, Semver, CostRule::kText},
    {"isSemver", kGlobal, {Kind::kString}, IsSemver, CostRule::kText},
    {"isSemver", kGlobal, {Kind::kString, Kind::kBool}, IsSemver, CostRule::kText},
    {"compareTo", kMember, {kSemver, kSemver}, CompareTo},
    {"isGreaterThan", kMember, {kSemver, kSemver}, IsGreaterThan},
    {"isLessThan", kMember, {kSemver, kSemver}, IsLessThan},
    {"major", kMember, {kSemver}, Major},
    {"minor", kMember, {kSemver}, Minor},
    {"patch", kMember, {kSemver}, Patch},
};

}  // namespace

Overloads SemverFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal
