#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"
#include "json/internal/name_set.h"
#include "json/internal/simd.h"
#include "json/parse.h"

namespace hearth::json::internal {

// Reads foreign JSON front to back, checks it and copies what is asked for as compact text. One
// grammar for Parse and Pruner. Reused for text after text; keeps its memory.
//
// Functions take the place where something begins and return the place behind it, or null at a
// fault, which status() then tells. The place is an argument and not a field because reading is one
// long chain of dependent steps: through memory each would be slower.
//
// Why not a parser that indexes the whole text first: much of a Kubernetes object is skipped, and
// skipping by counting brackets in 64-byte blocks is several times faster than writing an index and
// walking it.
class Reader {
 public:
  struct Name {
    std::string_view token;  // as written, quotes included
    std::string_view text;   // unescaped; valid as long as the text read from
  };

  explicit Reader(const ParseLimits& limits);

  // Takes a new text. Null: it is too large or not UTF-8, or there is no value.
  const char* Start(std::string_view text);
  // Behind the value; null when more than white space follows.
  const char* Finish(const char* p);
  Status status() const;

  // `depth` is the number of objects and arrays around the value.
  const char* CheckValue(const char* p, int depth);
  // The same, but objects and arrays are only checked for balance.
  const char* SkipValue(const char* p);

  // An object whose members' values are read by `visit(p, name)`, an array whose elements are read
  // by `visit(p)`.
  template <typename Visit>
  const char* ReadObject(const char* p, int depth, Visit visit);
  template <typename Visit>
  const char* ReadArray(const char* p, int depth, Visit visit);
  // Notes a name of the object at hand; false, a fault, when it stands there already.
  bool AddName(NameSet::Scope& names, std::string_view name) {
    return limits_.allow_duplicate_keys || names.Add(name) || FailDuplicate(name);
  }
  // After the last name.
  bool CheckNames(NameSet::Scope& names) {
    const auto duplicate = names.Duplicate();
    return !duplicate || FailDuplicate(*duplicate);
  }
  NameSet& names() { return names_; }

  char At(const char* p) const { return p == end_ ? '\0' : *p; }

  // What is read between Begin and End is appended to out() without white space. Copying may begin
  // with a name just read.
  void BeginCopy(const char* p) { run_ = p; }
  void BeginCopy(const Name& name, const char* p);
  void EndCopy(const char* p);
  // When all of it was compact already and out() is still empty: the source itself. Otherwise
  // out().
  std::string_view EndCopyInPlace(const char* p);
  std::string& out() { return out_; }

 private:
  struct Fault {
    const char* what = nullptr;
    const char* at = nullptr;
    std::string_view name;  // of a duplicate member
    Code code = Code::kInvalid;
  };

  std::nullptr_t Fail(const char* what, const char* at);
  std::nullptr_t FailLimit(const char* what, const char* at);
  bool FailDuplicate(std::string_view name);
  std::string Found(const char* at) const;

  const char* Open(const char* p, int depth);
  const char* ReadName(const char* p, Name& name);
  const char* CheckString(const char* p);
  const char* CheckEscapes(const char* stop);
  const char* CheckObject(const char* p, int depth);
  const char* CheckArray(const char* p, int depth);
  const char* CheckNumber(const char* p);
  const char* CheckWord(const char* p, std::string_view word);
  std::string_view Unescaped(std::string_view raw);

  const char* SkipSpace(const char* p) {
    return p != end_ && static_cast<unsigned char>(*p) <= ' ' ? SkipSpaceSlowly(p) : p;
  }
  const char* SkipSpaceSlowly(const char* p);

  const ParseLimits limits_;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  const char* run_ =
      nullptr;  // begin of what is to be copied and is not yet; null when not copying
  Fault fault_;
  NameSet names_;
  std::string unescaped_;  // names; never grows while names point into it
  std::string out_;
};

// At the opening quote.
inline const char* Reader::CheckString(const char* p) {
  const char* stop = FindStringStop(p + 1, end_);
  return At(stop) == '"' ? stop + 1 : CheckEscapes(stop);
}

// Past the name and its colon to the value.
inline const char* Reader::ReadName(const char* p, Name& name) {
  if (At(p) != '"') {
    return Fail("expected a member name", p);
  }
  const char* stop = FindStringStop(p + 1, end_);
  const bool plain = At(stop) == '"';
  const char* behind = plain ? stop + 1 : CheckEscapes(stop);
  if (behind == nullptr) {
    return nullptr;
  }
  name.token = {p, static_cast<size_t>(behind - p)};
  name.text = name.token.substr(1, name.token.size() - 2);
  if (!plain) {
    name.text = Unescaped(name.text);
  }
  behind = SkipSpace(behind);
  return At(behind) == ':' ? SkipSpace(behind + 1)
                           : Fail("expected ':' after a member name", behind);
}

inline const char* Reader::Open(const char* p, int depth) {
  return depth < limits_.max_depth ? SkipSpace(p + 1) : FailLimit("nested deeper than allowed", p);
}

template <typename Visit>
const char* Reader::ReadObject(const char* p, int depth, Visit visit) {
  p = Open(p, depth);
  if (p == nullptr || At(p) == '}') {
    return p == nullptr ? nullptr : p + 1;
  }
  for (Name name;;) {
    p = ReadName(p, name);
    p = p == nullptr ? nullptr : visit(p, name);
    if (p == nullptr) {
      return nullptr;
    }
    p = SkipSpace(p);
    if (At(p) != ',') {
      return At(p) == '}' ? p + 1 : Fail("expected ',' or '}'", p);
    }
    p = SkipSpace(p + 1);
  }
}

template <typename Visit>
const char* Reader::ReadArray(const char* p, int depth, Visit visit) {
  p = Open(p, depth);
  if (p == nullptr || At(p) == ']') {
    return p == nullptr ? nullptr : p + 1;
  }
  for (;;) {
    p = visit(p);
    if (p == nullptr) {
      return nullptr;
    }
    p = SkipSpace(p);
    if (At(p) != ',') {
      return At(p) == ']' ? p + 1 : Fail("expected ',' or ']'", p);
    }
    p = SkipSpace(p + 1);
  }
}

}  // namespace hearth::json::internal
