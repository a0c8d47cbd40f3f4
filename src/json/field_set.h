#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/view.h"

namespace hearth::json {

// A set of places in an object, and what is below them. Written as paths:
//   spec.nodeName                        a member
//   spec.containers[].image              a member of every element
//   metadata.annotations['a.b/c']        a name with dots
// The path with more steps wins over the one with fewer, whichever was added first; of one path
// twice the later. Immutable once built; threads may share it.
class FieldSet {
 public:
  enum class Mark {
    kInner,    // only a step on the way to something marked; otherwise like the node above it
    kKept,     // kept with everything below, and a change of it counts as a change
    kSilent,   // kept with everything below, but a change of it does not count
    kDropped,  // left out with everything below
  };

  struct Node {
    Mark mark = Mark::kInner;
    // What becomes of members and elements that no child names: the same as of the node itself. The
    // root, when kInner, drops.
    std::vector<std::pair<std::string, std::unique_ptr<Node>>> members;  // sorted by name
    std::unique_ptr<Node> element;                                       // "[]"

    const Node* Member(std::string_view name) const;  // null when not named
  };

  FieldSet();  // empty: keeps nothing
  FieldSet(FieldSet&&) noexcept;
  FieldSet& operator=(FieldSet&&) noexcept;
  ~FieldSet();
  // Keeps everything.
  static FieldSet Everything();

  // kInvalid for a malformed path; the message says where. Also for kInner, which marks nothing.
  Status Add(std::string_view path, Mark mark);
  // From here on keeps what either of the two keeps, and a change counts that counts for either:
  // for readers who share one copy.
  void Include(const FieldSet& other);

  const Node& root() const { return *root_; }
  // What was added with this mark, as paths.
  std::vector<std::string> Paths(Mark mark) const;

 private:
  std::unique_ptr<Node> root_;
};

}  // namespace hearth::json
