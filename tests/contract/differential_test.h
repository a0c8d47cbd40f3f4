#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "contract_test.h"
#include "eventually.h"
#include "json/equal.h"
#include "schema_rig.h"

namespace hearth::kube {

// Another one finds other objects; HEARTH_SCHEMA_SEED and HEARTH_SCHEMA_TIMES try many.
inline uint64_t Environment(const char* name, uint64_t other) {
  const char* text = std::getenv(name);
  return text == nullptr ? other : std::strtoull(text, nullptr, 10);
}
inline const uint64_t kSeed = Environment("HEARTH_SCHEMA_SEED", 1);
inline const int kTimes = static_cast<int>(Environment("HEARTH_SCHEMA_TIMES", 1));

// Gives the same objects to the library and to a real API server, which must say the same of them:
// taken or not, which fields are wrong in what words, and what the object looks like afterwards.
class DifferentialTest : public ContractTest {
 protected:
  using Value = json::Value;
  using Verdict = schema::Verdict;

  void Install(const Value& crd) {
    const json::Blob body = crd.ToBlob();
    const auto created =
        client().Create(types::CustomResourceDefinitions(), "", body.view(), Limit());
    ASSERT_TRUE(created.ok() || created.status().Is(Code::kAlreadyExists)) << created.status();
    const auto read = schema::FromCrd(crd);
    ASSERT_TRUE(read.ok()) << read.status();
    type_ = {read->group, read->versions[0].name, read->plural, read->kind, read->namespaced};
    ASSERT_TRUE(Eventually([&] { return client().List(type_, name_space(), Limit()).ok(); }));
  }

  static Verdict Theirs(const Result<Object>& result) {
    if (!result.ok()) {
      Verdict verdict{.text = result.status().ToString()};
      for (const Cause& cause : result.status().causes()) {
        verdict.fields.insert(cause.field);
        verdict.causes.insert(cause.field + ": " + cause.reason + ": " + cause.message);
      }
      return verdict;
    }
    Verdict verdict{.taken = true, .object = result->ToValue()};
    schema::DropServerFields(verdict.object);
    schema::RoundNumbers(verdict.object);
    return verdict;
  }

  void Compare(const Verdict& ours, const Verdict& theirs, const Value& object) {
    ++compared_;
    taken_ += theirs.taken ? 1 : 0;
    told_.insert(theirs.causes.begin(), theirs.causes.end());
    EXPECT_EQ(ours.causes, theirs.causes) << object.Write();
    const bool same = ours.taken == theirs.taken && ours.fields == theirs.fields &&
                      SameObject(ours.object, theirs.object);
    EXPECT_TRUE(same) << "object: " << object.Write() << "\nours: " << Describe(ours)
                      << "\ntheirs: " << Describe(theirs);
  }

  // Numbers by value: how one is written is nobody's concern.
  static bool SameObject(const Value& a, const Value& b) {
    const json::Blob left = a.ToBlob();
    const json::Blob right = b.ToBlob();
    return json::Equal(left.view(), right.view());
  }

  static std::string Describe(const Verdict& verdict) {
    return verdict.taken ? "taken: " + verdict.object.WriteCanonical() : "refused: " + verdict.text;
  }

  void CompareCreates(const schema::Ours& ours, const std::vector<Value>& objects) {
    for (const Value& plain : objects) {
      const Value object = Named(plain);
      std::vector<std::string> unknown;
      const Verdict mine = ours.Create(object, &unknown);
      Compare(mine, Theirs(Create(type_, object, {.dry_run = true})), object);
      if (!unknown.empty()) {
        CompareUnknown(unknown, object);
      }
    }
  }

  Value Named(Value object) {
    Value& metadata = object["metadata"];
    if (metadata.Find("name") == nullptr) {
      metadata["name"] = "one";
    }
    if (type_.namespaced) {
      metadata["namespace"] = name_space();
    }
    return object;
  }

  // Strict field validation names what was pruned.
  void CompareUnknown(const std::vector<std::string>& unknown, const Value& object) {
    const auto strict = Create(type_, object, {.field_validation = "Strict", .dry_run = true});
    ASSERT_FALSE(strict.ok()) << object.Write();
    size_t told = 0;
    for (const std::string& path : unknown) {
      const std::string text = fmt::format("unknown field \"{}\"", path);
      EXPECT_THAT(strict.status().ToString(), ::testing::HasSubstr(text)) << object.Write();
    }
    const std::string text = strict.status().ToString();
    for (size_t at = text.find("unknown field"); at != std::string::npos;
         at = text.find("unknown field", at + 1)) {
      ++told;
    }
    EXPECT_EQ(told, unknown.size()) << text;
  }

  ResourceType type_;  // of the definition that was installed last
  int compared_ = 0;
  int taken_ = 0;
  std::set<std::string> told_;  // causes of the server
};

}  // namespace hearth::kube
