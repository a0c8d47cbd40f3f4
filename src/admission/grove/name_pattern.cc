#include "admission/grove/name_pattern.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/seeded_hash.h"

namespace hearth::admission::grove {
namespace {

constexpr size_t kMaxSteps = 2'000'000;
constexpr size_t kMaxIndexDigits = 10;  // of a 32-bit number

// Whether an index can look like this.
bool IsNumber(std::string_view token) {
  return !token.empty() && token.size() <= kMaxIndexDigits &&
         (token == "0" || token.front() != '0') &&
         std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What of a pattern can make a difference to others of the same shape: its numbers and indices.
struct Shape {
  std::string text;                       // the tokens, with numbers as indices
  std::string places;                     // a character for each of those: kIndex, or '0'
  std::vector<std::string_view> numbers;  // as they stand; kIndex for an index
};

Shape ShapeOf(const NamePattern& pattern) {
  Shape shape;
  std::string_view rest = pattern.text();
  shape.text.reserve(rest.size() + 1);
  for (bool more = true; more;) {
    const size_t dash = rest.find('-');
    const std::string_view token = rest.substr(0, dash);
    const bool index = token == NamePattern::kIndex;
    const bool number = index || IsNumber(token);
    if (number) {
      shape.places += index ? '*' : '0';
      shape.numbers.push_back(token);
    }
    shape.text.append(number ? NamePattern::kIndex : token).append("-");
    more = dash != std::string_view::npos;
    rest.remove_prefix(more ? dash + 1 : 0);
  }
  return shape;
}

struct Entry {
  size_t pattern;
  std::vector<std::string_view> numbers;
};
// Patterns of one shape, by where their indices are.
using Classes = std::map<std::string, std::vector<Entry>>;

class Search {
 public:
  explicit Search(const std::vector<const NamePattern*>& patterns)
      : taken_(patterns.size(), false) {
    std::map<std::string, Classes> shapes;  // in order: what is past the most steps is never told
    for (size_t i = 0; i < patterns.size(); ++i) {
      Shape shape = ShapeOf(*patterns[i]);
      shapes[shape.text][shape.places].push_back({i, std::move(shape.numbers)});
    }
    for (const auto& [text, classes] : shapes) {
      CompareAll(classes);
    }
    std::sort(pairs_.begin(), pairs_.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
  }

  std::vector<std::pair<size_t, size_t>> Take() { return std::move(pairs_); }

 private:
  void CompareAll(const Classes& classes) {
    for (auto a = classes.begin(); a != classes.end(); ++a) {
      Compare(*a, *a);
      for (auto b = std::next(a); b != classes.end(); ++b) {
        Compare(*a, *b);
      }
    }
  }

  // An index of one side takes whatever number the other side has there, so only places that are
  // numbers on both sides must agree.
  static std::string Key(const Entry& entry, const std::string& a, const std::string& b) {
    std::string key;
    for (size_t i = 0; i < entry.numbers.size(); ++i) {
      if (a[i] == '0' && b[i] == '0') {
        key += entry.numbers[i];
        key += '-';
      }
    }
    return key;
  }

  void Compare(const Classes::value_type& a, const Classes::value_type& b) {
    steps_ += a.second.size() + b.second.size();
    if (steps_ > kMaxSteps || (&a == &b && a.second.size() == 1)) {
      return;
    }
    SeededMap<std::string, size_t> first;
    first.reserve(a.second.size());
    for (const Entry& entry : a.second) {
      const auto& found = *first.emplace(Key(entry, a.first, b.first), entry.pattern).first;
      if (&a == &b) {
        Meet(found.second, entry.pattern);
      }
    }
    if (&a == &b) {
      return;
    }
    for (const Entry& entry : b.second) {
      const auto found = first.find(Key(entry, a.first, b.first));
      if (found != first.end()) {
        Meet(found->second, entry.pattern);
      }
    }
  }

  void Meet(size_t a, size_t b) {
    const auto [earlier, later] = std::minmax(a, b);
    if (earlier != later && !taken_[later]) {
      taken_[later] = true;
      pairs_.emplace_back(earlier, later);
    }
  }

  std::vector<bool> taken_;
  std::vector<std::pair<size_t, size_t>> pairs_;
  size_t steps_ = 0;
};

}  // namespace

NamePattern& NamePattern::Add(std::string_view part) {
  text_.append("-").append(part);
  return *this;
}

NamePattern& NamePattern::AddIndex() {
  CHECK(indices_ < kMaxIndices) << text_;
  index_at_[indices_++] = text_.size() + 1;
  return Add(kIndex);
}

template <typename Index>
std::string NamePattern::Fill(const Index& index) const {
  std::string name;
  size_t done = 0;
  for (size_t i = 0; i < indices_; ++i) {
    name.append(text_, done, index_at_[i] - done).append(index(i));
    done = index_at_[i] + kIndex.size();
  }
  return name.append(text_, done);
}

std::string NamePattern::At(const std::array<int64_t, kMaxIndices>& values) const {
  return Fill([&](size_t i) { return std::to_string(values[i]); });
}

std::string NamePattern::ToString() const {
  return Fill([](size_t) { return "<index>"; });
}

std::vector<std::pair<size_t, size_t>> FindOverlaps(
    const std::vector<const NamePattern*>& patterns) {
  return Search(patterns).Take();
}

}  // namespace hearth::admission::grove
