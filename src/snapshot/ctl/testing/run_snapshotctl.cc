#include "snapshot/ctl/testing/run_snapshotctl.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/strings.h"
#include "json/parse.h"
#include "snapshot/ctl/snapshotctl.h"

namespace hearth::snapshot::ctl {

std::vector<json::Value> Ran::JsonLines() const {
  std::vector<json::Value> lines;
  for (const std::string_view line : Split(Trim(out), '\n')) {
    auto value = json::ParseValue(line);
    EXPECT_TRUE(value.ok()) << out << err;
    lines.push_back(value.ok() ? *std::move(value) : json::Value());
  }
  return lines;
}

json::Value Ran::Json() const {
  const std::vector<json::Value> lines = JsonLines();
  EXPECT_EQ(lines.size(), 1U) << out;
  return lines.size() == 1 ? lines[0] : json::Value();
}

Ran RunSnapshotctl(const std::vector<std::string>& arguments, const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  command_line::Terminal terminal{in, out, err, RealFileSystem(), false, {}};
  const int code = Snapshotctl().Run(arguments, terminal);
  return {code, out.str(), err.str()};
}

}  // namespace hearth::snapshot::ctl
