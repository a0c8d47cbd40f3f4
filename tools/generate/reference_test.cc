#include "reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "api/catalog/catalog.h"
#include "api/table/common.h"
#include "base/file_system.h"
#include "base/strings.h"
#include "base/testing/status_matchers.h"

namespace hearth::generate {
namespace {

using api::Field;
using api::Integer32;
using api::Kube;
using api::ListOf;
using api::Node;
using api::Object;
using api::String;
using testing::HasSubstr;
using testing::Not;

schema::ResourceDefinition Kind(Node spec) {
  return {
      .group = "example.com",
      .kind = "Thing",
      .plural = "things",
      .short_names = {"th"},
      .versions = {{.name = "v1",
                    .storage = true,
                    .schema = api::Root("A thing.", std::move(spec), Object("", {}), true).Share(),
                    .columns = {{"Age", "date", ".metadata.creationTimestamp", 1}},
                    .status_subresource = true,
                    .scale = schema::ScaleSubresource{".spec.replicas", ".status.replicas", ""},
                    .selectable_fields = {".spec.color"}}}};
}

std::string PageOf(Node spec) { return ReferencePage(Kind(std::move(spec))).text; }

TEST(Reference, APageSaysWhatTheKindIs) {
  const GeneratedFile page = ReferencePage(Kind(Object("", {})));
  EXPECT_EQ(page.path, "docs/reference/thing.md");
  EXPECT_THAT(page.text, HasSubstr("# Thing\n\nA thing.\n"));
  EXPECT_THAT(page.text, HasSubstr("| Short names | `th` |"));
  EXPECT_THAT(page.text, HasSubstr("| Scope | namespaced |"));
  EXPECT_THAT(page.text, HasSubstr("| [`v1`](#v1) | stored, served | `status`, `scale` "
                                   "(`.spec.replicas`, `.status.replicas`) | `.spec.color` |"));
  EXPECT_THAT(page.text, HasSubstr("| Age (with `-o wide`) | `.metadata.creationTimestamp` |"));
}

TEST(Reference, FieldsStandInTheTableOfTheirObject) {
  const std::string page = PageOf(Object(
      "",
      {Field("parts",
             ListOf(Object("A part.",
                           {Field("size", Integer32().Min(1), "How big.").Required().Default(3)})),
             "The parts.")}));
  EXPECT_THAT(page,
              HasSubstr("| `parts` | list of [object](#v1-spec-parts_) |  |  | The parts. |"));
  EXPECT_THAT(page, HasSubstr("<a id=\"v1-spec-parts_\"></a>\n\n### `spec.parts[]`\n\nA part.\n"));
  EXPECT_THAT(page, HasSubstr("| `size` (required) | integer | `3` | at least 1 | How big. |"));
}

TEST(Reference, RulesStandWithTheObjectAndSayWhenTheyAsk) {
  const std::string page = PageOf(
      Object("", {Field("color", String(), "").Rule("self != 'red' || true", "not red")},
             {{.rule = "self == oldSelf", .message = "is immutable", .field_path = ".color"}}));
  EXPECT_THAT(page, HasSubstr("- `color`: not red\n\n  ```cel\n  self != 'red' || true\n  ```\n"));
  EXPECT_THAT(page, HasSubstr("- `color`: is immutable (when it is changed)\n"));
}

TEST(Reference, OfKubernetesTypesOnlyAdditionsAreTold) {
  schema::Schema pod = Kube("core.v1.PodSpec").schema();
  const std::string plain = PageOf(Object("", {Field("pod", Node(pod), "The pod.")}));
  EXPECT_THAT(plain, HasSubstr("| `pod` | `core.v1.PodSpec` |  |  | The pod. |"));
  EXPECT_THAT(plain, Not(HasSubstr("`spec.pod`")));
  EXPECT_THAT(plain, Not(HasSubstr("hostNetwork")));

  pod.properties.push_back({"extra", String().Doc("Ours.").Share()});
  const std::string added = PageOf(Object("", {Field("pod", Node(pod), "The pod.")}));
  EXPECT_THAT(added, HasSubstr("| `pod` | [`core.v1.PodSpec`](#v1-spec-pod) |"));
  EXPECT_THAT(added, HasSubstr("| `extra` | string |  |  | Ours. |"));
}

TEST(Reference, TheIndexLeadsToEveryPage) {
  const std::string index = ReferenceIndex(api::AllDefinitions()).text;
  for (const schema::ResourceDefinition& definition : api::AllDefinitions()) {
    const std::string path = ReferencePage(definition).path;
    EXPECT_THAT(index, HasSubstr("](" + path.substr(path.rfind('/') + 1) + ")"));
  }
}

// Cells of a row of a table, apart from bars that are escaped.
size_t Bars(std::string_view row) {
  size_t bars = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    bars += row[i] == '|' && (i == 0 || row[i - 1] != '\\') ? 1 : 0;
  }
  return bars;
}

TEST(Reference, TablesOfAllKindsAreWhole) {
  for (const schema::ResourceDefinition& definition : api::AllDefinitions()) {
    const std::string text = ReferencePage(definition).text;
    size_t expected = 0;
    for (const std::string_view line : Split(text, '\n')) {
      const bool row = line.starts_with("|");
      expected = !row ? 0 : expected == 0 ? Bars(line) : expected;
      EXPECT_EQ(row ? Bars(line) : 0, expected) << definition.kind << ": " << line;
    }
  }
}

TEST(Reference, LinksWithinAPageLeadSomewhere) {
  for (const schema::ResourceDefinition& definition : api::AllDefinitions()) {
    const std::string text = ReferencePage(definition).text;
    std::set<std::string> anchors;
    for (size_t at = 0; (at = text.find("<a id=\"", at)) != std::string::npos; ++at) {
      const size_t begin = at + 7;
      EXPECT_TRUE(anchors.insert(text.substr(begin, text.find('"', begin) - begin)).second);
    }
    for (size_t at = 0; (at = text.find("](#", at)) != std::string::npos; ++at) {
      const std::string target = text.substr(at + 3, text.find(')', at) - at - 3);
      EXPECT_TRUE(anchors.contains(target)) << definition.kind << ": " << target;
    }
  }
}

void ExpectDescribed(const schema::Schema& object, const std::string& path) {
  if (!object.kube_type.empty()) {
    return;
  }
  for (const schema::Property& property : object.properties) {
    const std::string at = path + "." + property.name;
    const bool metadata = path.find('.') == std::string::npos && property.name == "metadata";
    EXPECT_TRUE(metadata || !property.schema->description.empty()) << at;
    ExpectDescribed(*property.schema, at);
  }
  for (const schema::SchemaPtr& inner : {object.items, object.additional_properties}) {
    if (inner != nullptr) {
      ExpectDescribed(*inner, path);
    }
  }
}

TEST(Reference, EveryFieldOfOursIsDescribed) {
  for (const schema::ResourceDefinition& definition : api::AllDefinitions()) {
    for (const schema::ResourceVersion& version : definition.versions) {
      ExpectDescribed(*version.schema, definition.kind + " " + version.name);
    }
  }
}

// Names of fields whose description says that nothing comes of them.
void CollectInert(const schema::Schema& object, std::set<std::string>& names) {
  if (!object.kube_type.empty()) {
    return;
  }
  for (const schema::Property& property : object.properties) {
    for (const char* words : {"Deprecated and ignored", "Deprecated, never written",
                              "Never written by", "Accepted;", "nothing is made for it"}) {
      if (property.schema->description.find(words) != std::string::npos) {
        names.insert(property.name);
      }
    }
    CollectInert(*property.schema, names);
  }
  for (const schema::SchemaPtr& inner : {object.items, object.additional_properties}) {
    if (inner != nullptr) {
      CollectInert(*inner, names);
    }
  }
}

TEST(Reference, FieldsWithoutEffectAreOnThePageOfCompatibility) {
  const auto page =
      RealFileSystem().Read(std::string(HEARTH_SOURCE_DIR) + "/docs/compatibility.md", 1 << 20);
  ASSERT_OK(page);
  std::set<std::string> names;
  for (const schema::ResourceDefinition& definition : api::AllDefinitions()) {
    for (const schema::ResourceVersion& version : definition.versions) {
      CollectInert(*version.schema, names);
    }
  }
  EXPECT_THAT(names, testing::SizeIs(testing::Ge(8U)));
  for (const std::string& name : names) {
    const bool named = page->find("`" + name + "`") != std::string::npos ||
                       page->find("." + name + "`") != std::string::npos;
    EXPECT_TRUE(named) << name;
  }
}

TEST(Reference, EveryColumnOfOursIsDescribed) {
  for (const schema::ResourceDefinition& definition : api::AllDefinitions()) {
    for (const schema::ResourceVersion& version : definition.versions) {
      for (const schema::PrinterColumn& column : version.columns) {
        EXPECT_FALSE(column.description.empty()) << definition.kind << " " << column.name;
      }
    }
  }
}

}  // namespace
}  // namespace hearth::generate
