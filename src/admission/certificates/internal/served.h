#pragma once

#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "net/tls.h"

namespace hearth::admission::certificates::internal {

// What is being served and until when it is valid, for whoever asks whether we are ready.
// Thread-safe.
class Served {
 public:
  explicit Served(Clock& clock) : clock_(clock) {}

  bool Is(const net::TlsMaterial& material) const;
  bool any() const;
  void Set(const net::TlsMaterial& material);
  // Why nothing is served yet, or why it is not believed yet; empty: it is.
  void SetTrouble(std::string trouble);
  Status Ready() const;

 private:
  struct State {
    net::TlsMaterial material;
    WallTime not_after;
    std::string trouble = "there is no certificate yet";
  };
  Clock& clock_;
  Guarded<State> state_;
};

}  // namespace hearth::admission::certificates::internal
