#include "model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace hearth::engine {
namespace {

using Activations = std::vector<int8_t>;

uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t SeedOf(uint64_t seed, std::string_view name) {
  for (const char c : name) {
    seed = Mix(seed ^ static_cast<uint8_t>(c));
  }
  return seed;
}

double UnitInterval(uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

// Two normally distributed numbers at a time (Box and Muller).
void FillNormal(uint64_t seed, std::span<double> row) {
  for (size_t i = 0; i + 1 < row.size(); i += 2) {
    const double radius = std::sqrt(-2.0 * std::log(UnitInterval(Mix(seed + i))));
    const double angle = 2.0 * std::numbers::pi * UnitInterval(Mix(seed + i + 1));
    row[i] = radius * std::cos(angle);
    row[i + 1] = radius * std::sin(angle);
  }
}

int64_t Dot(std::span<const int8_t> a, std::span<const int8_t> b) {
  int64_t sum = 0;
  constexpr size_t kBlock = 4096;  // 4096 products of 8-bit numbers fit 32 bits
  for (size_t begin = 0; begin < a.size(); begin += kBlock) {
    const size_t end = std::min(begin + kBlock, a.size());
    int32_t part = 0;
    for (size_t i = begin; i < end; ++i) {
      part += static_cast<int32_t>(a[i]) * static_cast<int32_t>(b[i]);
    }
    sum += part;
  }
  return sum;
}

std::vector<int64_t> Multiply(std::span<const int8_t> matrix, const Activations& x) {
  std::vector<int64_t> sums(matrix.size() / x.size());
  for (size_t row = 0; row < sums.size(); ++row) {
    sums[row] = Dot(matrix.subspan(row * x.size(), x.size()), x);
  }
  return sums;
}

// x + sums, scaled down so that it stays within 8 bits.
void AddScaled(Activations& x, const std::vector<int64_t>& sums, int shift) {
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t moved = static_cast<int64_t>(x[i]) / 2 + (sums[i] >> shift);
    x[i] = static_cast<int8_t>(std::clamp<int64_t>(moved, -127, 127));
  }
}

Activations Embed(const WeightsView& weights, uint8_t token, const Activations& before) {
  const auto width = static_cast<size_t>(weights.shape.width);
  Activations x(width);
  const auto row = weights.embedding.subspan(token * width, width);
  for (size_t i = 0; i < width; ++i) {
    x[i] = static_cast<int8_t>((row[i] + before[i]) / 2);
  }
  return x;
}

uint8_t Likeliest(const WeightsView& weights, const Activations& x) {
  const auto logits = Multiply(weights.embedding, x);
  return static_cast<uint8_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace

ModelShape ModelShape::OfSize(size_t bytes, int width) {
  ModelShape shape{.layers = 1, .width = width};
  const size_t rest = bytes > shape.embedding_bytes() ? bytes - shape.embedding_bytes() : 0;
  shape.layers =
      std::max(1, static_cast<int>((rest + shape.layer_bytes() - 1) / shape.layer_bytes()));
  return shape;
}

void MakeTensor(uint64_t seed, std::string_view name, int width, std::span<int8_t> out) {
  const auto columns = static_cast<size_t>(width);
  std::vector<double> row(columns);
  uint64_t state = SeedOf(seed, name);
  for (size_t begin = 0; begin + columns <= out.size(); begin += columns, state = Mix(state)) {
    FillNormal(state, row);
    double largest = 0;
    for (const double value : row) {
      largest = std::max(largest, std::abs(value));
    }
    for (size_t i = 0; i < columns; ++i) {
      out[begin + i] = static_cast<int8_t>(std::lround(row[i] / largest * 127.0));
    }
  }
}

Calibration Calibrate(const WeightsView& weights) {
  Calibration calibration;
  Activations x = Embed(weights, 'a', Activations(static_cast<size_t>(weights.shape.width), 0));
  for (const auto& layer : weights.layers) {
    const auto sums = Multiply(layer, x);
    uint64_t largest = 1;
    for (const int64_t sum : sums) {
      largest = std::max<uint64_t>(largest, static_cast<uint64_t>(std::abs(sum)));
    }
    // The largest sum lands near 64: half of what 8 bits hold.
    const int shift = std::max(0, static_cast<int>(std::bit_width(largest)) - 6);
    calibration.shifts.push_back(shift);
    AddScaled(x, sums, shift);
  }
  return calibration;
}

std::string Generate(const WeightsView& weights, const Calibration& calibration,
                     std::string_view prompt, int count) {
  std::string text;
  Activations context(static_cast<size_t>(weights.shape.width), 0);
  for (const char c : prompt) {
    context = Embed(weights, static_cast<uint8_t>(c), context);
  }
  for (int produced = 0; produced < count; ++produced) {
    Activations x = context;
    for (size_t layer = 0; layer < weights.layers.size(); ++layer) {
      AddScaled(x, Multiply(weights.layers[layer], x), calibration.shifts[layer]);
    }
    const uint8_t token = Likeliest(weights, x);
    text += static_cast<char>('a' + token % 26);
    context = Embed(weights, token, x);
  }
  return text;
}

}  // namespace hearth::engine
