#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hearth::json::internal {

// The member names of the objects that are open at one moment, to find a name that stands twice in
// one object. Keeps its memory from object to object. Borrows the names.
class NameSet {
 public:
  // One object's names; ends with the object. Scopes nest.
  class Scope {
   public:
    explicit Scope(NameSet& set) : set_(set), base_(set.entries_.size()) {}
    ~Scope() { set_.entries_.resize(base_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    // False when the name is certainly there already. In an object with many members that is only
    // found out by Duplicate().
    bool Add(std::string_view name);
    // After the last member: a name that was added twice, its later place.
    std::optional<std::string_view> Duplicate();

   private:
    size_t size() const { return set_.entries_.size() - base_; }
    bool Contains(uint64_t print, std::string_view name) const;

    NameSet& set_;
    size_t base_;
    uint64_t seen_ = 0;  // one bit for each of 64 classes of names
  };

  void Clear() { entries_.clear(); }

 private:
  struct Entry {
    uint64_t print;  // a fingerprint: different prints, different names
    std::string_view name;
  };
  std::vector<Entry> entries_;
};

}  // namespace hearth::json::internal
