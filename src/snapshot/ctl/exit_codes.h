#pragma once

// How snapshotctl ends, beside 0 (done, and the answer is yes).
namespace hearth::snapshot::ctl {

// It did not work, or the command line makes no sense.
inline constexpr int kExitFailed = 1;
// It worked, and the answer is no: damaged, different, not capturable, will not restore.
inline constexpr int kExitNo = 2;

}  // namespace hearth::snapshot::ctl
