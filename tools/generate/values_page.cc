#include "values_page.h"

#include <fmt/format.h>

#include <vector>

#include "base/strings.h"
#include "field_text.h"
#include "json/yaml_positions.h"

namespace hearth::generate {
namespace {

using json::Value;
using json::YamlPlace;

constexpr const char* kPath = "docs/reference/helm-values.md";
constexpr const char* kHead =
    "<!-- Made by tools/generate from deploy/helm/hearth/values.yaml; change that instead. "
    "-->\n\n# Values of the chart\n\nHow to install it is in [the guide](../guides/install.md). "
    "`values.schema.json` refuses what is not listed.\n\n"
    "| Value | Default | What it is |\n|---|---|---|\n";

class Rows {
 public:
  explicit Rows(std::string_view text) : lines_(Split(text, '\n')) {}

  Status Add(const Value& map, const YamlPlace& place, const std::string& path) {
    for (size_t i = 0; i < map.members().size(); ++i) {
      const auto& [key, value] = map.members()[i];
      const YamlPlace& at = place.below[i];
      const std::string name = path.empty() ? key : path + "." + key;
      if (value.IsObject() && at.value.line > at.key.line) {
        RETURN_IF_ERROR(Add(value, at, name));
        continue;
      }
      const std::string comment = CommentAbove(at.key.line);
      if (comment.empty()) {
        return InvalidError(name + " has no comment");
      }
      rows_ += fmt::format("| {} | {} | {} |\n", Code(name), Code(value.Write()), comment);
    }
    return {};
  }
  const std::string& text() const { return rows_; }

 private:
  // `line` counts from 1.
  std::string CommentAbove(int line) const {
    std::string comment;
    for (int i = line - 2; i >= 0 && Trim(lines_[i]).starts_with('#'); --i) {
      const std::string said(Trim(Trim(lines_[i]).substr(1)));
      comment = said + (comment.empty() ? "" : " " + comment);
    }
    return comment;
  }

  std::vector<std::string_view> lines_;
  std::string rows_;
};

}  // namespace

Result<GeneratedFile> ValuesPage(std::string_view values) {
  const json::YamlStream stream = json::ParseYamlWithPositions(values);
  RETURN_IF_ERROR(stream.status);
  if (stream.documents.size() != 1 || !stream.documents[0].value.IsObject()) {
    return InvalidError("must be one mapping");
  }
  Rows rows(values);
  RETURN_IF_ERROR(rows.Add(stream.documents[0].value, stream.documents[0].place, ""));
  return GeneratedFile{kPath, kHead + rows.text()};
}

}  // namespace hearth::generate
