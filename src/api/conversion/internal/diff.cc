// What turns one tree into another.
#include <algorithm>

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

// Without those that are seen at once to be the same.
std::vector<Member> DifferentMembers(const Tree& from, const Tree& to) {
  const MemberIndex in_from(from);
  const MemberIndex in_to(to);
  std::vector<Member> members;
  for (size_t i = 0; i < to.size(); ++i) {
    Member member{to.name(i), in_from.Find(to.name(i), i), to.at(i)};
    if (!Tree::Same(member.from, member.to)) {
      members.push_back(std::move(member));
    }
  }
  for (size_t i = 0; i < from.size(); ++i) {
    if (!in_to.Find(from.name(i), i).Exists()) {
      members.push_back({from.name(i), from.at(i), Tree()});
    }
  }
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.name < b.name; });
  return members;
}

class Differ {
 public:
  Differ() { edits_.reserve(64); }

  void Compare(const Tree& from, const Tree& to) {
    if (from.IsObject() && to.IsObject()) {
      CompareMembers(from, to);
    } else if (from.IsArray() && to.IsArray()) {
      CompareLists(from, to);
    } else if (!(from == to)) {
      Replace(from, to);
    }
  }

  std::vector<Edit> Take() { return std::move(edits_); }

 private:
  template <typename Action>
  void Within(std::string step, Action action) {
    at_.push_back(std::move(step));
    action();
    at_.pop_back();
  }

  void Add(const Tree& value) { edits_.push_back({.at = at_, .value = value}); }

  void Replace(const Tree& from, const Tree& to) {
    edits_.push_back({.kind = Edit::Kind::kReplace, .at = at_, .value = to, .was = Digest(from)});
  }

  void Remove(const Tree& from) {
    edits_.push_back({.kind = Edit::Kind::kRemove, .at = at_, .was = Digest(from)});
  }

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
    for (const Member& member : DifferentMembers(from, to)) {
      // Most of what differs is new but equal: not worth a path.
      if (!(member.from == member.to)) {
        Within(std::string(member.name), [&] { CompareChild(member.from, member.to); });
      }
    }
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
        Within(Step(key, name), [&] { Remove(item); });
      }
    }
    for (size_t i = 0; i < to.size(); ++i) {
      const Tree item = to.at(i);
      wanted.push_back(item.Find(key).text());
      const auto place = FindItem(from, key, wanted.back());
      if (!place.has_value()) {
        order.push_back(wanted.back());
      }
      Within(Step(key, wanted.back()),
             [&] { CompareChild(place.has_value() ? from.at(*place) : Tree(), item); });
    }
    if (order != wanted) {
      edits_.push_back({.kind = Edit::Kind::kOrder,
                        .at = at_,
                        .key = std::string(key),
                        .order = {wanted.begin(), wanted.end()}});
    }
  }

  Steps at_;
  std::vector<Edit> edits_;
};

}  // namespace

std::vector<Edit> Diff(const Tree& from, const Tree& to) {
  Differ differ;
  differ.Compare(from, to);
  return differ.Take();
}

}  // namespace hearth::api::conversion::internal
