#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace hearth::http {

// What the bodies of all requests of a server may hold in memory together. Thread-safe.
class BodyBudget : public std::enable_shared_from_this<BodyBudget> {
 public:
  // So much of each body is free: there are only so many connections, and small requests are to be
  // answered whatever large ones do.
  static constexpr uint64_t kFreeBytes = 64 << 10;

  explicit BodyBudget(uint64_t most) : most_(most) {}

  // What one body takes; given back when it goes, on whatever thread. Keeps the budget alive. Used
  // by one thread at a time.
  class Share {
   public:
    explicit Share(std::shared_ptr<BodyBudget> budget) : budget_(std::move(budget)) {}
    ~Share() { budget_->taken_ -= taken_; }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // For a body that becomes so much longer. False: there is not so much left, and nothing is
    // taken.
    bool Grow(uint64_t bytes);
    uint64_t taken() const { return taken_; }

   private:
    const std::shared_ptr<BodyBudget> budget_;
    uint64_t length_ = 0;
    uint64_t taken_ = 0;
  };
  std::shared_ptr<Share> NewShare() { return std::make_shared<Share>(shared_from_this()); }

  uint64_t taken() const { return taken_; }

 private:
  bool Take(uint64_t bytes);

  const uint64_t most_;
  std::atomic<uint64_t> taken_ = 0;
};

}  // namespace hearth::http
