#include "api/table/struct_table.h"

namespace hearth::api {
namespace {

schema::SchemaPtr MakeSchema(std::string doc, const std::vector<Field>& fields,
                             std::vector<schema::Rule> rules) {
  auto schema = std::make_shared<schema::Schema>();
  schema->type = schema::Type::kObject;
  schema->description = std::move(doc);
  schema->rules = std::move(rules);
  for (const Field& field : fields) {
    schema->properties.push_back({field.name(), field.node().Share()});
    if (field.required()) {
      schema->required.push_back(field.name());
    }
  }
  return schema;
}

}  // namespace

Field::Field(std::string name, Node node, std::string doc)
    : name_(std::move(name)), node_(std::move(node)) {
  node_.Doc(std::move(doc));
}

Field&& Field::Required() && {
  required_ = true;
  return std::move(*this);
}

Field&& Field::AlwaysWritten() && {
  always_written_ = true;
  return std::move(*this);
}

Field&& Field::With(const std::function<void(Node&)>& change) && {
  change(node_);
  return std::move(*this);
}

Field&& Field::Default(json::Value value) && {
  node_.Default(std::move(value));
  return std::move(*this);
}

Field&& Field::Enum(std::initializer_list<std::string_view> values) && {
  node_.Enum(values);
  return std::move(*this);
}

Field&& Field::Min(int64_t value) && {
  node_.Min(value);
  return std::move(*this);
}

Field&& Field::Max(int64_t value) && {
  node_.Max(value);
  return std::move(*this);
}

Field&& Field::Rule(std::string rule, std::string message) && {
  node_.Rule(std::move(rule), std::move(message));
  return std::move(*this);
}

StructTable::StructTable(std::string doc, std::vector<Field> fields,
                         std::vector<schema::Rule> rules)
    : fields_(std::move(fields)), schema_(MakeSchema(std::move(doc), fields_, std::move(rules))) {}

Status StructTable::Decode(json::View view, void* object) const {
  if (internal::Absent(view)) {
    return {};
  }
  if (!view.IsObject()) {
    return internal::WrongKind(view, "an object");
  }
  for (const json::Member& member : view.members()) {
    for (const Field& field : fields_) {
      if (!field.bound() || !member.Is(field.name())) {
        continue;
      }
      if (Status status = field.Decode(member.value, object); !status.ok()) {
        return internal::AtMember(std::move(status), field.name());
      }
    }
  }
  return {};
}

json::Value StructTable::Encode(const void* object) const {
  json::Value result = json::Value::Object();
  for (const Field& field : fields_) {
    if (field.bound()) {
      if (auto value = field.Encode(object)) {
        result.Set(field.name(), std::move(*value));
      }
    }
  }
  return result;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as StructTable takes them
Node Object(std::string doc, std::vector<Field> fields, std::vector<schema::Rule> rules) {
  return Node(MakeSchema(std::move(doc), fields, std::move(rules)));
}

}  // namespace hearth::api
