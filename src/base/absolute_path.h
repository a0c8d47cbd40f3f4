#pragma once

#include <string>

namespace hearth {

// What a path that somebody has given means to a process in another directory: absolute, without
// "." and "..", and without a slash at its end. Links are not looked at. Empty stays empty.
std::string AbsolutePath(const std::string& path);

}  // namespace hearth
