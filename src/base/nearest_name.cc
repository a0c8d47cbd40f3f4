#include "base/nearest_name.h"

#include <algorithm>

namespace hearth {

size_t EditDistance(std::string_view a, std::string_view b) {
  // cost[i][j]: from the first i characters of `a` to the first j of `b`.
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({replace, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string NearestName(std::string_view wrong, const std::vector<std::string>& known) {
  constexpr size_t kLongestName = 64;  // longer is no slip of the finger, and the cost is quadratic
  if (wrong.size() > kLongestName) {
    return {};
  }
  std::string nearest;
  size_t best = std::max<size_t>(wrong.size() / 3, 1) + 1;
  for (const std::string& name : known) {
    const size_t distance = EditDistance(wrong, name);
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace hearth
