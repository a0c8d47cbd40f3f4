#include "product_kinds.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "json/yaml.h"

namespace hearth::kube {
namespace {

using json::Value;

std::vector<Value> ReadYaml(const std::filesystem::path& path) {
  std::ifstream in(path);
  CHECK(in.good()) << path.string();
  std::stringstream text;
  text << in.rdbuf();
  auto documents = json::ParseYaml(text.str());
  CHECK(documents.ok()) << path.string() << ": " << documents.status().ToString();
  return std::move(documents).value();
}

std::vector<std::filesystem::path> YamlFilesBelow(const std::string& directory) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = std::filesystem::path(HEARTH_SOURCE_DIR) / directory;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file() && entry.path().extension() == ".yaml") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

ProductKind CopyOf(const Value& crd, Value version) {
  const std::string& group = crd.FindPath("spec.group")->string();
  const std::string name = version.Find("name")->string();
  const std::string copy_group = name + "." + group + ".hearth.test";
  ProductKind kind{.api_version = group + "/" + name,
                   .kind = crd.FindPath("spec.names.kind")->string(),
                   .crd = crd,
                   .copy_api_version = copy_group + "/" + name};
  version["storage"] = true;
  kind.crd.MakePath("metadata.name") =
      crd.FindPath("spec.names.plural")->string() + "." + copy_group;
  kind.crd.MakePath("spec.group") = copy_group;
  kind.crd.MakePath("spec.versions") = Value::Array({std::move(version)});
  kind.crd["spec"].Erase("conversion");
  // These are for the real ones, in the same cluster.
  kind.crd["spec"]["names"].Erase("shortNames");
  kind.crd["spec"]["names"].Erase("categories");
  return kind;
}

}  // namespace

std::vector<ProductKind> ProductKinds() {
  std::vector<ProductKind> kinds;
  for (const std::filesystem::path& path : YamlFilesBelow("deploy/crds")) {
    for (const Value& crd : ReadYaml(path)) {
      for (const Value& version : crd.FindPath("spec.versions")->items()) {
        kinds.push_back(CopyOf(crd, version));
      }
    }
  }
  return kinds;
}

std::string Manifest::api_version() const { return object.Find("apiVersion")->string(); }
std::string Manifest::kind() const { return object.Find("kind")->string(); }

std::vector<Manifest> ReadManifests(const std::vector<std::string>& directories) {
  std::vector<Manifest> manifests;
  for (const std::string& directory : directories) {
    for (const std::filesystem::path& path : YamlFilesBelow(directory)) {
      int number = 0;
      for (Value& document : ReadYaml(path)) {
        const std::string place = std::filesystem::relative(path, HEARTH_SOURCE_DIR).string();
        manifests.push_back(
            {place + ", document " + std::to_string(++number), std::move(document)});
      }
    }
  }
  return manifests;
}

}  // namespace hearth::kube
