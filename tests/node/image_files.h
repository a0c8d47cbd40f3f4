#pragma once

#include <string>

#include "base/status.h"

// Roots of images, filled with what this machine has.
namespace hearth::node {

// A shell and what belongs to it (busybox), and the folders that containers expect. kNotFound:
// there is no busybox here.
Status PutShell(const std::string& root);

// A program as bin/<name>, without what only debuggers read, and every library that it loads, where
// the loader looks for it.
Status PutProgram(const std::string& root, const std::string& program);

// A script as bin/<name>.
Status PutScript(const std::string& root, const std::string& name, const std::string& text);

}  // namespace hearth::node
