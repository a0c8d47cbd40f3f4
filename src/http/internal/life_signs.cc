#include "http/internal/life_signs.h"

#include <algorithm>

namespace hearth::http {

void LifeSigns::Begin(Duration interval, SteadyTime now, bool proven) {
  interval_ = interval;
  since_ = now;
  asked_ = false;
  answers_ = proven ? kProven : answers_;
}

void LifeSigns::OnData(SteadyTime now) {
  // An answer that comes with it, or because of it, proves nothing.
  if (asked_ && answers_ < kProven) {
    answers_ = 0;
  }
  since_ = now;
  asked_ = false;
}

void LifeSigns::OnSign(SteadyTime now) {
  if (asked_) {
    answers_ = std::min(answers_ + 1, kProven);
  }
  since_ = now;
  asked_ = false;
}

SteadyTime LifeSigns::next() const {
  return on() ? TimeAfter(since_, interval_) : SteadyTime::max();
}

LifeSigns::Verdict LifeSigns::Check(SteadyTime now) {
  if (now < next()) {
    return Verdict::kWait;
  }
  const bool we_slept = now - next() > interval_ / 2;
  since_ = now;
  if (!asked_) {
    asked_ = true;
    return Verdict::kAsk;
  }
  if (we_slept) {
    return Verdict::kWait;  // the answer may lie in front of us, unread
  }
  if (proven()) {
    return Verdict::kDead;
  }
  GiveUp();
  return Verdict::kWait;
}

}  // namespace hearth::http
