#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::engine {

// A language model of bytes, small enough to read: an embedding, then square layers of 8-bit
// weights, each followed by a normalisation and a residual. All arithmetic that decides an answer
// is on integers, so that two processes with the same weights give the same answer to the last
// byte.
struct ModelShape {
  int layers = 0;
  int width = 0;  // a multiple of 64

  static constexpr int kVocabulary = 256;
  size_t embedding_bytes() const { return size_t{kVocabulary} * static_cast<size_t>(width); }
  size_t layer_bytes() const { return static_cast<size_t>(width) * static_cast<size_t>(width); }
  size_t total_bytes() const {
    return embedding_bytes() + static_cast<size_t>(layers) * layer_bytes();
  }
  // The shape of this width with at least so many bytes.
  static ModelShape OfSize(size_t bytes, int width);
};

// Where the weights lie: one tensor is the embedding or a layer.
struct WeightsView {
  ModelShape shape;
  std::span<const int8_t> embedding;
  std::vector<std::span<const int8_t>> layers;
};

// Makes one tensor of a model: row by row, normally distributed numbers, normalised and rounded to
// 8 bits. This is the slow part of a start; `rows` says how many there are, each of `width`
// numbers. The same seed and name give the same bytes.
void MakeTensor(uint64_t seed, std::string_view name, int width, std::span<int8_t> out);

// What a start measures of the weights and keeps in the process: how far to shift each layer's
// sums. Not part of the weights.
struct Calibration {
  std::vector<int> shifts;
};
Calibration Calibrate(const WeightsView& weights);

// The next `count` bytes after `prompt`, as printable letters.
std::string Generate(const WeightsView& weights, const Calibration& calibration,
                     std::string_view prompt, int count);

}  // namespace hearth::engine
