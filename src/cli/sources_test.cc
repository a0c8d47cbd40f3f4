#include "cli/sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::cli {
namespace {

using testing::ElementsAre;

class SourcesTest : public testing::Test {
 protected:
  void Write(const std::string& path) {
    const size_t slash = path.rfind('/');
    if (slash != std::string::npos) {
      ASSERT_OK(RealFileSystem().MakeDirectories(Path(path.substr(0, slash)), 0755));
    }
    ASSERT_OK(RealFileSystem().Write(Path(path), path, 0644));
  }
  std::string Path(const std::string& path) const { return directory_.path() + "/" + path; }

  std::vector<std::string> Names(const std::vector<std::string>& paths, bool recursive) {
    std::vector<std::string> names;
    for (const Source& source : FindSources(paths, recursive, 100, terminal_)) {
      names.push_back(source.name.starts_with(directory_.path())
                          ? source.name.substr(directory_.path().size() + 1)
                          : source.name);
    }
    return names;
  }

  TempDirectory directory_;
  std::istringstream in_{"from input"};
  std::ostringstream out_;
  command_line::Terminal terminal_{in_, out_, out_, RealFileSystem()};
};

TEST_F(SourcesTest, AFolderIsItsManifestsByName) {
  for (const char* path : {"f/b.yml", "f/a.yaml", "f/c.json", "f/d.txt", "f/below/e.yaml"}) {
    Write(path);
  }
  EXPECT_THAT(Names({Path("f")}, false), ElementsAre("f/a.yaml", "f/b.yml", "f/c.json"));
  EXPECT_THAT(Names({Path("f")}, true),
              ElementsAre("f/a.yaml", "f/b.yml", "f/below/e.yaml", "f/c.json"));
}

TEST_F(SourcesTest, AFileIsItselfWhateverItsName) {
  Write("d.txt");
  EXPECT_THAT(Names({Path("d.txt")}, false), ElementsAre("d.txt"));
}

TEST_F(SourcesTest, StandardInputIsReadOnce) {
  const auto sources = FindSources({"-", "-"}, false, 100, terminal_);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].name, "<stdin>");
  const auto text = ReadSource(sources[0], RealFileSystem(), 100);
  ASSERT_OK(text);
  EXPECT_EQ(*text, "from input");
}

TEST_F(SourcesTest, StandardInputWithoutEndIsRefused) {
  const auto sources = FindSources({"-"}, false, 3, terminal_);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(ReadSource(sources[0], RealFileSystem(), 3).status().code(), Code::kExhausted);
}

TEST_F(SourcesTest, StandardInputThatIsAFolderSaysSo) {
  std::ifstream folder(directory_.path());
  command_line::Terminal terminal{folder, out_, out_, RealFileSystem()};
  const auto sources = FindSources({"-"}, false, 100, terminal);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(ReadSource(sources[0], RealFileSystem(), 100).status().code(), Code::kUnavailable);
}

TEST_F(SourcesTest, WhatCannotBeReadSaysWhy) {
  ASSERT_OK(RealFileSystem().MakeDirectories(Path("empty"), 0755));
  Write("large.yaml");
  const auto sources =
      FindSources({Path("empty"), Path("none.yaml"), Path("large.yaml")}, false, 100, terminal_);
  ASSERT_EQ(sources.size(), 3u);
  EXPECT_EQ(ReadSource(sources[0], RealFileSystem(), 100).status().code(), Code::kNotFound);
  EXPECT_EQ(ReadSource(sources[1], RealFileSystem(), 100).status().code(), Code::kNotFound);
  EXPECT_EQ(ReadSource(sources[2], RealFileSystem(), 2).status().code(), Code::kExhausted);
}

}  // namespace
}  // namespace hearth::cli
