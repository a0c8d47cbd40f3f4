#include "schema_rig.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "json/pointer.h"
#include "json/yaml.h"
#include "schema/object_meta.h"
#include "schema/prepare.h"
#include "schema/scale.h"

namespace hearth::schema {
namespace {

using json::Value;

Validator MakeValidator(const SchemaPtr& schema) {
  auto made = Validator::Make(schema);
  CHECK(made.ok()) << made.status().ToString();
  return std::move(made).value();
}

RuleSet MakeRules(const SchemaPtr& schema) {
  auto made = RuleSet::Compile(schema);
  CHECK(made.ok()) << made.status().ToString();
  return std::move(made).value();
}

ResourceDefinition ReadDefinition(const Value& crd) {
  auto read = FromCrd(crd);
  CHECK(read.ok()) << read.status().ToString();
  return std::move(read).value();
}

Verdict Refused(const std::string& text) { return {.text = text}; }

Verdict FromErrors(const std::vector<FieldError>& errors, Value object) {
  Verdict verdict{.taken = errors.empty()};
  for (const FieldError& error : errors) {
    verdict.fields.insert(error.path);
    verdict.causes.insert(error.path + ": " + error.ToCause().reason + ": " +
                          error.ToCause().message);
    verdict.text += error.ToString() + "\n";
  }
  if (verdict.taken) {
    DropServerFields(object);
    RoundNumbers(object);
    verdict.object = std::move(object);
  }
  return verdict;
}

// "raw:1.0" stands for the number with exactly these characters.
void MakeRaw(Value& value) {
  if (value.IsString() && value.string().starts_with("raw:")) {
    value = Value(Value::Number{value.string().substr(4)});
  } else if (value.IsArray()) {
    for (Value& item : value.items()) {
      MakeRaw(item);
    }
  } else if (value.IsObject()) {
    for (auto& member : value.members()) {
      MakeRaw(member.second);
    }
  }
}

// `member` of `from`, which may have none, becomes that of `to`.
void TakeOver(const Value& from, const std::string& member, Value& to) {
  to.Erase(member);
  if (const Value* value = from.Find(member)) {
    to.Set(member, *value);
  }
}

void Append(std::vector<FieldError> found, std::vector<FieldError>& errors) {
  errors.insert(errors.end(), found.begin(), found.end());
}

void Put(Value& object, const std::string& pointer, const Value* value) {
  auto tokens = json::Pointer::Parse(pointer).value().tokens();
  const std::string last = tokens.back();
  tokens.pop_back();
  Value* parent = json::Pointer(tokens).Find(object);
  if (parent == nullptr) {
    CHECK(tokens.size() == 1) << pointer;
    parent = &object[tokens[0]];
  }
  if (parent->IsArray()) {
    const auto index = json::ArrayIndex(last);
    if (index && *index < parent->items().size()) {
      parent->items()[*index] = *value;
    }
  } else if (parent->IsObject() || parent->IsNull()) {
    if (value == nullptr) {
      parent->Erase(last);
    } else {
      (*parent)[last] = *value;
    }
  }
}

}  // namespace

Ours::Ours(const Value& crd)
    : definition_(ReadDefinition(crd)),
      validator_(MakeValidator(version().schema)),
      rules_(MakeRules(version().schema)) {}

Verdict Ours::Create(Value object, std::vector<std::string>* unknown) const {
  const auto prepared = Prepare(object, *validator_.schema());
  if (!prepared.ok()) {
    return Refused(prepared.status().ToString());
  }
  if (unknown != nullptr) {
    *unknown = *prepared;
  }
  object["metadata"].Erase("generation");  // a server counts from 1, whatever it was given
  if (version().status_subresource) {
    object.Erase("status");
  }
  auto errors = ValidateObjectMeta(object["metadata"], {.namespaced = definition_.namespaced});
  if (version().scale) {
    Append(ValidateScaleSpec(object, *version().scale), errors);
    Append(ValidateScaleStatus(object, *version().scale), errors);
  }
  errors = validator_.Validate(object, rules_.NewChecker().get(), std::move(errors));
  return FromErrors(errors, std::move(object));
}

Verdict Ours::Update(Value object, Value old) const {
  // What a server reads from its store goes the same way.
  CHECK(Prepare(old, *validator_.schema()).ok());
  const auto prepared = Prepare(object, *validator_.schema());
  if (!prepared.ok()) {
    return Refused(prepared.status().ToString());
  }
  if (version().status_subresource) {
    TakeOver(old, "status", object);
  }
  auto errors = ValidateObjectMetaUpdate(object["metadata"], old["metadata"]);
  if (version().scale) {
    Append(ValidateScaleSpec(object, *version().scale), errors);
    Append(ValidateScaleStatus(object, *version().scale), errors);
  }
  errors = validator_.ValidateUpdate(object, old, rules_.NewChecker().get(), std::move(errors));
  return FromErrors(errors, std::move(object));
}

Verdict Ours::UpdateStatus(Value object, Value old) const {
  CHECK(Prepare(old, *validator_.schema()).ok());
  const auto prepared = Prepare(object, *validator_.schema());
  if (!prepared.ok()) {
    return Refused(prepared.status().ToString());
  }
  Value changed = old;
  TakeOver(object, "status", changed);
  std::vector<FieldError> errors;
  if (version().scale) {
    errors = ValidateScaleStatus(changed, *version().scale);
  }
  errors =
      validator_.ValidateStatusUpdate(changed, old, rules_.NewChecker().get(), std::move(errors));
  return FromErrors(errors, std::move(changed));
}

std::vector<Value> ReadDocuments(const std::string& file) {
  std::ifstream in(std::string(HEARTH_SOURCE_DIR) + "/tests/contract/schemas/" + file);
  CHECK(in.good()) << file;
  std::stringstream text;
  text << in.rdbuf();
  auto documents = json::ParseYaml(text.str());
  CHECK(documents.ok()) << file << ": " << documents.status().ToString();
  for (Value& document : *documents) {
    MakeRaw(document);
  }
  return std::move(documents).value();
}

void Edit(Value& object, const Value& edits) {
  for (const auto& [pointer, value] : edits.members()) {
    const bool take_out = pointer[0] == '-';
    Put(object, take_out ? pointer.substr(1) : pointer, take_out ? nullptr : &value);
  }
}

std::vector<Value> HandWritten(const Value& cases) {
  const Value& base = *cases.Find("base");
  std::vector<Value> objects{base};
  for (const Value& row : cases.Find("values")->items()) {
    const auto& [name, values] = row.members()[0];
    for (const Value& value : values.items()) {
      objects.push_back(base);
      objects.back()["spec"].Set(name, value);
    }
  }
  for (const Value& edits : cases.Find("edits")->items()) {
    objects.push_back(base);
    Edit(objects.back(), edits);
  }
  return objects;
}

void RoundNumbers(Value& value) {
  if (value.kind() == json::Kind::kNumber && !value.Int()) {
    value = std::strtod(value.number().c_str(), nullptr);
  } else if (value.IsArray()) {
    for (Value& item : value.items()) {
      RoundNumbers(item);
    }
  } else if (value.IsObject()) {
    for (auto& member : value.members()) {
      RoundNumbers(member.second);
    }
  }
}

void DropServerFields(Value& object) {
  if (Value* metadata = object.Find("metadata")) {
    for (const char* name :
         {"uid", "creationTimestamp", "generation", "managedFields", "resourceVersion", "namespace",
          "selfLink", "name", "deletionGracePeriodSeconds"}) {
      metadata->Erase(name);
    }
  }
}

}  // namespace hearth::schema
