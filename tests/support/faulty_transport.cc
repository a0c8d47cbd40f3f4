#include "faulty_transport.h"

#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "http/testing/scripted_server.h"

namespace hearth {
namespace {

constexpr std::string_view kGoneEvent =
    R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,)"
    R"("message":"too old resource version"}})"
    "\n";

bool IsWatch(const http::Request& request) {
  return request.target.find("watch=true") != std::string::npos;
}

}  // namespace

// Stands between the real stream and its handler. Everything happens on the loop.
class FaultyTransport::FaultyStream : public http::Stream, public http::StreamHandler {
 public:
  FaultyStream(FaultyTransport& owner, http::StreamHandler& handler, bool watch, std::string target)
      : owner_(owner), handler_(handler), watch_(watch), target_(std::move(target)) {}
  ~FaultyStream() override {
    const std::lock_guard lock(owner_.mutex_);
    owner_.streams_.erase(this);
  }

  void Begin(std::unique_ptr<http::Stream> real) { real_ = std::move(real); }
  void Cancel() override { real_->Cancel(); }
  void Pause() override { real_->Pause(); }
  void Resume() override { real_->Resume(); }

  void OnHead(http::Response head) override {
    if (!over_) {
      handler_.OnHead(std::move(head));
    }
  }
  void OnData(std::string_view bytes, size_t capacity) override {
    if (over_) {
      return;
    }
    if (watch_ && owner_.Holding(target_)) {
      held_.append(bytes);
      return;
    }
    if (!held_.empty()) {  // came first
      held_.append(bytes);
      Release();
      return;
    }
    handler_.OnData(bytes, capacity);
  }
  void OnEnd(Status status) override {
    if (!std::exchange(over_, true)) {
      handler_.OnEnd(std::move(status));
    }
  }

  bool watch() const { return watch_; }
  void Release() {
    const std::string bytes = std::exchange(held_, {});
    if (!over_ && !bytes.empty()) {
      handler_.OnData(bytes, bytes.size());
    }
  }
  void Expire() {
    if (!over_) {
      held_.clear();
      handler_.OnData(kGoneEvent, kGoneEvent.size());
      OnEnd({});
      real_->Cancel();
    }
  }

 private:
  FaultyTransport& owner_;
  http::StreamHandler& handler_;
  const bool watch_;
  const std::string target_;
  bool over_ = false;
  std::string held_;
  std::unique_ptr<http::Stream> real_;
};

struct FaultyTransport::Liar {
  Liar(net::EventLoop& loop, std::string bytes)
      : server(http::ScriptedServer::Answer(std::move(bytes))),
        client(loop, server.endpoint(), nullptr) {}
  http::ScriptedServer server;
  http::Client client;
};

FaultyTransport::FaultyTransport(kube::Transport& real)
    : real_(real),
      local_(kube::MakeHandlerTransport(
          real.loop(),
          [this](const http::ServerRequest&, std::unique_ptr<http::ResponseWriter> writer) {
            http::Response answer;
            {
              const std::lock_guard lock(mutex_);
              answer = plan_.answer;
            }
            (void)writer->Send(std::move(answer));
          })) {}

FaultyTransport::~FaultyTransport() = default;

bool FaultyTransport::Holding(const std::string& target) const {
  const std::lock_guard lock(mutex_);
  return hold_ && target.find(hold_target_) != std::string::npos;
}

void FaultyTransport::AnswerNext(int count, http::Response answer, Which which) {
  PlanNext(count, {.answer = std::move(answer)}, std::move(which));
}

void FaultyTransport::AnswerNextWithBytes(int count, std::string bytes, Which which) {
  auto liar = std::make_unique<Liar>(real_.loop(), std::move(bytes));
  PlanNext(count, {.liar = liar.get()}, std::move(which));
  liars_.push_back(std::move(liar));
}

void FaultyTransport::PlanNext(int count, Plan plan, Which which) {
  const std::lock_guard lock(mutex_);
  planned_count_ = count;
  plan_ = std::move(plan);
  planned_which_ = std::move(which);
}

void FaultyTransport::OnWatches(const std::function<void(FaultyStream&)>& what) {
  std::promise<void> done;
  real_.loop().Post([&] {
    std::vector<FaultyStream*> streams;
    {
      const std::lock_guard lock(mutex_);
      streams.assign(streams_.begin(), streams_.end());
    }
    for (FaultyStream* stream : streams) {
      if (stream->watch()) {
        what(*stream);
      }
    }
    done.set_value();
  });
  done.get_future().wait();
}

void FaultyTransport::ExpireWatches() {
  OnWatches([](FaultyStream& stream) { stream.Expire(); });
}

void FaultyTransport::HoldWatches(bool hold, const std::string& target) {
  {
    const std::lock_guard lock(mutex_);
    hold_ = hold;
    hold_target_ = target;
  }
  if (!hold) {
    OnWatches([](FaultyStream& stream) { stream.Release(); });
  }
}

std::vector<std::string> FaultyTransport::Sent() const {
  const std::lock_guard lock(mutex_);
  return sent_;
}

int FaultyTransport::CountSent(const std::string& method) const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(std::count_if(sent_.begin(), sent_.end(), [&](const std::string& line) {
    return line.starts_with(method + " ");
  }));
}

void FaultyTransport::ForgetSent() {
  const std::lock_guard lock(mutex_);
  sent_.clear();
}

int FaultyTransport::open_streams() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(streams_.size());
}

std::optional<FaultyTransport::Plan> FaultyTransport::Planned(const http::Request& request) {
  const std::lock_guard lock(mutex_);
  if (planned_count_ > 0 && (!planned_which_ || planned_which_(request))) {
    --planned_count_;
    return plan_;
  }
  sent_.push_back(request.method + " " + request.target);
  return std::nullopt;
}

Result<http::Response> FaultyTransport::Send(http::Request request, const WaitLimit& limit) {
  if (auto planned = Planned(request)) {
    return planned->liar != nullptr ? planned->liar->client.Send(std::move(request), limit)
                                    : std::move(planned->answer);
  }
  const std::string line = request.method + " " + request.target;
  auto response = real_.Send(std::move(request), limit);
  if (response.ok() && response->status == 403) {
    const std::lock_guard lock(mutex_);
    forbidden_.push_back(line);
  }
  return response;
}

std::vector<std::string> FaultyTransport::Forbidden() const {
  const std::lock_guard lock(mutex_);
  return forbidden_;
}

std::unique_ptr<http::Stream> FaultyTransport::Start(http::Request request,
                                                     http::StreamHandler& handler,
                                                     const http::StreamOptions& options) {
  const auto planned = Planned(request);
  if (planned && planned->liar != nullptr) {
    return planned->liar->client.Start(std::move(request), handler, options);
  }
  if (planned) {
    // An answer from a server of our own making, through the same code as any other.
    return local_->Start(std::move(request), handler, options);
  }
  auto stream = std::make_unique<FaultyStream>(*this, handler, IsWatch(request), request.target);
  {
    const std::lock_guard lock(mutex_);
    streams_.insert(stream.get());
  }
  stream->Begin(real_.Start(std::move(request), *stream, options));
  return stream;
}

}  // namespace hearth
