#pragma once

#include "figures.h"

// What the figures of this suite are called. Rates are bytes a second, the rest seconds or as said.
namespace hearth::bench::figure {

inline constexpr const char* kFioRead = "fio read";
inline constexpr const char* kFioWrite = "fio write, room made first";
inline constexpr const char* kFioPlainWrite = "fio write";
inline constexpr const char* kFioCpu = "fio CPU s/GiB";
inline constexpr const char* kClearHugeCpu = "clearing huge pages and fio CPU s/GiB";
inline constexpr const char* kCpCpu = "cp CPU s/GiB";
inline constexpr const char* kLoadHuge = "load, huge pages";
inline constexpr const char* kLoadSmall = "load, 4 KiB pages";
inline constexpr const char* kLoadHugeCpu = "load CPU s/GiB, huge pages";
inline constexpr const char* kLoadSmallCpu = "load CPU s/GiB, 4 KiB pages";
inline constexpr const char* kUnverifiedHuge = "load without digests, huge pages";
inline constexpr const char* kUnverifiedSmall = "load without digests, 4 KiB pages";
inline constexpr const char* kLoadOne = "load of one allocation";
inline constexpr const char* kLoadMany = "load of 3,435 allocations";
inline constexpr const char* kWarmHuge = "warm load, huge pages";
inline constexpr const char* kWarmSmall = "warm load, 4 KiB pages";
inline constexpr const char* kMemcpy = "memcpy, two threads";
inline constexpr const char* kFreshCopyHuge = "copy into fresh huge pages, two threads";
inline constexpr const char* kFreshCopySmall = "copy into fresh 4 KiB pages, two threads";
inline constexpr const char* kSave = "save";
inline constexpr const char* kSaveAgain = "save over another";
inline constexpr const char* kTailP99 = "many loads, p99";
inline constexpr const char* kTailP50 = "many loads, p50";
inline constexpr const char* kCallP50 = "call p50";
inline constexpr const char* kCallP99 = "call p99";
inline constexpr const char* kExportP50 = "export p50";
inline constexpr const char* kBareCallP50 = "bare call p50";
inline constexpr const char* kBareCallP99 = "bare call p99";
inline constexpr const char* kMakingCallP50 = "bare call that makes memory, p50";
inline constexpr const char* kAttach = "attach";
inline constexpr const char* kBareAttach = "bare attach";
inline constexpr const char* kStart = "start";
inline constexpr const char* kIdleBytes = "idle bytes";
inline constexpr const char* kLockP50 = "lock p50";
inline constexpr const char* kLockWorst = "lock, slowest";
inline constexpr const char* kBareLockP50 = "bare lock p50";
inline constexpr const char* kFailover = "failover";
inline constexpr const char* kFailoverProbes = "failover probes";
inline constexpr const char* kWriterGone = "writer gone";
inline constexpr const char* kBareHangUp = "bare hang-up and free";
inline constexpr const char* kManyReaders = "32 readers";
inline constexpr const char* kOneReader = "32 readers of one, on these CPUs";
inline constexpr const char* kSleepWake = "sleep and wake";
inline constexpr const char* kBareRemap = "bare unmap and map";
inline constexpr const char* kBareAttachAgain = "bare unmap, receive and map";

}  // namespace hearth::bench::figure
