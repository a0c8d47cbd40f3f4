#include "schema/formats.h"

#include <algorithm>
#include <string>

#include "schema/internal/format_checks.h"

namespace hearth::schema {
namespace {

bool IsIsbn(std::string_view text) { return internal::IsIsbn10(text) || internal::IsIsbn13(text); }

bool IsAnything(std::string_view) { return true; }

struct Row {
  std::string_view name;  // without dashes
  FormatCheck check;
};

constexpr Row kFormats[] = {
    {"bsonobjectid", internal::IsBsonObjectId},
    {"uri", internal::IsRequestUri},
    {"email", internal::IsEmail},
    {"hostname", internal::IsHostname},
    {"ipv4", internal::IsIpv4},
    {"ipv6", internal::IsIpv6},
    {"cidr", internal::IsCidr},
    {"mac", internal::IsMac},
    {"uuid", internal::IsUuid},
    {"uuid3", internal::IsUuid3},
    {"uuid4", internal::IsUuid4},
    {"uuid5", internal::IsUuid5},
    {"isbn", IsIsbn},
    {"isbn10", internal::IsIsbn10},
    {"isbn13", internal::IsIsbn13},
    {"creditcard", internal::IsCreditCard},
    {"ssn", internal::IsSsn},
    {"hexcolor", internal::IsHexColor},
    {"rgbcolor", internal::IsRgbColor},
    {"byte", internal::IsBase64},
    {"password", IsAnything},
    {"date", internal::IsDate},
    {"duration", internal::IsDuration},
    {"datetime", internal::IsDateTime},
};

}  // namespace

FormatCheck FindFormat(std::string_view name) {
  std::string plain(name);
  plain.erase(std::remove(plain.begin(), plain.end(), '-'), plain.end());
  for (const Row& row : kFormats) {
    if (row.name == plain) {
      return row.check;
    }
  }
  return nullptr;
}

}  // namespace hearth::schema
