#pragma once

#include "base/clock.h"

namespace hearth::http {

// Decides when a server that has fallen silent is asked for a sign of life, and when one that gives
// none is taken for dead. Only who has shown, twice in a row, that it answers at once is ever taken
// for dead: another may hold its answer back until it has something to send, and is asked no more.
// One for each connection. Pure: told what happens and when, does nothing itself.
class LifeSigns {
 public:
  enum class Verdict { kWait, kAsk, kDead };

  // From here on a silence of `interval` is noticed; Duration::max(): none is. `proven`: the server
  // has shown on another connection that it answers.
  void Begin(Duration interval, SteadyTime now, bool proven = false);
  bool on() const { return interval_ != Duration::max() && !given_up_; }
  // Bytes of an answer have arrived.
  void OnData(SteadyTime now);
  // A sign of life has arrived, and nothing else with it.
  void OnSign(SteadyTime now);
  // It is known to answer.
  bool proven() const { return answers_ == kProven; }
  // A question is open, put to a server of which it is not known that it answers.
  bool tries() const { return asked_ && !proven(); }
  // It cannot be asked.
  void GiveUp() { given_up_ = true; }

  // When to Check; SteadyTime::max(): not at all.
  SteadyTime next() const;
  Verdict Check(SteadyTime now);

 private:
  static constexpr int kProven = 2;

  Duration interval_ = Duration::max();
  SteadyTime since_;  // of the silence, or of the question
  bool asked_ = false;
  int answers_ = 0;
  bool given_up_ = false;
};

}  // namespace hearth::http
