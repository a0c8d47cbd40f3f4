#pragma once

// How gmsctl ends, beside 0 (done) and 2 (the command line makes no sense).
namespace hearth::gms::ctl {

// The answer is no: damaged, different, no such session.
inline constexpr int kExitNo = 1;
// There is no answer: no server, a refusal, a file that cannot be read.
inline constexpr int kExitFailed = 3;

}  // namespace hearth::gms::ctl
