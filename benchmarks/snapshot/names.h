#pragma once

#include <string>

// What the figures of this suite are called: seconds unless they say otherwise.
namespace hearth::bench::figure {

// Who did it.
inline constexpr const char* kOurs = "ours";
inline constexpr const char* kBare = "bare CRIU";

// What was done to a subject; the subject's name goes in front.
inline constexpr const char* kUntilReleased = "captured, until it runs again";
inline constexpr const char* kDurable = "captured, durable";
inline constexpr const char* kWarm = "restored, warm";
inline constexpr const char* kCold = "restored, cold";
inline constexpr const char* kColdRate = "restored, cold, bytes a second";
inline constexpr const char* kDurableRate = "captured, durable, bytes a second";

inline constexpr const char* kFioRead = "fio read, bytes a second";
inline constexpr const char* kFioWrite = "fio write, room made first, bytes a second";

inline constexpr const char* kStoredBytes = "stored bytes";
inline constexpr const char* kFullBytes = "bytes that are not zero";
inline constexpr const char* kZeroTime = "captured, 57 % zero";
inline constexpr const char* kZeroShare = "captured, none zero, times the share that is not";

inline constexpr const char* kSmallFiles = "10,000 files saved";
inline constexpr const char* kSmallFilesTar = "10,000 files, tar";
inline constexpr const char* kLargeFileFio = "fio write beside it, bytes a second";
inline constexpr const char* kLargeFile = "large file saved, bytes a second";

inline constexpr const char* kFourRestores = "four restores at once";
inline constexpr const char* kOneRestore = "one restore of the same bytes";

inline constexpr const char* kEventToCriu = "event until CRIU starts, p99";
inline constexpr const char* kEventToCriuMedian = "event until CRIU starts, median";
inline constexpr const char* kAgentStart = "agent until its first request";
inline constexpr const char* kAgentMemory = "agent idle, resident bytes";

inline std::string Of(const std::string& subject, const char* what, const char* who) {
  return subject + ": " + what + ": " + who;
}

}  // namespace hearth::bench::figure
