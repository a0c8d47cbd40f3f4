#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hearth::demo {

struct ContainerSpec {
  std::string directory;  // a new one, for its files
  std::string name;
  std::vector<std::string> argv;
  // From outside to within. /usr, /lib and the like of this machine are there anyway, to be read.
  std::vector<std::pair<std::string, std::string>> volumes;
};

// A container of runc with namespaces and a writable layer of its own. Killed and unmounted when it
// goes. Moves.
class Container {
 public:
  static Result<Container> Start(const ContainerSpec& spec, const std::string& runc_root);
  Container(Container&& other) noexcept { *this = std::move(other); }
  Container& operator=(Container&& other) noexcept;
  ~Container() { Kill(); }

  // SIGKILL to everything in it; returns when it is gone.
  void Kill();
  const std::string& id() const { return id_; }
  // What it printed.
  const std::string& log() const { return log_; }

 private:
  Container() = default;
  std::string runc_root_;
  std::string id_;
  std::string root_;  // where its files are mounted
  std::string log_;
};

}  // namespace hearth::demo
