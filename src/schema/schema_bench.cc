#include <benchmark/benchmark.h>

#include "base/check.h"
#include "json/parse.h"
#include "json/testing/sample_pod.h"
#include "schema/prepare.h"
#include "schema/validate.h"

namespace hearth::schema {
namespace {

using json::Value;

// A schema that knows every member of a value. Every string has a pattern, which few real schemas
// do.
Value SchemaOf(const Value& value) {
  switch (value.kind()) {
    case json::Kind::kObject: {
      Value properties = Value::Object();
      for (const auto& [name, member] : value.members()) {
        properties.Set(name, SchemaOf(member));
      }
      return Value::Object({{"type", "object"}, {"properties", std::move(properties)}});
    }
    case json::Kind::kArray:
      return Value::Object({{"type", "array"},
                            {"items", value.items().empty() ? Value::Object({{"type", "string"}})
                                                            : SchemaOf(value.items()[0])}});
    case json::Kind::kNumber:
      return Value::Object({{"type", "integer"}, {"minimum", 0}});
    case json::Kind::kBool:
      return Value::Object({{"type", "boolean"}});
    default:
      return Value::Object({{"type", "string"}, {"maxLength", 4096}, {"pattern", "^[^\\n]*$"}});
  }
}

// A Deployment of the sample pod.
Value Object() {
  Value pod = json::ParseValue(json::SamplePod::Text()).value();
  Value object = Value::Object({{"apiVersion", "a/v1"}, {"kind", "K"}});
  object.MakePath("metadata.name") = "a";
  object.MakePath("spec.replicas") = 3;
  object.MakePath("spec.template.spec") = *pod.Find("spec");
  return object;
}

Validator MakeValidator(const Value& object) {
  Value known = object;
  known.Erase("metadata");
  auto schema = FromJson(SchemaOf(known));
  CHECK(schema.ok()) << schema.status().ToString();
  auto validator = Validator::Make(*schema);
  CHECK(validator.ok()) << validator.status().ToString();
  return std::move(validator).value();
}

void BM_Validate(benchmark::State& state) {
  const Value object = Object();
  const Validator validator = MakeValidator(object);
  for (auto _ : state) {
    const auto errors = validator.Validate(object);
    CHECK(errors.empty()) << errors[0].ToString();
  }
  state.counters["bytes"] = static_cast<double>(object.Write().size());
}
BENCHMARK(BM_Validate);

void BM_ValidateUpdate(benchmark::State& state) {
  const Value object = Object();
  const Validator validator = MakeValidator(object);
  for (auto _ : state) {
    CHECK(validator.ValidateUpdate(object, object).empty());
  }
}
BENCHMARK(BM_ValidateUpdate);

void BM_Prepare(benchmark::State& state) {
  Value object = Object();
  const Validator validator = MakeValidator(object);
  for (auto _ : state) {
    CHECK(Prepare(object, *validator.schema()).ok());
  }
}
BENCHMARK(BM_Prepare);

}  // namespace
}  // namespace hearth::schema
