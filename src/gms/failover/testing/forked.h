#pragma once

#include <sys/types.h>

#include <functional>

#include "base/unique_fd.h"

namespace hearth::gms {

// A second process that runs a function, and a line to it. Made by fork(): make it while this
// process has one thread. A function that waits does so with Hear, so that it ends with the test.
class Forked {
 public:
  // The other end of the line, in the child.
  class Line {
   public:
    explicit Line(UniqueFd fd) : fd_(std::move(fd)) {}
    void Say(char word);
    // The next word; blocks. 0 when the other side is gone.
    char Hear();

   private:
    UniqueFd fd_;
  };

  explicit Forked(const std::function<void(Line&)>& work);
  ~Forked() { Kill(); }  // and everything it forked itself
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  void Say(char word) { line_.Say(word); }
  char Hear() { return line_.Hear(); }
  // SIGKILL to this process alone, and reaped.
  void KillOnlyIt();
  void Kill();
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  Line line_;
};

}  // namespace hearth::gms
