#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/config/config.h"

namespace hearth::kube::internal {

// One cluster, user or context of a kubeconfig, read with messages that say where it stands.
class KubeconfigEntry {
 public:
  // `what` is "cluster", "user" or "context"; `file` the path it stands in.
  KubeconfigEntry(std::string what, std::string name, std::string file, json::Value body)
      : what_(std::move(what)),
        name_(std::move(name)),
        file_(std::move(file)),
        body_(std::move(body)) {}

  const std::string& name() const { return name_; }
  const std::string& file() const { return file_; }
  const json::Value& body() const { return body_; }

  // Null counts as not there, and here also what is empty: tools write such members for nothing.
  bool Has(std::string_view member) const;
  // kInvalid when it is something else than asked for.
  Result<std::string> Text(std::string_view member) const;  // "" when not there
  Result<bool> Flag(std::string_view member, bool otherwise) const;
  Result<std::string> Base64(std::string_view member) const;  // decoded; "" when not there
  // A path, relative ones to the kubeconfig's directory; "" when not there.
  Result<std::string> Path(std::string_view member) const;
  std::string ResolvePath(const std::string& path) const;

  // "kubeconfig FILE, user NAME: message"
  Status Error(Code code, std::string_view message) const;

 private:
  const std::string what_;
  const std::string name_;
  const std::string file_;
  const json::Value body_;
};

// Several kubeconfigs merged: who comes first wins, name by name.
class KubeconfigDocument {
 public:
  Status Add(const KubeconfigFile& file);

  const std::string& current_context() const { return current_context_; }
  // Null when there is none of that name.
  const KubeconfigEntry* cluster(std::string_view name) const { return Find(clusters_, name); }
  const KubeconfigEntry* user(std::string_view name) const { return Find(users_, name); }
  const KubeconfigEntry* context(std::string_view name) const { return Find(contexts_, name); }
  std::vector<std::string> ContextNames() const;
  std::string Files() const;  // "a, b", for messages

 private:
  using Entries = std::vector<KubeconfigEntry>;
  static const KubeconfigEntry* Find(const Entries& entries, std::string_view name);
  static Status Merge(const json::Value& document, const KubeconfigFile& file,
                      std::string_view list, const std::string& what, Entries& into);

  Entries clusters_;
  Entries users_;
  Entries contexts_;
  std::string current_context_;
  std::vector<std::string> files_;
};

}  // namespace hearth::kube::internal
