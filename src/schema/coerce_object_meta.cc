#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "json/time.h"
#include "schema/object_meta.h"

namespace hearth::schema {
namespace {

using json::Kind;
using json::Value;

enum class Shape { kText, kInt, kBool, kTime, kTextMap, kTextList, kList, kAny };

struct Field {
  std::string_view name;
  Shape shape;
  bool keep_empty = false;          // also 0 is something
  bool always = false;              // there even when it was not given
  std::span<const Field> fields{};  // of the items of a kList
};

constexpr Field kOwner[] = {
    {"apiVersion", Shape::kText, true, true}, {"kind", Shape::kText, true, true},
    {"name", Shape::kText, true, true},       {"uid", Shape::kText, true, true},
    {"controller", Shape::kBool, true},       {"blockOwnerDeletion", Shape::kBool, true},
};
constexpr Field kManager[] = {
    {"manager", Shape::kText},     {"operation", Shape::kText},  {"apiVersion", Shape::kText},
    {"time", Shape::kTime},        {"fieldsType", Shape::kText}, {"fieldsV1", Shape::kAny},
    {"subresource", Shape::kText},
};
constexpr Field kMeta[] = {
    {"name", Shape::kText},
    {"generateName", Shape::kText},
    {"namespace", Shape::kText},
    {"selfLink", Shape::kText},
    {"uid", Shape::kText},
    {"resourceVersion", Shape::kText},
    {"generation", Shape::kInt},
    {"creationTimestamp", Shape::kTime},
    {"deletionTimestamp", Shape::kTime},
    {"deletionGracePeriodSeconds", Shape::kInt, true},
    {"labels", Shape::kTextMap},
    {"annotations", Shape::kTextMap},
    {"ownerReferences", Shape::kList, false, false, kOwner},
    {"finalizers", Shape::kTextList},
    {"managedFields", Shape::kList, false, false, kManager},
};

class Reader {
 public:
  explicit Reader(std::vector<std::string>* unknown) : unknown_(unknown) {}

  Result<Value> Read(const Value& object, std::span<const Field> fields, const FieldPath& path) {
    if (!object.IsObject()) {
      return Wrong(object, path, "object");
    }
    Value out = Value::Object();
    for (const Field& field : fields) {
      const Value* value = object.Find(field.name);
      if (value == nullptr || value->IsNull()) {
        if (field.always) {
          out.Set(field.name, "");
        }
        continue;
      }
      ASSIGN_OR_RETURN(Value read, ReadField(*value, field, path.Child(field.name)));
      if (field.keep_empty || !IsEmpty(read)) {
        out.Set(field.name, std::move(read));
      }
    }
    TellUnknown(object, fields, path);
    return out;
  }

 private:
  static Status Wrong(const Value& value, const FieldPath& path, std::string_view wanted) {
    const std::string at = path.ToString();
    const std::string text =
        fmt::format("cannot read {} at {} as {}", json::KindName(value.kind()), at, wanted);
    return InvalidError(text).WithCause({"FieldValueTypeInvalid", text, at});
  }

  static bool IsEmpty(const Value& value) {
    return value.IsNull() || (value.IsString() && value.string().empty()) ||
           (value.IsArray() && value.items().empty()) ||
           (value.IsObject() && value.members().empty()) || value.Int() == 0;
  }

  Result<Value> ReadField(const Value& value, const Field& field, const FieldPath& path) {
    switch (field.shape) {
      case Shape::kText:
        return ReadText(value, path);
      case Shape::kInt:
        return value.Int() ? Result<Value>(value) : Wrong(value, path, "int64");
      case Shape::kBool:
        return value.kind() == Kind::kBool ? Result<Value>(value) : Wrong(value, path, "bool");
      case Shape::kTime:
        return ReadTime(value, path);
      case Shape::kTextMap:
        return ReadMap(value, path);
      case Shape::kTextList:
      case Shape::kList:
        return ReadList(value, field, path);
      case Shape::kAny:
        return value;
    }
    return value;
  }

  // A null in a map or a list reads as the empty string.
  static Result<Value> ReadText(const Value& value, const FieldPath& path) {
    if (value.IsNull()) {
      return Value("");
    }
    return value.IsString() ? Result<Value>(value) : Wrong(value, path, "string");
  }

  static Result<Value> ReadTime(const Value& value, const FieldPath& path) {
    const auto time = value.IsString() ? json::Time::Parse(value.string())
                                       : Result<json::Time>(InvalidError("no string"));
    return time.ok() ? Result<Value>(time->ToString()) : Wrong(value, path, "time");
  }

  static Result<Value> ReadMap(const Value& value, const FieldPath& path) {
    if (!value.IsObject()) {
      return Wrong(value, path, "map of strings");
    }
    Value::Members out;
    for (const auto& [name, member] : value.members()) {
      ASSIGN_OR_RETURN(Value text, ReadText(member, path.Key(name)));
      out.emplace_back(name, std::move(text));
    }
    return Value::FromMembers(std::move(out));
  }

  Result<Value> ReadList(const Value& value, const Field& field, const FieldPath& path) {
    if (!value.IsArray()) {
      return Wrong(value, path, "list");
    }
    Value out = Value::Array();
    for (size_t i = 0; i < value.items().size(); ++i) {
      const Value& item = value.items()[i];
      const FieldPath at = path.Item(i);
      if (field.shape == Shape::kTextList) {
        ASSIGN_OR_RETURN(Value text, ReadText(item, at));
        out.Append(std::move(text));
      } else {
        ASSIGN_OR_RETURN(Value read,
                         Read(item.IsNull() ? Value::Object() : item, field.fields, at));
        out.Append(std::move(read));
      }
    }
    return out;
  }

  void TellUnknown(const Value& object, std::span<const Field> fields, const FieldPath& path) {
    if (unknown_ == nullptr) {
      return;
    }
    for (const auto& member : object.members()) {
      if (std::none_of(fields.begin(), fields.end(),
                       [&](const Field& field) { return field.name == member.first; })) {
        unknown_->push_back(path.Child(member.first).ToString());
      }
    }
  }

  std::vector<std::string>* unknown_;
};

}  // namespace

Result<Value> CoerceObjectMeta(const Value& metadata, const FieldPath& path,
                               std::vector<std::string>* unknown) {
  return Reader(unknown).Read(metadata.IsNull() ? Value::Object() : metadata, kMeta, path);
}

}  // namespace hearth::schema
