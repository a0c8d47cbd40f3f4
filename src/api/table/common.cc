#include "api/table/common.h"

namespace hearth::api {

const StructTable& Condition::Fields() {
  static const StructTable table(
      "One thing that is known about the object.",
      {Field(
           "type", &Condition::type,
           String().MaxLength(316).Pattern(
               R"(^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$)"),
           "What it is about.")
           .Required(),
       Field("status", &Condition::status, String().Enum({"True", "False", "Unknown"}),
             "Whether it holds.")
           .Required(),
       Field("reason", &Condition::reason,
             String().MinLength(1).MaxLength(1024).Pattern(
                 "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"),
             "Why, in one word for programs.")
           .Required(),
       Field("message", &Condition::message, String().MaxLength(32768), "Why, for people.")
           .Required(),
       Field("lastTransitionTime", &Condition::last_transition_time, Timestamp(),
             "When status last changed.")
           .Required(),
       Field("observedGeneration", &Condition::observed_generation, Integer64().Min(0),
             "The generation of the object this was said about.")});
  return table;
}

Node ConditionList() { return ListOf(Node(Condition::Fields().schema())).MapBy({"type"}); }

Node Root(std::string doc, Node spec, Node status, bool spec_required,
          std::vector<schema::Rule> rules) {
  Field spec_field("spec", std::move(spec), "What is wanted.");
  std::vector<Field> fields = {
      Field("apiVersion", String(), "Version of the API this object is written in."),
      Field("kind", String(), "Kind of the object."),
      Field("metadata", Node(schema::Schema{.type = schema::Type::kObject}), "")};
  fields.push_back(spec_required ? std::move(spec_field).Required() : std::move(spec_field));
  fields.emplace_back("status", std::move(status), "What is.");
  return Object(std::move(doc), std::move(fields), std::move(rules));
}

}  // namespace hearth::api
