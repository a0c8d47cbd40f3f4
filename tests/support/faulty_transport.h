#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/client/transport.h"

namespace hearth {

// Passes requests on to a real transport, counts them, and misbehaves on demand in the ways a
// server or a network does. Thread-safe.
class FaultyTransport : public kube::Transport {
 public:
  explicit FaultyTransport(kube::Transport& real);
  ~FaultyTransport() override;

  // Each of the next `count` requests for which `which` holds (all when empty) gets `answer` and
  // does not reach the server.
  using Which = std::function<bool(const http::Request&)>;
  void AnswerNext(int count, http::Response answer, Which which = {});
  // The same with bytes that need not be an answer at all, over a connection of their own.
  void AnswerNextWithBytes(int count, std::string bytes, Which which = {});
  // Ends every watch under way with an ERROR event: 410, the version is gone.
  void ExpireWatches();
  // Watches deliver nothing while on; what came meanwhile is delivered when it is switched off.
  // `target` chooses those whose request has it.
  void HoldWatches(bool hold, const std::string& target = "");

  // Requests that really went to the server, as "PATCH /api/v1/...".
  std::vector<std::string> Sent() const;
  int CountSent(const std::string& method) const;
  // Of these, those that the server answered 403: to who may not, or over a quota.
  std::vector<std::string> Forbidden() const;
  void ForgetSent();
  int open_streams() const;

  Result<http::Response> Send(http::Request request, const WaitLimit& limit) override;
  std::unique_ptr<http::Stream> Start(http::Request request, http::StreamHandler& handler,
                                      const http::StreamOptions& options) override;
  net::EventLoop& loop() override { return real_.loop(); }

 private:
  class FaultyStream;
  struct Liar;  // a server that says the same to everybody, and a client of it
  struct Plan {
    http::Response answer;
    Liar* liar = nullptr;  // answers instead when there is one
  };
  void PlanNext(int count, Plan plan, Which which);
  std::optional<Plan> Planned(const http::Request& request);
  bool Holding(const std::string& target) const;
  void OnWatches(const std::function<void(FaultyStream&)>& what);

  kube::Transport& real_;
  std::unique_ptr<kube::Transport> local_;  // answers streams with plan_.answer
  mutable std::mutex mutex_;
  int planned_count_ = 0;
  Plan plan_;
  std::vector<std::unique_ptr<Liar>> liars_;
  Which planned_which_;
  bool hold_ = false;
  std::string hold_target_;
  std::vector<std::string> sent_;
  std::vector<std::string> forbidden_;
  std::set<FaultyStream*> streams_;
};

}  // namespace hearth
