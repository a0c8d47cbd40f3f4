// N1, N2 on generated objects. By default 100,000 go there and back each way, half of them graphs
// and half stand-alone components; HEARTH_CONVERSIONS sets how many of each there are in every
// test.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "api/conversion/convert.h"
#include "api/conversion/internal/kinds.h"
#include "api/conversion/testing/random_object.h"
#include "api/conversion/testing/versions.h"
#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "schema/validate.h"

namespace hearth::api::conversion {
namespace {

using internal::Direction;
using internal::Passage;
using internal::Tree;
using json::Value;
using testing::RandomObjects;
using testing::Version;
using testing::Versions;

int Count(int otherwise) {
  const char* text = std::getenv("HEARTH_CONVERSIONS");
  return text == nullptr ? otherwise : std::atoi(text);
}

Passage SpecPassage(const Version& version, const Value& object) {
  const Direction direction = version.to == "v1beta1" ? Direction::kToBeta : Direction::kToAlpha;
  return internal::FindKind(version.kind)->spec(direction, Tree(object.FindPath("metadata.name")));
}

Value WithoutSaved(Value object) {
  const internal::AnnotationNames& names =
      internal::FindKind(object.Find("kind")->string())->annotations;
  object.Set("metadata", internal::WithSaved(*object.Find("metadata"), names, {}));
  return object;
}

class RoundTrip : public ::testing::TestWithParam<Version> {};

std::string NameOf(const ::testing::TestParamInfo<Version>& info) {
  return info.param.kind + "_" + info.param.from;
}

TEST_P(RoundTrip, GeneratedObjectsAreValid) {
  const Version& version = GetParam();
  ASSERT_OK_AND_ASSIGN(const auto validator, schema::Validator::Make(version.schema));
  RandomObjects objects(3);
  for (int i = 0; i < 300; ++i) {
    const Value object = objects.Object(*version.schema, version.kind, version.from);
    const auto errors = validator.Validate(object);
    ASSERT_TRUE(errors.empty()) << errors[0].ToString() << "\n" << object.WritePretty();
  }
}

TEST_P(RoundTrip, ObjectsComeBackAsTheyWere) {
  const Version& version = GetParam();
  RandomObjects objects(7);
  for (int i = 0; i < Count(50'000); ++i) {
    const Value object = objects.Object(*version.schema, version.kind, version.from);
    ASSERT_OK_AND_ASSIGN(const Value there, Convert(object, version.to));
    ASSERT_OK_AND_ASSIGN(const Value back, Convert(there, version.from));
    ASSERT_EQ(back.WriteCanonical(), object.WriteCanonical()) << i << "\n" << there.WritePretty();
  }
}

// What a version says of an object of the other, it says of itself: nothing drifts, however often
// an object goes there and back. Restoring leans on this.
TEST_P(RoundTrip, MappingTwiceSaysTheSame) {
  const Version& version = GetParam();
  RandomObjects objects(11);
  for (int i = 0; i < Count(5000); ++i) {
    Value object = objects.Object(*version.schema, version.kind, version.from);
    objects.Change(object["spec"], *version.schema->Find("spec"));  // not always valid
    const Passage passage = SpecPassage(version, object);
    internal::Arena arena;
    const Tree once = passage.there(Tree(object.Find("spec")), arena);
    const Tree twice = passage.there(passage.back(once, arena), arena);
    ASSERT_EQ(twice.ToValue().WriteCanonical(), once.ToValue().WriteCanonical())
        << object.WritePretty();
  }
}

// The saved annotations are never read by anything else, so what the object says without them is
// what counts: it must say what the edited object says.
void ExpectSaysTheSame(const Version& version, const Value& edited, const Value& back) {
  const Passage passage = SpecPassage(version, back);
  const Tree live(edited.Find("spec"));
  internal::Arena arena;
  const Tree said = passage.there(Tree(back.Find("spec")), arena);
  ASSERT_TRUE(said == live || said == passage.there(passage.back(live, arena), arena))
      << edited.WritePretty() << back.WritePretty();
}

const Value* Named(const Value& object, std::string_view name) {
  const Value* list = object.FindPath("spec.components");
  for (size_t i = 0; list != nullptr && list->IsArray() && i < list->items().size(); ++i) {
    if (list->items()[i].Find("name")->StringOr("?") == name) {
      return &list->items()[i];
    }
  }
  const Value* services = object.FindPath("spec.services");
  return services == nullptr ? nullptr : services->Find(name);
}

std::set<std::string> Names(const Value& object) {
  std::set<std::string> names;
  const Value* list = object.FindPath("spec.components");
  for (size_t i = 0; list != nullptr && list->IsArray() && i < list->items().size(); ++i) {
    names.insert(list->items()[i].Find("name")->string());
  }
  const Value* services = object.FindPath("spec.services");
  for (size_t i = 0; services != nullptr && services->IsObject() && i < services->members().size();
       ++i) {
    names.insert(services->members()[i].first);
  }
  return names;
}

// Components nobody touched come back as they were, and none comes back that was deleted.
void ExpectOthersUntouched(const Value& object, const Value& there, const Value& edited,
                           const Value& back) {
  for (const std::string& name : Names(back)) {
    const Value* before = Named(there, name);
    const Value* after = Named(edited, name);
    ASSERT_NE(after, nullptr) << name << " was deleted";
    if (before != nullptr && *before == *after) {
      ASSERT_EQ(Named(back, name)->WriteCanonical(), Named(object, name)->WriteCanonical())
          << object.WritePretty() << edited.WritePretty();
    }
  }
}

// What v1beta1 has no word for comes back with the component it belongs to, whatever else changed
// in it.
void ExpectSavedFields(const Value& object, const Value& there, const Value& back) {
  for (const std::string& name : Names(back)) {
    const Value* service = Named(object, name);
    for (const char* field : {"annotations", "labels", "ingress", "autoscaling"}) {
      const Value* saved = service == nullptr ? nullptr : service->Find(field);
      if (saved != nullptr && Named(there, name) != nullptr) {
        ASSERT_NE(Named(back, name)->Find(field), nullptr) << field << back.WritePretty();
        ASSERT_EQ(*Named(back, name)->Find(field), *saved);
      }
    }
  }
}

size_t Annotations(const Value& object) {
  const Value* annotations = object.FindPath("metadata.annotations");
  return annotations == nullptr || !annotations->IsObject() ? 0 : annotations->members().size();
}

// N2.
TEST_P(RoundTrip, EditsBetweenTheHopsWin) {
  const Version& version = GetParam();
  RandomObjects objects(13);
  for (int i = 0; i < Count(5000); ++i) {
    const Value object = objects.Object(*version.schema, version.kind, version.from);
    ASSERT_OK_AND_ASSIGN(const Value there, Convert(object, version.to));
    Value edited = there;
    for (size_t edits = 1 + objects.Below(3); edits > 0; --edits) {
      objects.Change(edited["spec"], *version.other->Find("spec"));
    }
    const auto back = Convert(edited, version.from);
    if (!back.ok()) {  // two components of one name
      ASSERT_TRUE(back.status().Is(Code::kInvalid)) << back.status();
      continue;
    }
    ASSERT_OK_AND_ASSIGN(const Value again, Convert(*back, version.to));
    ASSERT_EQ(WithoutSaved(again).WriteCanonical(), WithoutSaved(edited).WriteCanonical());
    ASSERT_OK_AND_ASSIGN(const Value back_again, Convert(again, version.from));
    ASSERT_EQ(back_again.WriteCanonical(), back->WriteCanonical()) << edited.WritePretty();
    ASSERT_LE(Annotations(*back), Annotations(WithoutSaved(object)) + 2);
    ASSERT_NO_FATAL_FAILURE(ExpectSaysTheSame(version, edited, *back));
    ASSERT_NO_FATAL_FAILURE(ExpectOthersUntouched(object, there, edited, *back)) << i;
    ASSERT_NO_FATAL_FAILURE(ExpectSavedFields(object, there, *back)) << i;
  }
}

// Whatever an annotation says: it restores, and changes nothing that the object says.
TEST_P(RoundTrip, SpoiltAnnotationsDoNoHarm) {
  const Version& version = GetParam();
  const auto name = std::string(internal::FindKind(version.kind)->annotations.spec);
  RandomObjects objects(19);
  for (int i = 0; i < Count(5000); ++i) {
    const Value object = objects.Object(*version.schema, version.kind, version.from);
    ASSERT_OK_AND_ASSIGN(Value there, Convert(object, version.to));
    const auto saved = internal::FindAnnotation(*there.Find("metadata"), name);
    if (!saved.has_value()) {
      continue;
    }
    ASSERT_OK_AND_ASSIGN(Value envelope, json::ParseValue(*saved));
    for (size_t spoils = 1 + objects.Below(4); spoils > 0; --spoils) {
      objects.Spoil(envelope);
    }
    there["metadata"]["annotations"].Set(name, envelope.Write());
    ASSERT_OK_AND_ASSIGN(const Value back, Convert(there, version.from));
    ASSERT_NO_FATAL_FAILURE(ExpectSaysTheSame(version, there, back)) << envelope.WritePretty();
    ASSERT_OK_AND_ASSIGN(const Value again, Convert(back, version.to));
    ASSERT_EQ(WithoutSaved(again).WriteCanonical(), WithoutSaved(there).WriteCanonical());
  }
}

// A status is never refused: what is of the wrong type in it may be given up.
std::string WithoutStatus(Value object) {
  object.Erase("status");
  return object.WriteCanonical();
}

TEST_P(RoundTrip, WhatIsOfTheWrongTypeIsRefusedOrComesBack) {
  const Version& version = GetParam();
  RandomObjects objects(17);
  int converted = 0;
  for (int i = 0; i < Count(10'000); ++i) {
    Value object = objects.Object(*version.schema, version.kind, version.from);
    for (size_t spoils = 1 + objects.Below(3); spoils > 0; --spoils) {
      Value* spec = object.Find("spec");
      objects.Spoil(spec == nullptr || objects.OneIn(20) ? object : *spec);
    }
    const auto there = Convert(object, version.to);
    if (!there.ok()) {
      ASSERT_TRUE(there.status().Is(Code::kInvalid) || there.status().Is(Code::kNotFound));
      ASSERT_FALSE(there.status().message().empty());
      continue;
    }
    ++converted;
    ASSERT_OK_AND_ASSIGN(const Value back, Convert(*there, version.from));
    ASSERT_EQ(WithoutStatus(back), WithoutStatus(object)) << there->WritePretty();
  }
  EXPECT_GT(converted, Count(10'000) / 10);
}

INSTANTIATE_TEST_SUITE_P(All, RoundTrip, ::testing::ValuesIn(Versions()), NameOf);

}  // namespace
}  // namespace hearth::api::conversion
