#include "decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <vector>

#include "controller/informer.h"
#include "json/patch.h"
#include "kube/client/client.h"
#include "pod_factory.h"
#include "pod_fields.h"

namespace hearth::bench {
namespace {

constexpr size_t kPods = 100;
constexpr size_t kPiece = 4096;  // what a kube-apiserver puts into one TLS record

// One event for each Pod, as text, with versions that rise each time.
class Events {
 public:
  Events() {
    for (size_t i = 0; i < kPods; ++i) {
      json::Value pod = PodBody("bench", i);
      json::ApplyMergePatch(pod, PodStatusPatch(i));
      pod["metadata"].Set("uid", fmt::format("6f9619ff-8b86-4011-b42d-{:012d}", i));
      pod["metadata"].Set("resourceVersion", kNoVersion);
      text_ += R"({"type":"MODIFIED","object":)" + pod.Write() + "}\n";
      versions_at_.push_back(text_.rfind(kNoVersion));
    }
  }

  void Renew() {
    for (const size_t at : versions_at_) {
      fmt::format_to(text_.data() + at, "{}", ++version_);
    }
  }
  std::string_view text() const { return text_; }

 private:
  static constexpr std::string_view kNoVersion = "1000000000";
  std::string text_;
  std::vector<size_t> versions_at_;
  uint64_t version_ = 1000000000;
};

class OpenStream : public http::Stream {
 public:
  void Cancel() override {}
  void Pause() override {}
  void Resume() override {}
};

http::Response Ok() {
  http::Response head;
  head.status = 200;
  return head;
}

// Lists nothing and leaves the watch open, to be fed.
class FedTransport : public kube::Transport {
 public:
  Result<http::Response> Send(http::Request, const WaitLimit&) override {
    return UnavailableError("only streams here");
  }
  std::unique_ptr<http::Stream> Start(http::Request request, http::StreamHandler& handler,
                                      const http::StreamOptions&) override {
    if (request.target.find("watch=") != std::string::npos) {
      watch_ = &handler;
      watching_.set_value();
    }
    loop_.Post([this, &handler] {
      handler.OnHead(Ok());
      if (&handler != watch_) {
        const std::string list =
            R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]})";
        handler.OnData(list, list.size());
        handler.OnEnd({});
      }
    });
    return std::make_unique<OpenStream>();
  }
  net::EventLoop& loop() override { return loop_; }

  void AwaitWatch() { watching_.get_future().wait(); }
  // On the loop, as bytes from a socket would arrive; returns how long it took.
  double Feed(Events& events, size_t times) {
    std::promise<double> took;
    loop_.Post([&] {
      const SteadyTime begin = RealClock().Now();
      for (size_t i = 0; i < times; ++i) {
        events.Renew();
        const std::string_view text = events.text();
        for (size_t at = 0; at < text.size(); at += kPiece) {
          watch_->OnData(text.substr(at, kPiece), std::min(kPiece, text.size() - at));
        }
      }
      took.set_value(std::chrono::duration<double>(RealClock().Now() - begin).count());
    });
    return took.get_future().get();
  }

 private:
  net::EventLoop loop_{"decode"};
  http::StreamHandler* watch_ = nullptr;
  std::promise<void> watching_;
};

}  // namespace

Result<std::string> Decode(size_t events) {
  FedTransport transport;
  kube::Client client(transport, RealClock());
  controller::Informer informer(client, RealClock(), kube::types::Pods(), {}, PodFields::Fields(),
                                {}, {}, Logger::Null(), nullptr);
  size_t seen = 0;
  informer.OnChange([&seen](const controller::Change&) { ++seen; });
  informer.Start();
  transport.AwaitWatch();
  Events text;
  const size_t times = std::max<size_t>(events / kPods, 1);
  const double seconds = transport.Feed(text, times);
  informer.Stop();
  if (seen < times * kPods) {
    return DataLossError(fmt::format("{} of {} changes reached the cache", seen, times * kPods));
  }
  return fmt::format(R"({{"event":"decode","items":{},"seconds":{:.6f}}})", times * kPods, seconds);
}

}  // namespace hearth::bench
