#include "agent/files/path_list.h"

#include "agent/files/file_entry.h"
#include "base/base64.h"
#include "base/strings.h"
#include "json/builder.h"
#include "json/parse.h"
#include "json/value.h"

namespace hearth::agent {
namespace {

constexpr char kBase64[] = "base64";

Result<std::string> PathOf(const json::Value& item, size_t index) {
  if (item.IsString()) {
    return item.string();
  }
  const json::Value* encoded = item.IsObject() ? item.Find(kBase64) : nullptr;
  if (encoded == nullptr || !encoded->IsString()) {
    return InvalidError("item " + std::to_string(index) + " is no path: a string is expected");
  }
  return DecodeBase64(encoded->string()).WithContext("item " + std::to_string(index));
}

}  // namespace

std::string WritePathList(const std::vector<std::string>& paths) {
  json::Builder list;
  list.BeginArray();
  for (const std::string& path : paths) {
    if (ValidUtf8(path)) {
      list.String(path);
    } else {
      list.BeginObject().Key(kBase64).String(EncodeBase64(path)).EndObject();
    }
  }
  list.EndArray();
  return list.Take();
}

Result<std::vector<std::string>> ParsePathList(std::string_view text) {
  ASSIGN_OR_RETURN(const json::Value list, json::ParseValue(text));
  if (list.IsNull()) {
    return std::vector<std::string>{};  // how Go writes an empty list
  }
  if (!list.IsArray()) {
    return InvalidError("is no list of paths");
  }
  std::vector<std::string> paths;
  paths.reserve(list.items().size());
  for (const json::Value& item : list.items()) {
    ASSIGN_OR_RETURN(std::string path, PathOf(item, paths.size()));
    paths.push_back(std::move(path));
  }
  return paths;
}

Result<std::string> CleanPath(std::string_view path) {
  if (path.find('\0') != std::string_view::npos) {
    return InvalidError(ShownPath(path) + " has a zero byte in it");
  }
  std::string clean;
  for (const std::string_view part : Split(path, '/')) {
    if (part.empty() || part == ".") {
      continue;
    }
    if (part == "..") {
      return InvalidError(Excerpt(path, 300) + " leads out of the container");
    }
    if (!clean.empty()) {
      clean += '/';
    }
    clean += part;
  }
  return clean;
}

PlacedName SplitPath(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return {"", std::string(path)};
  }
  return {std::string(path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

}  // namespace hearth::agent
