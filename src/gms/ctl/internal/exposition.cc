#include "gms/ctl/internal/exposition.h"

#include <optional>

#include "base/strings.h"

namespace hearth::gms::ctl {
namespace {

// What is left of a line; each step takes its part from the front.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view TakeUntil(std::string_view stops) {
    const std::string_view taken = rest_.substr(0, rest_.find_first_of(stops));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  // After the opening quote; nothing when there is no closing one.
  std::optional<std::string> TakeQuoted() {
    std::string out;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') {
        return out;
      }
      if (c == '\\' && !rest_.empty()) {
        out += rest_.front() == 'n' ? '\n' : rest_.front();
        rest_.remove_prefix(1);
      } else {
        out += c;
      }
    }
    return std::nullopt;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

bool TakeLabels(Line& line, Sample& sample) {
  while (!line.Take('}')) {
    const std::string name(Trim(line.TakeUntil("=}")));
    if (!line.Take('=') || !line.Take('"')) {
      return false;
    }
    auto value = line.TakeQuoted();
    if (!value) {
      return false;
    }
    sample.labels.emplace_back(name, *std::move(value));
    line.Take(',');
  }
  return true;
}

std::optional<Sample> ReadLine(std::string_view text) {
  Line line(text);
  Sample sample{.name = std::string(line.TakeUntil("{ "))};
  if (sample.name.empty() || (line.Take('{') && !TakeLabels(line, sample))) {
    return std::nullopt;
  }
  const std::string_view value = Trim(line.rest());
  sample.value = value.substr(0, value.find(' '));  // a time may follow
  return sample.value.empty() ? std::nullopt : std::optional(std::move(sample));
}

}  // namespace

std::vector<Sample> ReadExposition(std::string_view text) {
  std::vector<Sample> samples;
  for (const std::string_view line : Split(text, '\n')) {
    if (auto sample = line.starts_with('#') ? std::nullopt : ReadLine(line)) {
      samples.push_back(*std::move(sample));
    }
  }
  return samples;
}

}  // namespace hearth::gms::ctl
