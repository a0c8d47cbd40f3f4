#pragma once

#include <string_view>

// One function for each format; formats.cc has their names.
namespace hearth::schema::internal {

bool IsDate(std::string_view text);      // 2006-01-02
bool IsDateTime(std::string_view text);  // date, T, time, zone; case does not matter
bool IsDuration(std::string_view text);  // as Go has them, or "3 days"

bool IsIpv4(std::string_view text);
bool IsIpv6(std::string_view text);
bool IsCidr(std::string_view text);
bool IsMac(std::string_view text);

bool IsEmail(std::string_view text);       // an RFC 5322 address, with or without a display name
bool IsRequestUri(std::string_view text);  // an absolute URI or an absolute path

bool IsHostname(std::string_view text);
bool IsUuid(std::string_view text);
bool IsUuid3(std::string_view text);
bool IsUuid4(std::string_view text);
bool IsUuid5(std::string_view text);
bool IsBase64(std::string_view text);  // standard alphabet, padded, not empty
bool IsBsonObjectId(std::string_view text);
bool IsIsbn10(std::string_view text);
bool IsIsbn13(std::string_view text);
bool IsCreditCard(std::string_view text);
bool IsSsn(std::string_view text);
bool IsHexColor(std::string_view text);
bool IsRgbColor(std::string_view text);

}  // namespace hearth::schema::internal
