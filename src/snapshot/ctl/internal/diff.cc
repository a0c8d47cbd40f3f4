#include <fmt/format.h>

#include <ostream>

#include "snapshot/ctl/internal/artifact_diff.h"
#include "snapshot/ctl/internal/artifact_images.h"
#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/storage_command.h"

namespace hearth::snapshot::ctl {
namespace {

class Diff : public StorageCommand {
 public:
  Diff() : StorageCommand("diff", "they differ, or one has no digests to compare") {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.AddPositional(
        {.name = "a", .help = "ID, ID/VERSION or a directory", .target = &a_, .required = true});
    table.AddPositional({.name = "b", .help = "Another", .target = &b_, .required = true});
    table.AddNotes(
        "Contents are compared by their digests; large files are not read. When and where an\n"
        "artifact was captured is no difference.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const Artifact a, Open(terminal.files, a_));
    ASSIGN_OR_RETURN(const Artifact b, Open(terminal.files, b_));
    ASSIGN_OR_RETURN(const images::Captured in_a, ReadImages(a));
    ASSIGN_OR_RETURN(const images::Captured in_b, ReadImages(b));
    const std::vector<Difference> differences =
        Compare({a.manifest(), a.contents(), in_a}, {b.manifest(), b.contents(), in_b});
    const bool digests = a.sealed() && b.sealed();
    if (json()) {
      PrintJson(terminal, differences, digests);
    } else {
      PrintText(terminal, differences, digests);
    }
    return differences.empty() && digests ? kExitOk : kExitNo;
  }

 private:
  void PrintText(Terminal& terminal, const std::vector<Difference>& differences,
                 bool digests) const {
    if (!digests) {
      terminal.out << "One of them has no digests: contents cannot be compared.\n";
    }
    if (differences.empty()) {
      terminal.out << (digests ? "They are the same.\n" : "Everything else is the same.\n");
      return;
    }
    TextTable table({{""}, {"PART"}, {"NAME"}, {a_}, {b_}});
    for (const Difference& one : differences) {
      table.Add({one.a.empty()   ? "+"
                 : one.b.empty() ? "-"
                                 : "~",
                 std::string(one.part), one.name, one.a, one.b});
    }
    terminal.out << table.Text()
                 << fmt::format("{} difference{}\n", differences.size(),
                                differences.size() == 1 ? "" : "s");
  }

  void PrintJson(Terminal& terminal, const std::vector<Difference>& differences,
                 bool digests) const {
    Value list = Value::Array();
    for (const Difference& one : differences) {
      list.Append(Value::Object({{"part", one.part},
                                 {"name", one.name},
                                 {"a", one.a.empty() ? Value() : Value(one.a)},
                                 {"b", one.b.empty() ? Value() : Value(one.b)}}));
    }
    Print(terminal, Value::Object({{"a", a_},
                                   {"b", b_},
                                   {"same", differences.empty() && digests},
                                   {"digests", digests},
                                   {"differences", std::move(list)}}));
  }

  std::string a_;
  std::string b_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeDiff() { return std::make_unique<Diff>(); }

}  // namespace hearth::snapshot::ctl
