#include "cel/program.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "cel/json_value.h"
#include "json/parse.h"

namespace hearth::cel {
namespace {

TEST(Program, ServesManyThreads) {
  const auto program = Compile("self.items.filter(i, i.name.matches('^a')).map(i, i.n).sum() == 6",
                               {.variables = {{"self", std::nullopt}}})
                           .value();
  const json::Value self = json::ParseValue(R"({"items":[{"name":"a1","n":1},{"name":"b","n":9},
                                                {"name":"a2","n":5}]})")
                               .value();
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 200; ++k) {
          CostBudget budget;
          const auto value = program->Evaluate({FromJson(self)}, budget);
          right += value.ok() && value->IsTrue() ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(right, 800);
}

TEST(Program, VariablesComeInTheEnvironmentsOrder) {
  const auto program =
      Compile("oldSelf - self", {.variables = {{"self", Kind::kInt}, {"oldSelf", Kind::kInt}}});
  CostBudget budget;
  const auto value = program.value()->Evaluate({Value::Int(1), Value::Int(5)}, budget);
  EXPECT_EQ(value.value().integer(), 4);
}

TEST(Program, OutlivesTheTextItWasMadeFrom) {
  std::shared_ptr<const Program> program;
  {
    std::string text = "['a'][0] + 'b' + {'k': 'c'}.x";
    program = Compile(text, {}).value();
    text.assign(text.size(), '#');
  }
  CostBudget budget;
  EXPECT_EQ(program->Evaluate({}, budget).status().message(), "1:28: no such key: x");
}

}  // namespace
}  // namespace hearth::cel
