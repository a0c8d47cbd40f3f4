#pragma once

#include <sys/types.h>

#include <functional>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::bench {

// What a participant does: says numbers over its line and hears when to go on.
class Line {
 public:
  explicit Line(UniqueFd end) : end_(std::move(end)) {}
  void Say(double number) const;
  // kUnavailable when the other side is gone.
  Result<double> Hear() const;
  void Go() const { Say(0); }
  void AwaitGo() const { static_cast<void>(Hear()); }
  int fd() const { return end_.get(); }

 private:
  UniqueFd end_;
};

// A process that does something beside us and then stays until it is killed, at the latest when
// this goes. Forked: start it while no other threads run.
class Participant {
 public:
  static Result<Participant> Start(const std::function<Status(const Line&)>& act);
  ~Participant();
  Participant(Participant&&) noexcept;
  Participant& operator=(Participant&&) = delete;

  const Line& line() const { return line_; }
  pid_t pid() const { return pid_; }
  void Kill() const;

 private:
  Participant(pid_t pid, UniqueFd end) : pid_(pid), line_(std::move(end)) {}
  pid_t pid_;
  Line line_;
};

// Seconds of a clock that all processes share.
double Now();

}  // namespace hearth::bench
