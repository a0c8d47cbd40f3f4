// The library and a real API server see the same objects and must say the same of them: taken or
// not, which fields are wrong, and what the object looks like afterwards.
#include "differential_test.h"
#include "schema_rig.h"

namespace hearth::kube {
namespace {

using json::Value;

class KubeSchema : public DifferentialTest {
 protected:
  void CompareFile(const std::string& name, int hand_written, int generated) {
    const Value crd = schema::ReadDocuments(name + ".crd.yaml")[0];
    ASSERT_NO_FATAL_FAILURE(Install(crd));
    const schema::Ours ours(crd);
    const auto objects = schema::HandWritten(schema::ReadDocuments(name + ".cases.yaml")[0]);
    EXPECT_GE(static_cast<int>(objects.size()), hand_written);
    EXPECT_TRUE(ours.Create(Named(objects[0])).taken) << ours.Create(Named(objects[0])).text;
    CompareCreates(ours, objects);
    // Damage what is good, so that the damage is what is told.
    std::vector<Value> good;
    for (const Value& object : objects) {
      if (object.Find("spec") != nullptr && ours.Create(Named(object)).taken) {
        good.push_back(object);
      }
    }
    CompareCreates(ours, schema::Generate(good, kSeed, generated * kTimes));
    RecordProperty("compared", compared_);
    RecordProperty("taken", taken_);
    EXPECT_GT(taken_, compared_ / 10);
    EXPECT_LT(taken_, compared_ * 9 / 10);
  }
};

TEST_P(KubeSchema, SingleValuesAreSeenAlike) { CompareFile("scalars", 300, 700); }

TEST_P(KubeSchema, ListsMapsAndObjectsAreSeenAlike) { CompareFile("shapes", 150, 1000); }

TEST_P(KubeSchema, UpdatesOfObjectsThatAreOlderThanTheirSchemaAreSeenAlike) {
  const auto crds = schema::ReadDocuments("ratchet.crd.yaml");
  const Value cases = schema::ReadDocuments("ratchet.cases.yaml")[0];
  ASSERT_NO_FATAL_FAILURE(Install(crds[0]));
  std::vector<Value> stored;
  for (const Value& spec : cases.Find("objects")->items()) {
    Value object = NewObject(type_, Key("o" + std::to_string(stored.size())));
    object["spec"] = spec;
    ASSERT_OK_AND_ASSIGN(const Object created, Create(type_, object));
    stored.push_back(created.ToValue());
  }
  Value costly = NewObject(type_, Key("costly"));
  costly["spec"] = Value::Object({{"must", "m"}});
  for (int i = 0; i < 600; ++i) {
    costly["spec"]["many"].Append(i);
  }
  ASSERT_OK_AND_ASSIGN(const Object costly_stored, Create(type_, costly));
  ASSERT_OK(UpdateWithRetry(client(), types::CustomResourceDefinitions(),
                            {"", "ratchets.schema.hearth.test"}, Limit(), [&](Value& crd) {
                              crd["spec"] = *crds[1].Find("spec");
                              return Status::Ok();
                            }));
  Value bad = NewObject(type_, Key("bad"));
  bad["spec"] = Value::Object({{"must", 5}});
  ASSERT_TRUE(Eventually([&] { return !Create(type_, bad, {.dry_run = true}).ok(); }));
  const schema::Ours ours(crds[1]);
  for (const Value& old : stored) {
    for (const Value& edits : cases.Find("edits")->items()) {
      Value object = old;
      schema::Edit(object, edits);
      Compare(ours.Update(object, old), Theirs(Update(type_, object, {.dry_run = true})), object);
    }
    for (const Value& object : schema::Generate({old}, kSeed, 40 * kTimes)) {
      Compare(ours.Update(object, old), Theirs(Update(type_, object, {.dry_run = true})), object);
    }
  }
  costly = costly_stored.ToValue();
  for (const char* other : {"", "changed"}) {
    costly["spec"].Set("other", other);
    Compare(ours.Update(costly, costly_stored.ToValue()),
            Theirs(Update(type_, costly, {.dry_run = true})), costly);
  }
  RecordProperty("compared", compared_);
  RecordProperty("taken", taken_);
}

TEST_P(KubeSchema, StatusAndScaleAreSeenAlike) {
  const Value crd = schema::ReadDocuments("status.crd.yaml")[0];
  const Value cases = schema::ReadDocuments("status.cases.yaml")[0];
  ASSERT_NO_FATAL_FAILURE(Install(crd));
  const schema::Ours ours(crd);
  std::vector<Value> objects;
  for (const Value& spec : cases.Find("specs")->items()) {
    objects.push_back(NewObject(type_, Key("one")));
    objects.back().Set("spec", spec);
    objects.back().Set("status", *cases.Find("base"));
  }
  CompareCreates(ours, objects);
  ASSERT_OK_AND_ASSIGN(const Object created, Create(type_, objects[0]));
  const Value old = created.ToValue();
  Value good = old;
  good.Set("status", *cases.Find("base"));
  const auto compare = [&](const Value& object) {
    Compare(ours.UpdateStatus(object, old),
            Theirs(Update(type_, object, {.subresource = "status", .dry_run = true})), object);
  };
  for (const Value& edits : cases.Find("edits")->items()) {
    Value object = good;
    schema::Edit(object, edits);
    compare(object);
  }
  Value swapped = good;  // damage is done below spec
  swapped.Set("spec", *good.Find("status"));
  for (Value object : schema::Generate({swapped}, kSeed, 200 * kTimes)) {
    object.Set("status", *object.Find("spec"));
    object.Set("spec", *good.Find("spec"));
    compare(object);
  }
}

// A definition with this schema, which the server is asked to take.
Value Definition(const Value& schema) {
  Value crd = schema::ReadDocuments("scalars.crd.yaml")[0];
  crd.MakePath("metadata.name") = "tries.schema.hearth.test";
  crd.MakePath("spec.names") =
      Value::Object({{"plural", "tries"}, {"singular", "try"}, {"kind", "Try"}});
  crd["spec"]["versions"].items()[0].MakePath("schema.openAPIV3Schema") = schema;
  return crd;
}

TEST_P(KubeSchema, SchemasAreSeenAlike) {
  const Value cases = schema::ReadDocuments("structural.cases.yaml")[0];
  std::vector<Value> schemas = cases.Find("root")->items();
  for (const Value& property : cases.Find("properties")->items()) {
    schemas.push_back(
        Value::Object({{"type", "object"}, {"properties", Value::Object({{"spec", property}})}}));
  }
  for (const Value& json : schemas) {
    const json::Blob body = Definition(json).ToBlob();
    const auto theirs = client().Create(types::CustomResourceDefinitions(), "", body.view(),
                                        Limit(), {.dry_run = true});
    const auto read = schema::FromJson(json);
    const Status ours = read.ok() ? ToStatus(schema::Validator::Make(*read)) : read.status();
    EXPECT_EQ(ours.ok(), theirs.ok())
        << json.Write() << "\nours: " << ours << "\ntheirs: " << theirs.status();
  }
}

INSTANTIATE_CONTRACT(KubeSchema);

}  // namespace
}  // namespace hearth::kube
