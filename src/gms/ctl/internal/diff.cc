#include <fmt/format.h>

#include <map>
#include <ostream>
#include <set>

#include "base/strings.h"
#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/saved_weights.h"
#include "gms/storage/compare.h"

namespace hearth::gms::ctl {
namespace {

using storage::AllocationChange;
using storage::Artifact;
using storage::ArtifactDiff;
using storage::Change;

// Two artifacts of one device; either may be missing.
struct Pair {
  int64_t device = 0;
  const Artifact* a = nullptr;
  const Artifact* b = nullptr;
};

// By number; two single devices are meant to be compared whatever their numbers.
std::vector<Pair> Match(const std::vector<SavedDevice>& a, const std::vector<SavedDevice>& b) {
  if (a.size() == 1 && b.size() == 1) {
    return {{a[0].device, &(*a[0].reader)->artifact(), &(*b[0].reader)->artifact()}};
  }
  std::map<int64_t, Pair> pairs;
  for (const SavedDevice& saved : a) {
    pairs[saved.device].a = &(*saved.reader)->artifact();
  }
  for (const SavedDevice& saved : b) {
    pairs[saved.device].b = &(*saved.reader)->artifact();
  }
  std::vector<Pair> list;
  for (auto& [device, pair] : pairs) {
    pair.device = device;
    list.push_back(pair);
  }
  return list;
}

// The names of what lies in an allocation, or its id when nothing has a name.
std::string NamesIn(const Artifact& artifact, const std::string& allocation_id) {
  std::vector<std::string> names;
  for (const storage::StoredMetadata& item : artifact.metadata) {
    if (item.allocation_id == allocation_id) {
      names.push_back(item.key);
    }
  }
  return names.empty() ? allocation_id : Join(names, ", ");
}

std::string NameOf(const Pair& pair, const AllocationChange& change) {
  return change.change == Change::kOnlyInB ? NamesIn(*pair.b, change.id_b)
                                           : NamesIn(*pair.a, change.id_a);
}

std::string TableOf(const Pair& pair, const ArtifactDiff& diff) {
  TextTable table({{"WHAT"}, {"NAME"}, {"CHANGE"}, {"CHUNKS", TextTable::Align::kRight}});
  for (const AllocationChange& change : diff.allocations) {
    table.Add({fmt::format("allocation {}", change.rank), NameOf(pair, change),
               std::string(storage::ChangeName(change.change)),
               change.chunks.empty() ? "" : std::to_string(change.chunks.size())});
  }
  for (const storage::MetadataChange& change : diff.metadata) {
    table.Add({"metadata", change.key, std::string(storage::ChangeName(change.change)), ""});
  }
  return table.Text();
}

Value JsonOf(const Pair& pair, const ArtifactDiff& diff) {
  Value allocations = Value::Array();
  for (const AllocationChange& change : diff.allocations) {
    Value chunks = Value::Array();
    for (const uint64_t chunk : change.chunks) {
      chunks.Append(chunk);
    }
    allocations.Append(Value::Object({{"rank", uint64_t{change.rank}},
                                      {"name", NameOf(pair, change)},
                                      {"change", storage::ChangeName(change.change)},
                                      {"chunks", std::move(chunks)}}));
  }
  Value metadata = Value::Array();
  for (const storage::MetadataChange& change : diff.metadata) {
    metadata.Append(
        Value::Object({{"key", change.key}, {"change", storage::ChangeName(change.change)}}));
  }
  return Value::Object({{"device", pair.device},
                        {"same", diff.same()},
                        {"same_layout", diff.same_layout},
                        {"allocations", std::move(allocations)},
                        {"metadata", std::move(metadata)}});
}

class Diff : public SavedCommand {
 public:
  Diff() : SavedCommand("diff", "they differ, or nobody can say because one has no digests") {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.AddPositional({.name = "a",
                         .help = "Directory of a checkpoint or of one of its devices",
                         .target = &a_,
                         .value_name = "file",
                         .required = true});
    table.AddPositional(
        {.name = "b", .help = "Another", .target = &b_, .value_name = "file", .required = true});
    table.AddNotes(
        "Contents are compared by their digests; shards are not read. Allocations are compared in\n"
        "their order, because servers name them anew.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const auto a, OpenWhole(a_));
    ASSIGN_OR_RETURN(const auto b, OpenWhole(b_));
    bool same = true;
    Value devices = Value::Array();
    for (const Pair& pair : Match(a, b)) {
      same = Compare(terminal, pair, devices) && same;
    }
    if (json()) {
      Print(terminal,
            Value::Object({{"a", a_}, {"b", b_}, {"same", same}, {"devices", std::move(devices)}}));
    }
    return same ? kExitOk : kExitNo;
  }

 private:
  // Whether they are the same.
  bool Compare(Terminal& terminal, const Pair& pair, Value& devices) const {
    if (pair.a == nullptr || pair.b == nullptr) {
      const Change change = pair.a == nullptr ? Change::kOnlyInB : Change::kOnlyInA;
      devices.Append(Value::Object(
          {{"device", pair.device}, {"same", false}, {"change", storage::ChangeName(change)}}));
      if (!json()) {
        terminal.out << fmt::format("device {}: {}\n", pair.device, storage::ChangeName(change));
      }
      return false;
    }
    const ArtifactDiff diff = storage::Compare(*pair.a, *pair.b);
    devices.Append(JsonOf(pair, diff));
    if (!json()) {
      terminal.out << fmt::format("device {}: {}\n", pair.device,
                                  diff.same()        ? "the same"
                                  : diff.same_layout ? "the same layout, other contents"
                                                     : "another layout")
                   << (diff.same() ? "" : TableOf(pair, diff));
    }
    return diff.same();
  }

  std::string a_;
  std::string b_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeDiff() { return std::make_unique<Diff>(); }

}  // namespace hearth::gms::ctl
