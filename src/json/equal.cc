#include "json/equal.h"

#include <forward_list>
#include <iterator>
#include <optional>
#include <string>

#include "base/hash.h"
#include "json/internal/decimal.h"
#include "json/internal/entries.h"
#include "json/quantity.h"

namespace hearth::json {
namespace {

using internal::Entries;
using internal::Entry;

// Null, [], and an object with nothing but such members.
bool IsEmpty(View view) {
  switch (view.kind()) {
    case Kind::kAbsent:
    case Kind::kNull:
      return true;
    case Kind::kArray:
      return view.items().begin() == std::default_sentinel;
    case Kind::kObject:
      for (const Member& member : view.members()) {
        if (!IsEmpty(member.value)) {
          return false;
        }
      }
      return true;
    default:
      return false;
  }
}

bool SameString(View a, View b) {
  const std::optional<std::string_view> plain = a.PlainString();
  return plain ? b.Equals(*plain) : b.Equals(a.StringOr(""));
}

uint64_t HashString(View string, uint64_t seed) {
  const std::optional<std::string_view> plain = string.PlainString();
  return HashBytes(plain ? *plain : string.StringOr(""), seed);
}

std::optional<Quantity> ParseQuantity(std::string_view text) {
  const Result<Quantity> quantity = Quantity::Parse(text);
  return quantity.ok() ? std::optional<Quantity>(*quantity) : std::nullopt;
}

std::optional<Quantity> AsQuantity(View view) {
  if (view.IsNumber()) {
    return ParseQuantity(view.raw());
  }
  if (const std::optional<std::string_view> plain = view.PlainString()) {
    return ParseQuantity(*plain);
  }
  return view.IsString() ? ParseQuantity(view.StringOr("")) : std::nullopt;
}

uint64_t Mix(uint64_t hash) {
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdULL;
  hash ^= hash >> 33;
  hash *= 0xc4ceb9fe1a85ec53ULL;
  return hash ^ (hash >> 33);
}

uint64_t Seed(Kind kind) { return static_cast<uint64_t>(kind) + 1; }

// One walk over one or two values under one Sameness.
class Walk {
 public:
  explicit Walk(const Sameness& sameness) : sameness_(sameness) {}

  bool Equal(View a, View b);
  bool Covers(View actual, View wanted);
  uint64_t Hash(View value);

 private:
  // What an entry's name adds to the path: a member's does, an element's key does not.
  enum class Names { kInPath, kNotInPath };

  bool Absent(View view) const {
    return sameness_.empty_is_absent ? IsEmpty(view) : !view.exists();
  }
  bool AtQuantity() const { return sameness_.is_quantity && sameness_.is_quantity(path_); }

  bool EqualPresent(View a, View b);
  bool EqualScalars(View a, View b) const;
  bool EqualEntries(const Entries& a, const Entries& b, Names names);
  bool EqualItems(View a, View b);
  bool CoversEntries(const Entries& actual, const Entries& wanted, Names names);
  bool CoversItems(View actual, View wanted);
  uint64_t HashScalar(View value);
  uint64_t HashEntries(const Entries& entries, Names names);
  uint64_t HashItems(View array);

  // Members by name, without what counts as absent.
  void AddMembers(View object, Entries& entries);
  // Elements by key; false when the array here has no key, an element lacks it or it repeats: then
  // position counts.
  bool AddKeyed(View array, Entries& entries);
  // Text that is the same exactly for equal scalars; empty for what cannot be a key.
  std::string_view KeyText(View view);
  std::string_view NumberText(View number);
  std::string_view Keep(std::string text) { return kept_.emplace_front(std::move(text)); }

  template <typename Visit>
  auto Below(const Entry& entry, Names names, Visit visit) {
    if (names == Names::kNotInPath) {
      return visit();
    }
    path_.push_back(entry.name);
    auto result = visit();
    path_.pop_back();
    return result;
  }

  const Sameness& sameness_;
  std::vector<std::string_view> path_;
  internal::EntryStack stack_;
  std::forward_list<std::string> kept_;  // names and keys that do not stand in the text as they are
};

void Walk::AddMembers(View object, Entries& entries) {
  for (const Member& member : object.members()) {
    const bool plain = member.raw_name.find('\\') == std::string_view::npos;
    entries.Add(plain ? member.raw_name : Keep(member.Name()), member.value);
  }
  entries.SortAndDropRepeated();
  entries.EraseIf([&](const Entry& entry) { return Absent(entry.value); });
}

std::string_view Walk::NumberText(View number) {
  constexpr size_t kShort = 18;  // written without an exponent by Decimal, too
  const std::string_view token = number.raw();
  const bool canonical =
      token.size() <= kShort && token != "-0" && token.find_first_of(".eE") == token.npos;
  return canonical ? token : Keep(internal::Decimal::Parse(token).ToToken());
}

std::string_view Walk::KeyText(View view) {
  switch (view.kind()) {
    case Kind::kString:
      return view.PlainString() ? view.raw() : Keep("\"" + view.StringOr("") + "\"");
    case Kind::kNumber:
      return NumberText(view);
    case Kind::kBool:
      return view.raw();
    default:
      return {};
  }
}

bool Walk::AddKeyed(View array, Entries& entries) {
  const std::string_view key = sameness_.list_key ? sameness_.list_key(path_) : std::string_view();
  if (key.empty()) {
    return false;
  }
  for (const View item : array.items()) {
    const std::string_view name = KeyText(item[key]);
    if (name.empty()) {
      return false;
    }
    entries.Add(name, item);
  }
  return entries.SortUnique();
}

bool Walk::Equal(View a, View b) {
  if (a.raw() == b.raw()) {
    return true;
  }
  if (Absent(a) || Absent(b)) {
    return Absent(a) && Absent(b);
  }
  return EqualPresent(a, b);
}

bool Walk::EqualPresent(View a, View b) {
  if (a.raw() == b.raw()) {
    return true;
  }
  if (a.IsObject() && b.IsObject()) {
    Entries left(stack_);
    AddMembers(a, left);
    Entries right(stack_);
    AddMembers(b, right);
    return EqualEntries(left, right, Names::kInPath);
  }
  return a.IsArray() && b.IsArray() ? EqualItems(a, b) : EqualScalars(a, b);
}

bool Walk::EqualScalars(View a, View b) const {
  if (AtQuantity()) {
    const std::optional<Quantity> left = AsQuantity(a);
    const std::optional<Quantity> right = AsQuantity(b);
    if (left && right) {
      return *left == *right;
    }
  }
  if (a.kind() != b.kind()) {
    return false;
  }
  switch (a.kind()) {
    case Kind::kNumber:
      return internal::SameNumber(a.raw(), b.raw());
    case Kind::kString:
      return SameString(a, b);
    default:
      return a.raw() == b.raw();
  }
}

bool Walk::EqualEntries(const Entries& a, const Entries& b, Names names) {
  if (a.size() != b.size()) {
    return false;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    const Entry x = a[i];
    const Entry y = b[i];
    const auto visit = [&] { return EqualPresent(x.value, y.value); };
    if (x.name != y.name || !Below(x, names, visit)) {
      return false;
    }
  }
  return true;
}

bool Walk::EqualItems(View a, View b) {
  {
    Entries left(stack_);
    const bool left_keyed = AddKeyed(a, left);
    Entries right(stack_);
    const bool right_keyed = AddKeyed(b, right);
    if (left_keyed != right_keyed) {
      return false;  // equal elements would have given both or neither their keys
    }
    if (left_keyed) {
      return EqualEntries(left, right, Names::kNotInPath);
    }
  }
  auto x = a.items().begin();
  auto y = b.items().begin();
  for (; x != std::default_sentinel && y != std::default_sentinel; ++x, ++y) {
    if (!Equal(*x, *y)) {
      return false;
    }
  }
  return x == std::default_sentinel && y == std::default_sentinel;
}

bool Walk::Covers(View actual, View wanted) {
  if (actual.raw() == wanted.raw() || Absent(wanted)) {
    return true;
  }
  if (actual.IsObject() && wanted.IsObject()) {
    Entries have(stack_);
    AddMembers(actual, have);
    Entries want(stack_);
    AddMembers(wanted, want);
    return CoversEntries(have, want, Names::kInPath);
  }
  return actual.IsArray() && wanted.IsArray() ? CoversItems(actual, wanted)
                                              : EqualScalars(actual, wanted);
}

bool Walk::CoversEntries(const Entries& actual, const Entries& wanted, Names names) {
  size_t candidate = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Entry want = wanted[i];
    while (candidate < actual.size() && actual[candidate].name < want.name) {
      ++candidate;
    }
    if (candidate == actual.size()) {
      return false;
    }
    const Entry have = actual[candidate];
    const auto visit = [&] { return Covers(have.value, want.value); };
    if (have.name != want.name || !Below(want, names, visit)) {
      return false;
    }
  }
  return true;
}

bool Walk::CoversItems(View actual, View wanted) {
  {
    Entries have(stack_);
    const bool have_keyed = AddKeyed(actual, have);
    Entries want(stack_);
    if (have_keyed && AddKeyed(wanted, want)) {
      return CoversEntries(have, want, Names::kNotInPath);
    }
  }
  auto x = actual.items().begin();
  auto y = wanted.items().begin();
  for (; x != std::default_sentinel && y != std::default_sentinel; ++x, ++y) {
    if (!Covers(*x, *y)) {
      return false;
    }
  }
  return x == std::default_sentinel && y == std::default_sentinel;
}

uint64_t Walk::Hash(View value) {
  if (Absent(value)) {
    return Seed(Kind::kAbsent);
  }
  if (value.IsArray()) {
    return HashItems(value);
  }
  if (!value.IsObject()) {
    return HashScalar(value);
  }
  Entries entries(stack_);
  AddMembers(value, entries);
  return Mix(Seed(Kind::kObject) + HashEntries(entries, Names::kInPath));
}

uint64_t Walk::HashScalar(View value) {
  if (AtQuantity()) {
    if (const std::optional<Quantity> quantity = AsQuantity(value)) {
      return quantity->Hash();
    }
  }
  switch (value.kind()) {
    case Kind::kString:
      return HashString(value, Seed(Kind::kString));
    case Kind::kNumber:
      return HashBytes(NumberText(value), Seed(Kind::kNumber));
    default:
      return HashBytes(value.raw(), Seed(value.kind()));
  }
}

// A sum, so that the order does not count.
uint64_t Walk::HashEntries(const Entries& entries, Names names) {
  uint64_t sum = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry entry = entries[i];
    const uint64_t below = Below(entry, names, [&] { return Hash(entry.value); });
    sum += Mix(HashBytes(entry.name, below));
  }
  return sum;
}

uint64_t Walk::HashItems(View array) {
  {
    Entries keyed(stack_);
    if (AddKeyed(array, keyed)) {
      return Mix(Seed(Kind::kArray) + HashEntries(keyed, Names::kNotInPath));
    }
  }
  uint64_t hash = Seed(Kind::kArray);
  for (const View item : array.items()) {
    hash = Mix(hash * 31 + Hash(item));
  }
  return hash;
}

}  // namespace

bool Equal(View a, View b, const Sameness& sameness) { return Walk(sameness).Equal(a, b); }

uint64_t Hash(View value, const Sameness& sameness) { return Walk(sameness).Hash(value); }

bool Covers(View actual, View wanted, const Sameness& sameness) {
  return Walk(sameness).Covers(actual, wanted);
}

}  // namespace hearth::json
