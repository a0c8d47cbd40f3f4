// What turns one tree into another.
#include <algorithm>

#include "api/conversion/convert.h"
#include "api/conversion/internal/edit.h"
#include "api/conversion/internal/list_keys.h"
#include "api/conversion/internal/member_index.h"

namespace hearth::api::conversion::internal {
namespace {

bool ByItems(const Tree& from, const Tree& to) {
  return from.size() > 0 && to.size() > 0 && from.size() + to.size() <= kMaxMatchedItems;
}

std::string Step(std::string_view key, std::string_view name) {
  return std::string(key) + "=" + std::string(name);
}

struct Member {
  std::string_view name;
  Tree from;
  Tree to;
};

bool Before(const Member& a, const Member& b) { return a.name < b.name; }

// Adds those that differ, in the order of names; most of what is not one and the same is new but
// equal.
void AddDifferent(const Tree& from, const Tree& to, std::vector<Member>& members) {
  const MemberIndex in_from(from);
  const size_t begin = members.size();
  size_t found = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    const Member member{to.name(i), in_from.Find(to.name(i), i), to.at(i)};
    found += member.from.Exists() ? 1 : 0;
    if (!(member.from == member.to)) {
      members.push_back(member);
    }
  }
  if (found < from.size()) {
    const MemberIndex in_to(to);
    for (size_t i = 0; i < from.size(); ++i) {
      if (!in_to.Find(from.name(i), i).Exists()) {
        members.push_back({from.name(i), from.at(i), Tree()});
      }
    }
  }
  const auto first = members.begin() + static_cast<std::ptrdiff_t>(begin);
  if (!std::is_sorted(first, members.end(), Before)) {
    std::sort(first, members.end(), Before);
  }
}

// Each edit says its whole way, so a long name that many of them go through is in memory many times
// over. What fits into an annotation stays well below.
constexpr size_t kMostWayBytes = size_t{32} << 20;

class Differ {
 public:
  Differ() {
    edits_.reserve(64);
    members_.reserve(64);
    at_.reserve(16);
  }

  void Compare(const Tree& from, const Tree& to) {
    if (TooMuch()) {
      return;
    }
    if (from.IsObject() && to.IsObject()) {
      CompareMembers(from, to);
    } else if (from.IsArray() && to.IsArray()) {
      CompareLists(from, to);
    } else if (!(from == to)) {
      Replace(from, to);
    }
  }

  bool TooMuch() const { return way_bytes_ > kMostWayBytes; }
  std::vector<Edit> Take() { return std::move(edits_); }

 private:
  // A member, or an item of the list by its key. Most ways lead to nothing that differs: texts are
  // made for those only that do.
  struct StepView {
    std::string_view key;
    std::string_view name;

    size_t Bytes() const { return sizeof(std::string) + key.size() + name.size(); }
  };

  template <typename Action>
  void Within(const StepView& step, Action action) {
    at_.push_back(step);
    action();
    at_.pop_back();
  }

  // Adds an edit of this place, unless there is no room for it.
  void Push(Edit edit) {
    for (const StepView& step : at_) {
      way_bytes_ += step.Bytes();
    }
    if (TooMuch()) {
      return;
    }
    edit.at.reserve(at_.size());
    for (const StepView& step : at_) {
      edit.at.push_back(step.key.empty() ? std::string(step.name) : Step(step.key, step.name));
    }
    edits_.push_back(std::move(edit));
  }

  void Add(const Tree& value) { Push({.value = value}); }

  void Replace(const Tree& from, const Tree& to) {
    Push({.kind = Edit::Kind::kReplace, .value = to, .was = Digest(from)});
  }

  void Remove(const Tree& from) { Push({.kind = Edit::Kind::kRemove, .was = Digest(from)}); }

  void CompareChild(const Tree& from, const Tree& to) {
    if (!from.Exists()) {
      Add(to);
    } else if (!to.Exists()) {
      Remove(from);
    } else {
      Compare(from, to);
    }
  }

  // In the order of names, so that objects that are the same give the same edits.
  void CompareMembers(const Tree& from, const Tree& to) {
    const size_t begin = members_.size();
    AddDifferent(from, to, members_);
    const size_t end = members_.size();
    for (size_t i = begin; i < end; ++i) {
      const Member member = members_[i];  // the list grows below
      Within({.name = member.name}, [&] { CompareChild(member.from, member.to); });
    }
    members_.resize(begin);
  }

  void CompareLists(const Tree& from, const Tree& to) {
    if (from == to) {
      return;
    }
    const std::string_view key = ByItems(from, to) ? CommonKey(from, to) : std::string_view();
    if (key.empty()) {
      Replace(from, to);
    } else {
      CompareItems(from, to, key);
    }
  }

  void CompareItems(const Tree& from, const Tree& to, std::string_view key) {
    std::vector<std::string_view> order;  // what the edits lead to
    std::vector<std::string_view> wanted;
    for (size_t i = 0; i < from.size(); ++i) {
      const Tree item = from.at(i);
      const std::string_view name = item.Find(key).text();
      if (FindItem(to, key, name).has_value()) {
        order.push_back(name);
      } else {
        Within({key, name}, [&] { Remove(item); });
      }
    }
    for (size_t i = 0; i < to.size(); ++i) {
      const Tree item = to.at(i);
      wanted.push_back(item.Find(key).text());
      const auto place = FindItem(from, key, wanted.back());
      if (!place.has_value()) {
        order.push_back(wanted.back());
      }
      Within({key, wanted.back()},
             [&] { CompareChild(place.has_value() ? from.at(*place) : Tree(), item); });
    }
    if (order != wanted) {
      Push({.kind = Edit::Kind::kOrder,
            .key = std::string(key),
            .order = {wanted.begin(), wanted.end()}});
    }
  }

  std::vector<StepView> at_;
  std::vector<Member> members_;  // of all objects on the way
  std::vector<Edit> edits_;
  size_t way_bytes_ = 0;  // of all edits
};

}  // namespace

Result<std::vector<Edit>> Diff(const Tree& from, const Tree& to) {
  Differ differ;
  differ.Compare(from, to);
  if (differ.TooMuch()) {
    return Status(
        Code::kInvalid, std::string(kTooMuchToKeepReason),
        "too many fields that the other version has no word for: to name all of them takes more "
        "than 32 MiB; leave some out, or shorten the names above them");
  }
  return differ.Take();
}

}  // namespace hearth::api::conversion::internal
