#include "agent/files/internal/pax_header.h"

#include <gtest/gtest.h>

namespace hearth::agent::files {
namespace {

std::string HeaderOf(const FileEntry& entry) {
  std::string out;
  AppendTarHeader(out, entry);
  EXPECT_EQ(out.size() % kTarBlock, 0U);
  return out;
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(PaxHeader, RecordsCountTheirOwnLength) {
  FileEntry entry;
  entry.path = "f";
  entry.modified = {.tv_sec = 1794852640, .tv_nsec = 412188535};
  entry.xattrs = {{"user.a", std::string(70, 'x')}};
  const std::string header = HeaderOf(entry);
  EXPECT_TRUE(Has(header, "30 mtime=1794852640.412188535\n"));
  EXPECT_TRUE(Has(header, "94 SCHILY.xattr.user.a=" + std::string(70, 'x') + "\n"));
  entry.xattrs = {{"user.a", std::string(75, 'x')}};
  EXPECT_TRUE(Has(HeaderOf(entry), "99 SCHILY.xattr.user.a="));
  entry.xattrs = {{"user.a", std::string(76, 'x')}};
  EXPECT_TRUE(Has(HeaderOf(entry), "101 SCHILY.xattr.user.a="));
}

TEST(PaxHeader, TimesBefore1970AreOneNegativeNumber) {
  FileEntry entry;
  entry.modified = {.tv_sec = -5, .tv_nsec = 7};
  entry.accessed = {.tv_sec = -1, .tv_nsec = 0};
  const std::string header = HeaderOf(entry);
  EXPECT_TRUE(Has(header, "mtime=-4.999999993\n"));
  EXPECT_TRUE(Has(header, "atime=-1\n"));
}

TEST(PaxHeader, WhatDoesNotFitTheOldHeaderIsARecord) {
  FileEntry entry;
  entry.path = std::string(150, 'n');
  entry.uid = 3'000'000;
  entry.size = uint64_t{9} << 30;
  const std::string header = HeaderOf(entry);
  EXPECT_TRUE(Has(header, "path=./" + entry.path + "\n"));
  EXPECT_TRUE(Has(header, "uid=3000000\n"));
  EXPECT_TRUE(Has(header, "size=9663676416\n"));
  EXPECT_FALSE(Has(header, "gid="));
}

TEST(PaxHeader, NamesThatAreNotTextAreSaidToBeBytes) {
  FileEntry entry;
  entry.path = "a\xff";
  EXPECT_TRUE(Has(HeaderOf(entry), "hdrcharset=BINARY\n"));
  entry.path = "\xc3\xa4";
  EXPECT_FALSE(Has(HeaderOf(entry), "hdrcharset"));
}

TEST(PaxHeader, SparseFilesHaveAMapAndOnlyTheirData) {
  FileEntry entry;
  entry.path = "s";
  entry.size = 1 << 20;
  entry.sparse = true;
  entry.data = {{4096, 8192}};
  EXPECT_EQ(StoredBytes(entry), 8192U);
  const std::string header = HeaderOf(entry);
  EXPECT_TRUE(Has(header, "GNU.sparse.realsize=1048576\n"));
  EXPECT_TRUE(Has(header, "2\n4096\n8192\n1048576\n0\n"));
}

}  // namespace
}  // namespace hearth::agent::files
