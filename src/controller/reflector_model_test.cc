// Runs the reflector and the store against a model of the API server with random faults, and checks
// after every step that the cache is exactly the server's state at the version it claims, and at
// the end that nothing was missed.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "base/random.h"
#include "controller/object_store.h"
#include "controller/reflector.h"
#include "controller/testing/pruned.h"
#include "kube/model/resource_version.h"

namespace hearth::controller {
namespace {

struct Item {
  int uid;
  uint64_t version;
  int value;
  friend bool operator==(const Item&, const Item&) = default;
};
using State = std::map<std::string, Item>;

struct Entry {
  kube::WatchEventType type;
  std::string name;
  Item item;
};

// A collection with its history. Version 1 is the empty collection.
class ModelServer {
 public:
  explicit ModelServer(Random& random) : random_(random) { history_.emplace_back(1, State{}); }

  void Change() {
    const std::string name(1, static_cast<char>('a' + random_.Below(6)));
    const uint64_t version = ++version_;
    const auto found = state_.find(name);
    if (found == state_.end()) {
      state_[name] = {++last_uid_, version, 0};
      log_.push_back({kube::WatchEventType::kAdded, name, state_[name]});
    } else if (random_.Below(3) == 0) {
      Item gone = found->second;
      gone.version = version;
      state_.erase(found);
      log_.push_back({kube::WatchEventType::kDeleted, name, gone});
    } else {
      found->second.version = version;
      ++found->second.value;
      log_.push_back({kube::WatchEventType::kModified, name, found->second});
    }
    history_.emplace_back(version, state_);
  }

  // Somebody changed another kind of object: the version moves, nothing of ours does.
  void ChangeElsewhere() { history_.emplace_back(++version_, state_); }
  void Compact() { oldest_ = version_; }

  uint64_t version() const { return version_; }
  uint64_t oldest() const { return oldest_; }
  const State& state() const { return state_; }
  const std::vector<Entry>& log() const { return log_; }
  const State& At(uint64_t version) const { return history_.at(version - 1).second; }

 private:
  Random& random_;
  State state_;
  uint64_t version_ = 1;
  uint64_t oldest_ = 1;
  int last_uid_ = 0;
  std::vector<Entry> log_;
  std::vector<std::pair<uint64_t, State>> history_;
};

class Model {
 public:
  Model(uint64_t seed, bool watch_list)
      : random_(seed), server_(random_), reflector_(Options(watch_list), Random(seed + 1)) {
    Step(Reflector::Begin{});
  }

  void Chaos() {
    switch (random_.Below(12)) {
      case 0:
      case 1:
      case 2:
        return server_.Change();
      case 3:
        return server_.ChangeElsewhere();
      case 4:
        return random_.Below(8) == 0 ? server_.Compact() : Progress();
      case 5:
        return random_.Below(6) == 0 ? Cut() : Progress();
      case 6:
        now_ += std::chrono::milliseconds(random_.Below(3000));
        return;
      case 7:
        return random_.Below(30) == 0 ? Step(Reflector::RelistWanted{}) : Progress();
      default:
        return Progress();
    }
  }

  void Settle() {
    for (int i = 0; i < 10'000 && !UpToDate(); ++i) {
      Progress();
    }
    ASSERT_TRUE(UpToDate());
    EXPECT_EQ(Cached(), server_.state());
    EXPECT_EQ(seen_, server_.state()) << "the changes told do not add up to the state";
  }

  void Check() {
    if (reflector_.state() == Reflector::State::kWatching && store_.resource_version() > 0) {
      ASSERT_EQ(Cached(), server_.At(store_.resource_version()))
          << "at version " << store_.resource_version();
    }
  }

 private:
  static Reflector::Options Options(bool watch_list) {
    Reflector::Options options;
    options.watch_list = watch_list;
    options.page_size = 2;
    return options;
  }

  // What the "network" is doing.
  struct Listing {
    State state;  // as of `version`
    uint64_t version;
    std::string last;  // last name delivered
    int64_t left;      // in this page
  };
  struct Watching {
    size_t next;                   // in the log
    std::optional<State> initial;  // still to be sent
    uint64_t initial_version = 0;
  };

  void Step(const Reflector::Input& input) {
    for (const auto& action : reflector_.Step(input, now_)) {
      std::visit([this](const auto& what) { Do(what); }, action);
    }
  }

  void Do(const Reflector::BeginReplace& begin) { store_.BeginReplace(begin.authoritative); }
  void Do(const Reflector::EndReplace& end) {
    store_.EndReplace(*kube::ParseResourceVersion(end.resource_version), Tell());
  }
  void Do(const Reflector::Upsert&) { store_.Upsert(current_, Tell()); }
  void Do(const Reflector::Remove&) {
    store_.Remove(current_->name_space(), current_->name(), current_, Tell());
  }
  void Do(const Reflector::Advance& advance) {
    store_.AdvanceTo(*kube::ParseResourceVersion(advance.resource_version));
  }
  void Do(const Reflector::Wait&) { timer_ = true; }
  void Do(const Reflector::Report&) {}
  void Do(const Reflector::StopStream&) {
    listing_.reset();
    watching_.reset();
  }

  void Do(const Reflector::StartList& start) {
    const auto& options = start.options;
    if (!options.continue_token.empty()) {
      if (!paged_ || paged_->version < server_.oldest()) {
        failure_ = Status(Code::kGone, "Expired", "continue token expired");
        return;
      }
      listing_ = paged_;
      listing_->left = options.limit;
      return;
    }
    const uint64_t version = ServedVersion(options.resource_version);
    listing_ =
        Listing{server_.At(version), version, "", options.limit == 0 ? 1'000 : options.limit};
  }

  void Do(const Reflector::StartWatch& start) {
    const auto& options = start.options;
    if (options.send_initial_events) {
      const uint64_t version = ServedVersion(options.resource_version);
      watching_ = Watching{LogAfter(version), server_.At(version), version};
      return;
    }
    const uint64_t version = *kube::ParseResourceVersion(options.resource_version);
    if (version < server_.oldest()) {
      failure_ = Status(Code::kGone, "Expired", "too old resource version");
      return;
    }
    watching_ = Watching{LogAfter(version), std::nullopt};
  }

  // "" the newest; "0" anything; N anything not older: a lagging replica answers.
  uint64_t ServedVersion(const std::string& asked) {
    if (asked.empty()) {
      return server_.version();
    }
    const uint64_t least = asked == "0"
                               ? server_.oldest()
                               : std::max(server_.oldest(), *kube::ParseResourceVersion(asked));
    return least + random_.Below(server_.version() - least + 1);
  }

  size_t LogAfter(uint64_t version) const {
    size_t next = 0;
    while (next < server_.log().size() && server_.log()[next].item.version <= version) {
      ++next;
    }
    return next;
  }

  void Progress() {
    if (failure_) {
      const Status failure = *std::exchange(failure_, std::nullopt);
      return reflector_.state() == Reflector::State::kListing ? Step(Reflector::ListFailed{failure})
                                                              : Step(Reflector::WatchEnd{failure});
    }
    if (timer_) {
      timer_ = false;
      return Step(Reflector::TimerFired{});
    }
    if (listing_) {
      return ProgressList();
    }
    if (watching_) {
      ProgressWatch();
    }
  }

  void ProgressList() {
    const auto next = listing_->state.upper_bound(listing_->last);
    if (next == listing_->state.end() || listing_->left == 0) {
      const bool more = next != listing_->state.end();
      paged_ = std::exchange(listing_, std::nullopt);
      return Step(Reflector::ListEnd{std::to_string(paged_->version), more ? "token" : ""});
    }
    --listing_->left;
    listing_->last = next->first;
    Load(next->first, next->second);
    Step(Reflector::Item{});
  }

  void ProgressWatch() {
    Watching& watch = *watching_;
    if (watch.initial && !watch.initial->empty()) {
      const auto first = watch.initial->begin();
      Load(first->first, first->second);
      const std::string version = std::to_string(first->second.version);
      watch.initial->erase(first);
      return Step(Reflector::Event{kube::WatchEventType::kAdded, version});
    }
    if (watch.initial) {
      watch.initial.reset();
      return Step(Reflector::Event{kube::WatchEventType::kBookmark,
                                   std::to_string(watch.initial_version), true});
    }
    if (watch.next < server_.log().size()) {
      const Entry& entry = server_.log()[watch.next++];
      Load(entry.name, entry.item);
      return Step(Reflector::Event{entry.type, std::to_string(entry.item.version)});
    }
    Step(Reflector::Event{kube::WatchEventType::kBookmark, std::to_string(server_.version())});
  }

  void Cut() {
    if (listing_) {
      listing_.reset();
      Step(Reflector::ListFailed{UnavailableError("cut")});
    } else if (watching_) {
      watching_.reset();
      Step(Reflector::WatchEnd{random_.Below(2) == 0 ? Status() : DataLossError("cut")});
    }
  }

  void Load(const std::string& name, const Item& item) {
    current_ = MakeCached(ObjectText(name, std::to_string(item.uid), item.version, item.value));
  }

  static Item Parse(const CachedObject& object) {
    return {std::stoi(object.uid()), object.resource_version(),
            static_cast<int>(*object.view()["spec"]["v"].Int())};
  }

  State Cached() const {
    State state;
    for (const ObjectPtr& object : store_.List()) {
      state.emplace(object->name(), Parse(*object));
    }
    return state;
  }

  ObjectStore::OnChange Tell() {
    return [this](const Change& change) {
      const std::string name(change.object().name());
      if (change.type == Change::Type::kAdded) {
        EXPECT_FALSE(seen_.count(name)) << "added twice: " << name;
      } else {
        ASSERT_TRUE(seen_.count(name)) << "changed before it was added: " << name;
        EXPECT_EQ(seen_[name].uid, Parse(*change.before).uid) << "another object of the same name";
      }
      if (change.after) {
        seen_[name] = Parse(*change.after);
      } else {
        seen_.erase(name);
      }
    };
  }

  bool UpToDate() const {
    return reflector_.state() == Reflector::State::kWatching &&
           store_.resource_version() >= server_.version() && !timer_ && !failure_;
  }

  Random random_;
  SteadyTime now_{std::chrono::hours(1)};
  ModelServer server_;
  Reflector reflector_;
  ObjectStore store_;
  ObjectPtr current_;
  State seen_;
  std::optional<Listing> listing_, paged_;
  std::optional<Watching> watching_;
  std::optional<Status> failure_;
  bool timer_ = false;
};

class ReflectorModel : public testing::TestWithParam<bool> {};

TEST_P(ReflectorModel, CacheIsAlwaysTrueAtItsVersionAndMissesNothing) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Model model(seed * 2 + 1, GetParam());
    for (int step = 0; step < 300; ++step) {
      model.Chaos();
      ASSERT_NO_FATAL_FAILURE(model.Check()) << "step " << step;
    }
    ASSERT_NO_FATAL_FAILURE(model.Settle());
  }
}

INSTANTIATE_TEST_SUITE_P(Filling, ReflectorModel, testing::Values(false, true),
                         [](const auto& info) { return info.param ? "Streamed" : "Listed"; });

}  // namespace
}  // namespace hearth::controller
