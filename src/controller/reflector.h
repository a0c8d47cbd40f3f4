#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/status.h"
#include "kube/model/request.h"
#include "kube/model/watch_decoder.h"

namespace hearth::controller {

// Decides how a cache follows a collection: list, watch, resume, relist. A pure state machine:
// inputs in, actions out, no IO and no clock of its own, so that every order of events can be tried
// in a test. The informer carries the actions out.
class Reflector {
 public:
  struct Options {
    bool watch_list = false;  // stream the first filling where the server can
    int64_t page_size = 500;
    Duration min_watch = std::chrono::minutes(
        5);  // the server ends a watch after a random time between min and twice that
    BackoffPolicy backoff;  // 800 ms to 30 s
    Duration healthy_after =
        std::chrono::minutes(2);  // a watch this long forgets the failures before it
    Duration shortest_watch =
        std::chrono::seconds(1);  // one that ends sooner, with nothing in it, counts as a failure
  };

  // What happened.
  struct Begin {};
  struct Item {};  // one list item was stored
  struct ListEnd {
    std::string resource_version;  // a list without one cannot be followed and counts as failed
    std::string continue_token;
  };
  struct ListFailed {
    Status status;
  };
  struct Event {
    kube::WatchEventType type;          // not kError
    std::string_view resource_version;  // of the object; never empty
    bool initial_events_end = false;    // the bookmark that ends the first filling
  };
  struct WatchEnd {
    Status status;  // ok: the server ended it. An ERROR event's status comes here too
  };
  struct TimerFired {};
  struct RelistWanted {};  // somebody does not trust the cache; a full state that begins after this
                           // follows
  using Input =
      std::variant<Begin, Item, ListEnd, ListFailed, Event, WatchEnd, TimerFired, RelistWanted>;

  // What to do, in this order.
  struct BeginReplace {
    // The state that follows is the server's newest and replaces ours even where its versions are
    // lower (a restored backup).
    bool authoritative = false;
  };  // a full state follows, item by item
  struct EndReplace {
    std::string resource_version;  // what was not among the items is gone
  };
  struct StartList {
    kube::ListOptions options;
  };
  struct StartWatch {
    kube::WatchOptions options;
  };
  struct Upsert {};  // store the object of this input
  struct Remove {};  // remove it
  struct Advance {
    std::string resource_version;  // the cache is true up to here
  };
  struct StopStream {};
  struct Wait {
    Duration delay;  // then TimerFired
  };
  struct Report {
    Status status;  // worth a log line and a metric
    bool relist;
  };
  using Action = std::variant<BeginReplace, EndReplace, StartList, StartWatch, Upsert, Remove,
                              Advance, StopStream, Wait, Report>;

  Reflector(Options options, Random random);

  std::vector<Action> Step(const Input& input, SteadyTime now);

  bool synced() const { return synced_; }  // a full state was reached once
  const std::string& resource_version() const { return resource_version_; }

  enum class State { kIdle, kListing, kStreamingList, kWatching, kWaiting };
  State state() const { return state_; }

 private:
  using Actions = std::vector<Action>;
  Actions On(const Begin&);
  Actions On(const Item&);
  Actions On(const ListEnd&);
  Actions On(const ListFailed&);
  Actions On(const Event&);
  Actions On(const WatchEnd&);
  Actions On(const TimerFired&);
  Actions On(const RelistWanted&);

  Actions StartFilling();
  Actions StartListing();
  Actions StartWatching();
  Actions NextPage();
  Actions FillingDone(const std::string& resource_version);
  Actions FillingFailed(const Status& status);
  Actions WatchFailed(const Status& status);
  Actions Relist(const Status& status);
  Actions WaitThen(bool list, const Status& status);
  std::string FillingVersion() const;
  int64_t WatchSeconds();

  Options options_;
  Random random_;
  Backoff backoff_;
  State state_ = State::kIdle;
  SteadyTime now_;
  bool synced_ = false;
  std::string resource_version_;  // true up to here; empty before the first sync
  bool authoritative_ =
      false;  // our version is of no use: ask for the newest state, whatever it costs
  bool relist_again_ = false;  // wanted while a full state was being read: once more, behind it
  bool paging_ = true;         // off after a token expired
  std::string continue_token_;
  bool use_watch_list_;
  bool after_wait_list_ = false;
  SteadyTime watch_started_;
  bool watch_had_events_ = false;
};

}  // namespace hearth::controller
