#include "gms/ctl/testing/run_gmsctl.h"

#include <gtest/gtest.h>

#include <sstream>

#include "gms/ctl/gmsctl.h"
#include "json/parse.h"

namespace hearth::gms::ctl {

json::Value Ran::Json() const {
  auto value = json::ParseValue(out);
  EXPECT_TRUE(value.ok()) << out << err;
  return value.ok() ? *std::move(value) : json::Value();
}

Ran RunGmsctl(const std::vector<std::string>& arguments, bool interactive, std::stop_token stop) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  command_line::Terminal terminal{in, out, err, RealFileSystem(), interactive, std::move(stop)};
  const int code = Gmsctl().Run(arguments, terminal);
  return {code, out.str(), err.str()};
}

}  // namespace hearth::gms::ctl
