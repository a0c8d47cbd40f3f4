#include "agent/files/testing/tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace hearth::agent::files {
namespace {

namespace fs = std::filesystem;
using Inode = std::pair<dev_t, ino_t>;

std::string Xattrs(const std::string& path) {
  std::string names(4096, '\0');
  const ssize_t size = ::llistxattr(path.c_str(), names.data(), names.size());
  std::set<std::string> lines;
  for (ssize_t begin = 0; begin < size;) {
    const std::string name = names.c_str() + begin;
    begin += static_cast<ssize_t>(name.size()) + 1;
    std::string value(4096, '\0');
    const ssize_t got = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    value.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    lines.insert(" " + name + "=" + std::to_string(HashBytes(value)));
  }
  std::string text;
  for (const std::string& line : lines) {
    text += line;
  }
  return text;
}

std::string Holes(const std::string& path, off_t size) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  // Where a file system has set room aside, zeros that somebody has read pass for data.
  (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
  std::ostringstream text;
  for (off_t end = 0; end < size;) {
    const off_t begin = ::lseek(fd.get(), end, SEEK_DATA);
    end = begin < 0 ? size : ::lseek(fd.get(), begin, SEEK_HOLE);
    text << ' ' << begin << '-' << end;
  }
  return text.str();
}

std::string Describe(const std::string& path, std::map<Inode, std::string>& first_names) {
  struct stat stat {};
  CHECK(::lstat(path.c_str(), &stat) == 0) << path;
  std::ostringstream text;
  text << std::oct << stat.st_mode << std::dec << ' ' << stat.st_uid << ':' << stat.st_gid << ' '
       << stat.st_mtim.tv_sec << '.' << stat.st_mtim.tv_nsec;
  if (S_ISREG(stat.st_mode)) {
    text << " size " << stat.st_size << " data" << Holes(path, stat.st_size);
    constexpr off_t kReadable = off_t{64} << 20;
    if (stat.st_size <= kReadable) {
      text << " content " << HashBytes(ReadFile(path));
    }
  } else if (S_ISLNK(stat.st_mode)) {
    text << " -> " << fs::read_symlink(path).string();
  } else if (S_ISCHR(stat.st_mode) || S_ISBLK(stat.st_mode)) {
    text << " device " << major(stat.st_rdev) << ':' << minor(stat.st_rdev);
  }
  if (!S_ISDIR(stat.st_mode) && stat.st_nlink > 1) {
    const auto first = first_names.emplace(Inode(stat.st_dev, stat.st_ino), path).first;
    text << " same as " << fs::path(first->second).filename().string();
  }
  return text.str() + Xattrs(path);
}

void Walk(const std::string& path, const std::string& name,
          std::map<Inode, std::string>& first_names, std::map<std::string, std::string>& tree) {
  tree[name] = Describe(path, first_names);
  if (!fs::is_directory(fs::symlink_status(path))) {
    return;
  }
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(path)) {
    names.insert(entry.path().filename().string());
  }
  for (const std::string& below : names) {
    Walk(path + "/" + below, name + "/" + below, first_names, tree);
  }
}

}  // namespace

std::map<std::string, std::string> DescribeTree(const std::string& root) {
  std::map<Inode, std::string> first_names;
  std::map<std::string, std::string> tree;
  CHECK(::syncfs(OpenDirectory(root).get()) == 0) << root;
  Walk(root, "", first_names, tree);
  return tree;
}

std::string Difference(const std::map<std::string, std::string>& a,
                       const std::map<std::string, std::string>& b) {
  std::set<std::string> paths;
  for (const auto* tree : {&a, &b}) {
    for (const auto& [path, text] : *tree) {
      paths.insert(path);
    }
  }
  std::string told;
  for (const std::string& path : paths) {
    const auto in_a = a.find(path);
    const auto in_b = b.find(path);
    const std::string text_a = in_a == a.end() ? "nothing" : in_a->second;
    const std::string text_b = in_b == b.end() ? "nothing" : in_b->second;
    if (text_a != text_b && told.size() < 4000) {
      told += path + "\n  " + text_a + "\n  " + text_b + "\n";
    }
  }
  return told;
}

UniqueFd OpenDirectory(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK(fd.valid()) << path;
  return fd;
}

void WriteFile(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  CHECK(file.flush().good()) << path;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Exists(const std::string& path) { return fs::exists(fs::symlink_status(path)); }

}  // namespace hearth::agent::files
