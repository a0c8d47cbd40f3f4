#include "http/internal/server_connection.h"

#include <utility>

namespace hearth::http {
namespace {

using net::IoCode;
using net::IoResult;

constexpr int kReadsPerTurn = 16;
// Bytes of further requests taken in while one is being answered. Beyond that the client waits.
constexpr size_t kMaxPipelined = 64 << 10;
// How long a client that still sends may take to read our last words.
constexpr Duration kLingerTime = std::chrono::seconds(2);

SteadyTime Now() { return std::chrono::steady_clock::now(); }

SteadyTime After(SteadyTime now, Duration delay) {
  return delay >= SteadyTime::max() - now ? SteadyTime::max() : now + delay;
}

Status OutOfMemory() {
  return UnavailableError("the server holds as many bytes of other requests as it may; try again")
      .WithHttpCode(503);
}

}  // namespace

ServerConnection::ServerConnection(net::EventLoop& loop, std::unique_ptr<net::Transport> transport,
                                   Peer peer, const Settings& settings, Owner& owner)
    : loop_(loop),
      transport_(std::move(transport)),
      peer_(std::move(peer)),
      settings_(settings),
      owner_(&owner),
      decoder_(std::make_unique<RequestDecoder>(settings.limits, *this)) {}

void ServerConnection::Start() {
  waiting_since_ = Now();
  SetDeadline(settings_.read_timeout);
  ShakeHands();
}

void ServerConnection::ShakeHands() {
  const IoResult result = transport_->Handshake();
  const auto again = [self = shared_from_this()](bool open) {
    if (open) {
      self->ShakeHands();
    }
  };
  switch (result.code) {
    case IoCode::kOk:
      OnHandshakeDone();
      break;
    case IoCode::kWantRead:
      transport_->WaitReadable(again);
      break;
    case IoCode::kWantWrite:
      transport_->WaitWritable(again);
      break;
    default:
      Close();
  }
}

void ServerConnection::OnHandshakeDone() {
  net::PeerIdentity identity = transport_->peer();
  peer_.certificate_common_name = std::move(identity.common_name);
  peer_.certificate_organizations = std::move(identity.organizations);
  state_ = State::kReading;
  ReadOnwards();
}

bool ServerConnection::WantsToRead() const {
  switch (state_) {
    case State::kReading:
    case State::kLingering:
      return true;
    case State::kAnswering:
      if (client_done_ || body_broken_) {
        return false;
      }
      // Reading on while the handler works is how we notice that the client hangs up.
      return decoder_->done() ? pipelined_.size() < kMaxPipelined
                              : exchange_ != nullptr && exchange_->WantsBody();
    default:
      return false;
  }
}

void ServerConnection::ReadOnwards() {
  const auto self = shared_from_this();
  for (int reads = 0; WantsToRead(); ++reads) {
    if (reads == kReadsPerTurn) {
      if (!std::exchange(read_posted_, true)) {
        loop_.Post([self] {
          self->read_posted_ = false;
          self->ReadOnwards();
        });
      }
      return;
    }
    if (!ReadOnce()) {
      return;
    }
  }
}

bool ServerConnection::ReadOnce() {
  char* const buffer = loop_.impl().read_buffer();
  const IoResult result = transport_->Read(buffer, net::EventLoop::Impl::kBufferSize);
  switch (result.code) {
    case IoCode::kOk:
      TakeBytes({buffer, result.bytes});
      return true;
    case IoCode::kWantRead:
      WaitToRead();
      return false;
    case IoCode::kWantWrite:
      transport_->WaitWritable([self = shared_from_this()](bool open) {
        if (open) {
          self->ReadOnwards();
        }
      });
      return false;
    case IoCode::kClosed:
    case IoCode::kCut:
      OnEnd();
      return false;
    default:
      Close();
      return false;
  }
}

void ServerConnection::WaitToRead() {
  if (std::exchange(read_waits_, true)) {
    return;
  }
  transport_->WaitReadable([self = shared_from_this()](bool open) {
    self->read_waits_ = false;
    if (open) {
      self->ReadOnwards();
    }
  });
}

void ServerConnection::TakeBytes(std::string_view bytes) {
  if (state_ == State::kLingering) {
    return;
  }
  if (decoder_->done()) {
    pipelined_.append(bytes);
    return;
  }
  Decode(bytes);
}

void ServerConnection::Decode(std::string_view bytes) {
  // A request that has begun must arrive in time; a handler that reads for itself sets the pace, so
  // each piece counts anew.
  if (!decoder_->started() || exchange_ != nullptr) {
    waiting_since_ = Now();
    SetDeadline(settings_.read_timeout);
  }
  const Result<size_t> taken = decoder_->Decode(bytes);
  if (!taken.ok() || out_of_memory_) {
    Refuse(out_of_memory_ ? OutOfMemory() : taken.status());
    return;
  }
  pipelined_.append(bytes.substr(*taken));
  OnDecoded();
}

void ServerConnection::OnHead(RequestHead head) {
  head_ = std::move(head);
  if (settings_.streaming) {
    BeginExchange();
  } else if (head_.expects_continue) {
    out_.emplace_back("HTTP/1.1 100 Continue\r\n\r\n");
    Flush();
  }
}

void ServerConnection::OnBody(std::string_view bytes) {
  if (exchange_ != nullptr) {
    exchange_->PushBody(bytes);
  } else if (!out_of_memory_ && Hold(bytes.size())) {
    body_.append(bytes);
  } else {
    out_of_memory_ = true;
  }
}

bool ServerConnection::Hold(size_t bytes) {
  if (share_ == nullptr) {
    share_ = settings_.bodies->NewShare();
  }
  while (!share_->Grow(bytes)) {
    if (!owner_->MakeRoomFor(*this)) {
      return false;
    }
  }
  return true;
}

void ServerConnection::GiveWay() {
  if (state_ == State::kReading) {
    Refuse(OutOfMemory());
  } else {
    Close();
  }
}

// Handed over only now and not with the head: most bodies are complete by then, and the connection
// can be kept.
void ServerConnection::OnDecoded() {
  if (state_ == State::kClosed) {
    return;
  }
  if (decoder_->done()) {
    ClearDeadline();
    if (exchange_ == nullptr) {
      BeginExchange();
    }
    exchange_->EndBody(Status::Ok());
  }
  if (exchange_ == nullptr) {
    return;
  }
  if (!exchange_->WantsBody()) {
    ClearDeadline();
  }
  if (!handed_over_) {
    HandOver();
  }
}

void ServerConnection::BeginExchange() {
  exchange_ = std::make_shared<ServerExchange>(
      AnswerRules{.to_head = head_.message.method == "HEAD",
                  .http_1_0 = head_.http_1_0,
                  .keep_alive = head_.keep_alive && !stopping_,
                  .expects_continue = settings_.streaming && head_.expects_continue});
  exchange_->Keep(share_);
  handed_over_ = false;
  // The poke keeps the connection alive until Detach drops it.
  exchange_->SetPoke([self = shared_from_this(), which = exchange_.get()] {
    self->loop_.Post([self, which] { self->OnPoke(which); });
  });
  if (stopping_) {
    exchange_->RequestStop();
  }
}

void ServerConnection::HandOver() {
  state_ = State::kAnswering;
  handed_over_ = true;
  ServerRequest request;
  request.message = std::move(head_.message);
  request.message.body = std::exchange(body_, {});
  request.peer = peer_;
  request.stop = exchange_->stop();
  if (settings_.streaming) {
    request.body = NewBodyReader(exchange_);
  }
  owner_->Handle(std::move(request), exchange_);
}

// The request cannot be understood or is too much. When its handler is already at work, the handler
// answers.
void ServerConnection::Refuse(const Status& status) {
  ClearDeadline();
  body_broken_ = true;
  if (handed_over_) {
    exchange_->EndBody(status);
    return;
  }
  if (exchange_ != nullptr) {
    exchange_->Detach();
    exchange_ = nullptr;
  }
  body_ = {};
  share_ = nullptr;
  out_of_memory_ = false;
  state_ = State::kAnswering;
  const Response response{.status = status.http_code(),
                          .headers = {{"Content-Type", "text/plain"}},
                          .body = std::string(status.message()) + "\n"};
  Result<std::string> head = WriteResponseHead(
      response, {.content_length = response.body.size(), .chunked = false, .close = true});
  out_.push_back(std::move(head).value_or("") + response.body);
  close_after_ = true;
  answer_finished_ = true;
  Flush();
}

void ServerConnection::OnEnd() {
  client_done_ = true;
  if (state_ != State::kAnswering) {
    Close();
    return;
  }
  if (exchange_ != nullptr) {
    if (!decoder_->done()) {
      exchange_->EndBody(UnavailableError("the client closed before the request was complete"));
    }
    exchange_->OnHangUp();
  }
}

void ServerConnection::OnPoke(const ServerExchange* exchange) {
  if (exchange_.get() != exchange || state_ != State::kAnswering) {
    return;
  }
  ServerExchange::Outgoing outgoing = exchange_->TakeOutgoing();
  if (outgoing.aborted) {
    Close();
    return;
  }
  if (outgoing.send_continue) {
    out_.emplace_back("HTTP/1.1 100 Continue\r\n\r\n");
  }
  for (std::string& piece : outgoing.pieces) {
    out_.push_back(std::move(piece));
  }
  answer_finished_ = outgoing.finished;
  close_after_ = close_after_ || outgoing.close;
  const auto self = shared_from_this();
  Flush();
  if (exchange_ != nullptr && !decoder_->done() && exchange_->WantsBody()) {
    SetDeadline(settings_.read_timeout);
  }
  ReadOnwards();
}

void ServerConnection::Flush() {
  while (!out_.empty() && !write_waits_) {
    const std::string_view bytes = std::string_view(out_.front()).substr(out_offset_);
    const IoResult result = bytes.empty() ? IoResult::Moved(0) : transport_->Write(bytes);
    if (result.code == IoCode::kWantWrite || result.code == IoCode::kWantRead) {
      OnWriteBlocked();
      return;
    }
    if (result.code != IoCode::kOk) {
      Close();
      return;
    }
    if (exchange_ != nullptr) {
      exchange_->OnWritten(result.bytes);
    }
    out_offset_ += result.bytes;
    if (out_offset_ == out_.front().size()) {
      out_.pop_front();
      out_offset_ = 0;
    }
  }
  if (out_.empty()) {
    OnAnswerTaken();
  }
  if (out_.empty() && answer_finished_) {
    OnFlushed();
  }
}

// A client that does not take its answer is as good as gone. One that takes it in drops is, too,
// unless the handler makes it in drops.
void ServerConnection::OnWriteBlocked() {
  if (blocked_since_ == SteadyTime::max() || settings_.streaming) {
    blocked_since_ = Now();
    write_deadline_ = After(blocked_since_, settings_.idle_timeout);
    WatchDeadline();
  }
  write_waits_ = true;
  transport_->WaitWritable([self = shared_from_this()](bool open) {
    self->write_waits_ = false;
    if (open) {
      self->Flush();
    }
  });
}

void ServerConnection::OnAnswerTaken() {
  blocked_since_ = SteadyTime::max();
  write_deadline_ = SteadyTime::max();
}

void ServerConnection::OnFlushed() {
  answer_finished_ = false;
  handed_over_ = false;
  share_ = nullptr;
  if (exchange_ != nullptr) {
    exchange_->Detach();
    exchange_ = nullptr;
  }
  if (client_done_) {
    Close();
  } else if (close_after_ || stopping_ || body_broken_ || !decoder_->done()) {
    Linger();
  } else {
    NextRequest();
  }
}

void ServerConnection::NextRequest() {
  state_ = State::kReading;
  waiting_since_ = Now();
  decoder_ = std::make_unique<RequestDecoder>(settings_.limits, *this);
  SetDeadline(settings_.idle_timeout);
  if (!pipelined_.empty()) {
    Decode(std::exchange(pipelined_, {}));
  }
  ReadOnwards();
}

// Closing at once while the client still sends would reset the connection, and our last words with
// it.
void ServerConnection::Linger() {
  state_ = State::kLingering;
  transport_->ShutdownSend();
  SetDeadline(kLingerTime);
  ReadOnwards();
}

void ServerConnection::Stop() {
  stopping_ = true;
  if (exchange_ != nullptr) {
    exchange_->CloseAfterAnswer();
    exchange_->RequestStop();
  } else if (state_ != State::kAnswering && state_ != State::kLingering && !decoder_->started()) {
    Close();
  }
}

void ServerConnection::Close() {
  if (state_ == State::kClosed) {
    return;
  }
  state_ = State::kClosed;
  const auto self = shared_from_this();
  timer_ = nullptr;
  transport_->Close();
  if (exchange_ != nullptr) {
    exchange_->OnHangUp();
    exchange_->Detach();
    exchange_ = nullptr;
  }
  out_.clear();
  body_ = {};
  share_ = nullptr;
  if (Owner* const owner = std::exchange(owner_, nullptr)) {
    owner->OnClosed(*this);
  }
}

SteadyTime ServerConnection::waiting_since() const {
  return state_ == State::kAnswering ? blocked_since_ : waiting_since_;
}

void ServerConnection::SetDeadline(Duration from_now) {
  deadline_ = After(Now(), from_now);
  WatchDeadline();
}

void ServerConnection::WatchDeadline() {
  if (NextDeadline() >= timer_at_ || state_ == State::kClosed) {
    return;
  }
  timer_at_ = NextDeadline();
  timer_ = loop_.After(timer_at_ - Now(), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->timer_at_ = SteadyTime::max();
      if (Now() >= self->NextDeadline()) {
        self->OnDeadline();
      }
      self->WatchDeadline();
    }
  });
}

void ServerConnection::OnDeadline() {
  const bool takes_all = Now() < write_deadline_ && out_.empty();
  ClearDeadline();
  const bool request_begun = state_ == State::kReading && decoder_->started();
  const bool body_stalls = state_ == State::kAnswering && exchange_ != nullptr;
  if (takes_all && request_begun) {
    Refuse(DeadlineError("the request did not arrive in time").WithHttpCode(408));
  } else if (takes_all && body_stalls) {
    body_broken_ = true;
    exchange_->EndBody(DeadlineError("the request's body did not arrive in time"));
  } else {
    Close();
  }
}

}  // namespace hearth::http
