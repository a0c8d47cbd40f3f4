#include "json/prune.h"

#include <vector>

#include "base/hash.h"
#include "json/internal/escape.h"
#include "json/internal/number.h"
#include "json/internal/prune_plan.h"
#include "json/internal/reader.h"

namespace hearth::json {
namespace {

using internal::Extract;
using internal::NameSet;
using internal::PlanNode;
using internal::Reader;

bool IsContainer(char c) { return c == '{' || c == '['; }

// A piece of a text that may move.
struct Span {
  size_t begin = 0;
  size_t end = 0;

  std::string_view Of(std::string_view text) const { return text.substr(begin, end - begin); }
};

// What has been written of the object or array at hand.
struct Written {
  bool any = false;
  bool counted = false;
};

}  // namespace

// Functions that read take and return places as Reader's do.
struct Pruner::Impl {
  Impl(const FieldSet& keep, const ParseLimits& limits) : plan(keep), reader(limits) {}

  void Reset();
  const char* Run(std::string_view text);
  const char* Descend(const char* p, const PlanNode& node, int depth);
  const char* ReadObject(const char* p, const PlanNode& node, int depth);
  const char* ReadArray(const char* p, const PlanNode& node, int depth);
  const char* ReadMember(const char* p, const PlanNode& node, const Reader::Name& name, int depth,
                         Written& written);
  const char* ReadItem(const char* p, const PlanNode& node, int depth, Written& written);
  const char* WriteMember(const char* p, const PlanNode& node, const Reader::Name& name, int depth);
  const char* WriteItem(const char* p, const PlanNode& node, int depth);
  const char* Copy(const char* p, int depth);

  // Around what is written for one member or element: its comma, and whether it counts.
  size_t Begin(const PlanNode& node, Written& written);
  void End(const PlanNode& node, size_t begin);

  void Take(Extract extract, std::string_view token);
  Span KeepText(std::string_view token);
  uint64_t Hash();
  Output MakeOutput();

  internal::PrunePlan plan;
  Reader reader;
  std::vector<Span>
      silent;            // of the output: what does not count; in order and apart from each other
  std::string counted;   // the output without them
  std::string extracts;  // what the spans below are of
  Span name;
  Span name_space;
  Span uid;
  Span resource_version;
  int64_t generation = 0;
  bool deleting = false;
};

void Pruner::Impl::Reset() {
  silent.clear();
  extracts.clear();
  name = name_space = uid = resource_version = {};
  generation = 0;
  deleting = false;
}

const char* Pruner::Impl::Run(std::string_view text) {
  Reset();
  Written written;
  const char* p = reader.Start(text);
  p = p == nullptr ? nullptr : ReadItem(p, plan.root(), 0, written);
  return p == nullptr ? nullptr : reader.Finish(p);
}

size_t Pruner::Impl::Begin(const PlanNode& node, Written& written) {
  std::string& out = reader.out();
  const size_t begin = out.size();
  if (written.any) {
    out += ',';
    // A comma between silent members and the first that counts goes with the silent ones.
    if (!node.silent && !written.counted) {
      silent.back().end = out.size();
    }
  }
  written.any = true;
  written.counted |= !node.silent;
  return begin;
}

void Pruner::Impl::End(const PlanNode& node, size_t begin) {
  if (node.silent) {
    silent.push_back({begin, reader.out().size()});
  }
}

// The rest of a value whose copying has begun.
const char* Pruner::Impl::Copy(const char* p, int depth) {
  p = reader.CheckValue(p, depth);
  if (p != nullptr) {
    reader.EndCopy(p);
  }
  return p;
}

const char* Pruner::Impl::Descend(const char* p, const PlanNode& node, int depth) {
  switch (reader.At(p)) {
    case '{':
      return ReadObject(p, node, depth);
    case '[':
      return ReadArray(p, node, depth);
    default:
      reader.BeginCopy(p);
      return Copy(p, depth);
  }
}

const char* Pruner::Impl::ReadObject(const char* p, const PlanNode& node, int depth) {
  reader.out() += node.emit ? "{" : "";
  NameSet::Scope names(reader.names());
  Written written;
  p = reader.ReadObject(p, depth, [&](const char* value, const Reader::Name& member_name) {
    const PlanNode& member = node.Member(member_name.text);
    const bool fine = !member.emit || reader.AddName(names, member_name.text);
    return fine ? ReadMember(value, member, member_name, depth + 1, written) : nullptr;
  });
  reader.out() += node.emit ? "}" : "";
  return p != nullptr && reader.CheckNames(names) ? p : nullptr;
}

const char* Pruner::Impl::ReadArray(const char* p, const PlanNode& node, int depth) {
  reader.out() += node.emit ? "[" : "";
  Written written;
  p = reader.ReadArray(p, depth, [&](const char* item) {
    return ReadItem(item, node.Element(), depth + 1, written);
  });
  reader.out() += node.emit ? "]" : "";
  return p;
}

const char* Pruner::Impl::ReadMember(const char* p, const PlanNode& node, const Reader::Name& name,
                                     int depth, Written& written) {
  const bool container = IsContainer(reader.At(p));
  const char* behind = nullptr;
  if (node.emit && (container || !node.shell)) {
    const size_t begin = Begin(node, written);
    behind = WriteMember(p, node, name, depth);
    End(node, begin);
  } else if (node.action == PlanNode::Action::kDescend && container) {
    behind = Descend(p, node, depth);
  } else {
    behind = reader.SkipValue(p);
  }
  if (behind != nullptr && node.extract != Extract::kNone) {
    Take(node.extract, {p, static_cast<size_t>(behind - p)});
  }
  return behind;
}

const char* Pruner::Impl::WriteMember(const char* p, const PlanNode& node, const Reader::Name& name,
                                      int depth) {
  if (node.action == PlanNode::Action::kDescend) {
    reader.out().append(name.token) += ':';
    return Descend(p, node, depth);
  }
  reader.BeginCopy(name, p);
  return Copy(p, depth);
}

const char* Pruner::Impl::ReadItem(const char* p, const PlanNode& node, int depth,
                                   Written& written) {
  if (!node.emit) {
    return reader.SkipValue(p);
  }
  const size_t begin = Begin(node, written);
  p = WriteItem(p, node, depth);
  End(node, begin);
  return p;
}

const char* Pruner::Impl::WriteItem(const char* p, const PlanNode& node, int depth) {
  if (node.shell && !IsContainer(reader.At(p))) {
    reader.out() += "null";  // holds the place, so that the others keep their index
    return reader.SkipValue(p);
  }
  if (node.action == PlanNode::Action::kDescend) {
    return Descend(p, node, depth);
  }
  reader.BeginCopy(p);
  return Copy(p, depth);
}

Span Pruner::Impl::KeepText(std::string_view token) {
  const size_t begin = extracts.size();
  if (token.starts_with('"')) {
    internal::AppendUnescaped(extracts, token.substr(1, token.size() - 2));
  }
  return {begin, extracts.size()};
}

void Pruner::Impl::Take(Extract extract, std::string_view token) {
  switch (extract) {
    case Extract::kNone:
      return;
    case Extract::kName:
      name = KeepText(token);
      return;
    case Extract::kNamespace:
      name_space = KeepText(token);
      return;
    case Extract::kUid:
      uid = KeepText(token);
      return;
    case Extract::kResourceVersion:
      resource_version = KeepText(token);
      return;
    case Extract::kGeneration:
      generation = internal::TokenToInt(token).value_or(0);
      return;
    case Extract::kDeletion:
      deleting = token != "null";
      return;
  }
}

uint64_t Pruner::Impl::Hash() {
  const std::string_view out = reader.out();
  if (silent.empty()) {
    return HashBytes(out);
  }
  counted.clear();
  size_t from = 0;
  for (const Span& span : silent) {
    counted.append(out, from, span.begin - from);
    from = span.end;
  }
  counted.append(out, from);
  return HashBytes(counted);
}

Pruner::Output Pruner::Impl::MakeOutput() {
  return {.json = reader.out(),
          .hash = Hash(),
          .name = name.Of(extracts),
          .name_space = name_space.Of(extracts),
          .uid = uid.Of(extracts),
          .resource_version = resource_version.Of(extracts),
          .generation = generation,
          .deleting = deleting};
}

Pruner::Pruner(const FieldSet& keep, ParseLimits limits)
    : impl_(std::make_unique<Impl>(keep, limits)) {}
Pruner::~Pruner() = default;
Pruner::Pruner(Pruner&&) noexcept = default;

Result<Pruner::Output> Pruner::Prune(std::string_view text, size_t /*capacity*/) {
  if (impl_->Run(text) == nullptr) {
    return impl_->reader.status();
  }
  return impl_->MakeOutput();
}

}  // namespace hearth::json
