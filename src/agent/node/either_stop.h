#pragma once

#include <stop_token>

namespace hearth::agent::node {

// A stop that comes with the first of two. Thread-safe.
class EitherStop {
 public:
  EitherStop(const std::stop_token& one, const std::stop_token& other)
      : one_(one, Request{&source_}), other_(other, Request{&source_}) {}

  std::stop_token token() const { return source_.get_token(); }

 private:
  struct Request {
    std::stop_source* source;
    void operator()() const { source->request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Request> one_;
  std::stop_callback<Request> other_;
};

}  // namespace hearth::agent::node
