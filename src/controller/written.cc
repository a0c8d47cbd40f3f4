#include "controller/written.h"

#include <algorithm>
#include <future>
#include <list>
#include <set>
#include <utility>

namespace hearth::controller {
namespace {

// One write that one informer has yet to show.
struct Need {
  Informer* informer;
  Write write;
  bool relist_asked = false;
  bool waived = false;  // a list that began after the write is complete

  bool Met() const {
    if (waived) {
      return true;
    }
    const ObjectStore& store = informer->store();
    if (!write.gone) {
      return store.resource_version() >= write.resource_version;
    }
    const ObjectPtr cached = store.Get(write.key.name_space, write.key.name);
    return !cached || cached->uid() != write.uid;
  }
};

struct Hold {
  uint64_t id = 0;
  SteadyTime since;
  std::vector<Need> needs;
  std::function<void()> release;

  bool Met() const {
    return std::all_of(needs.begin(), needs.end(), [](const Need& need) { return need.Met(); });
  }
};

// Whether the informer will ever show this write: the object is in its scope, or was until now.
bool Follows(const Informer& informer, const Write& write) {
  if (informer.type().group != write.type.group || informer.type().name != write.type.name) {
    return false;
  }
  if (informer.store().Get(write.key.name_space, write.key.name)) {
    return true;
  }
  return !write.gone && informer.InScope(write.object.view()).value_or(false);
}

}  // namespace

struct WrittenGate::Impl : std::enable_shared_from_this<WrittenGate::Impl> {
  Impl(Clock& real_clock, Logger log, Duration patience)
      : clock(real_clock), logger(std::move(log)), relist_after(patience) {}

  std::vector<Need> NeedsOf(const std::vector<Write>& writes) const {
    std::vector<Need> needs;
    for (const Write& write : writes) {
      for (Informer* informer : informers) {
        if (Follows(*informer, write)) {
          needs.push_back({informer, write});
        }
      }
    }
    return needs;
  }

  void ReleaseMet() {
    std::list<Hold> met;
    {
      const std::lock_guard lock(mutex);
      for (auto hold = holds.begin(); hold != holds.end();) {
        const auto next = std::next(hold);
        if (hold->Met()) {
          met.splice(met.end(), holds, hold);
        }
        hold = next;
      }
      if (holds.empty()) {
        timer.reset();
      }
    }
    for (const Hold& hold : met) {
      hold.release();
    }
  }

  void ArmTimer(net::EventLoop& loop) {
    if (!timer) {
      timer = loop.After(relist_after, [weak = weak_from_this(), &loop] {
        if (const auto self = weak.lock()) {
          self->OnTimer(loop);
        }
      });
    }
  }

  // Informers that some write has waited for too long, and is not yet being read again for. One
  // reading serves everything that is held now.
  std::set<Informer*> TakeLate() {
    std::set<Informer*> late;
    for (const Hold& hold : holds) {
      for (const Need& need : hold.needs) {
        if (!need.relist_asked && clock.Now() - hold.since >= relist_after && !need.Met()) {
          late.insert(need.informer);
        }
      }
    }
    for (Hold& hold : holds) {
      for (Need& need : hold.needs) {
        need.relist_asked = need.relist_asked || late.contains(need.informer);
      }
    }
    return late;
  }

  // Some informer is late. It may have lost an event, or the write is of a kind it never shows: ask
  // the server.
  void OnTimer(net::EventLoop& loop) {
    std::set<Informer*> late;
    uint64_t latest = 0;
    {
      const std::lock_guard lock(mutex);
      timer.reset();
      late = TakeLate();
      latest = next_id;
      if (!holds.empty()) {
        ArmTimer(loop);
      }
    }
    for (Informer* informer : late) {
      logger.Warning("the cache does not show what was written, reading it again",
                     {{"resource", informer->type().ToString()}});
      informer->RequestRelist([weak = weak_from_this(), informer, latest] {
        if (const auto self = weak.lock()) {
          self->Waive(informer, latest);
        }
      });
    }
  }

  // The informer has read everything anew since the write that was held as number `latest`.
  void Waive(const Informer* informer, uint64_t latest) {
    {
      const std::lock_guard lock(mutex);
      for (Hold& hold : holds) {
        for (Need& need : hold.needs) {
          need.waived = need.waived || (hold.id <= latest && need.informer == informer);
        }
      }
    }
    ReleaseMet();
  }

  Clock& clock;
  Logger logger;
  const Duration relist_after;
  std::vector<Informer*> informers;

  mutable std::mutex mutex;
  std::list<Hold> holds;
  uint64_t next_id = 0;
  std::unique_ptr<net::EventLoop::Timer> timer;
};

WrittenGate::WrittenGate(Clock& clock, Logger logger, Duration relist_after)
    : impl_(std::make_shared<Impl>(clock, std::move(logger), relist_after)) {}

// The timer's work uses the informers. Once the timer is gone it may still be running, on the loop:
// done when something posted behind it is.
WrittenGate::~WrittenGate() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->holds.clear();
    impl_->timer.reset();
  }
  if (impl_->informers.empty()) {
    return;
  }
  // Shared, so that a loop that has ended and drops the work does not leave us here.
  auto behind = std::make_shared<std::promise<void>>();
  const std::future<void> done = behind->get_future();
  impl_->informers.front()->loop().Post([behind = std::move(behind)] { behind->set_value(); });
  done.wait();
}

void WrittenGate::Watch(Informer& informer) {
  impl_->informers.push_back(&informer);
  informer.OnProgress([weak = std::weak_ptr(impl_)] {
    if (const auto self = weak.lock()) {
      self->ReleaseMet();
    }
  });
}

void WrittenGate::HoldUntilSeen(const std::vector<Write>& writes, std::function<void()> release) {
  Hold hold;
  hold.needs = impl_->NeedsOf(writes);
  {
    const std::lock_guard lock(impl_->mutex);
    // Asked under the lock: progress made after this is seen by ReleaseMet, which finds the hold in
    // the list.
    if (!hold.Met()) {
      net::EventLoop& loop = hold.needs.front().informer->loop();
      hold.id = ++impl_->next_id;
      hold.since = impl_->clock.Now();
      hold.release = std::move(release);
      impl_->holds.push_back(std::move(hold));
      impl_->ArmTimer(loop);
      return;
    }
  }
  release();
}

size_t WrittenGate::held() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->holds.size();
}

}  // namespace hearth::controller
