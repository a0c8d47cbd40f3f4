#include "http/internal/client_connection.h"

#include <utility>

namespace hearth::http {
namespace {

using net::IoCode;
using net::IoResult;

// Buffers read before the loop's other connections get their turn.
constexpr int kReadsPerTurn = 16;

}  // namespace

ClientConnection::ClientConnection(net::EventLoop& loop, std::unique_ptr<net::Transport> transport,
                                   size_t max_head_bytes, uint64_t generation, Owner& owner)
    : loop_(loop),
      transport_(std::move(transport)),
      max_head_bytes_(max_head_bytes),
      generation_(generation),
      owner_(&owner),
      idle_since_(std::chrono::steady_clock::now()) {}

void ClientConnection::Begin(std::shared_ptr<Exchange> exchange) {
  exchange_ = std::move(exchange);
  exchange_->connection = this;
  exchange_->Touch(std::chrono::steady_clock::now());
  decoder_ = std::make_unique<ResponseDecoder>(
      ResponseDecoder::Options{.max_head_bytes = max_head_bytes_,
                               .answers_head = exchange_->request().is_head},
      *this);
  written_ = 0;
  BeginLife();
  ContinueWriting();
  // Also while still writing: a server may refuse a long body before it has read it.
  if (exchange_ != nullptr) {
    WaitToRead();
  }
}

std::string_view ClientConnection::UnwrittenBytes() const {
  const std::string_view head = exchange_->request().head;
  const std::string_view body = exchange_->request().body;
  return written_ < head.size() ? head.substr(written_) : body.substr(written_ - head.size());
}

void ClientConnection::ContinueWriting() {
  while (exchange_ != nullptr && !write_failed_ && !write_waits_) {
    const std::string_view bytes = UnwrittenBytes();
    if (bytes.empty()) {
      return;
    }
    IoResult result = transport_->Write(bytes);
    switch (result.code) {
      case IoCode::kOk:
        written_ += result.bytes;
        break;
      case IoCode::kWantWrite:
        WaitToWrite();
        return;
      case IoCode::kWantRead:
        write_needs_read_ = true;
        return;
      default:
        // The server may have answered before it closed, so reading decides. Only a request of
        // which nothing left is safe to send again, and that must be known now.
        write_failed_ = true;
        if (written_ == 0 && used_before_) {
          OnBroken(result.status);
        }
    }
  }
}

void ClientConnection::WaitToWrite() {
  write_waits_ = true;
  transport_->WaitWritable([self = shared_from_this()](bool open) {
    self->write_waits_ = false;
    if (open) {
      self->ContinueWriting();
    }
  });
}

void ClientConnection::WaitToRead() {
  if (read_waits_ || transport_->closed()) {
    return;
  }
  read_waits_ = true;
  // A server writes a watch event in several pieces; to wake up for each would cost more than the
  // event.
  transport_->ExpectBytes(decoder_ != nullptr ? decoder_->bytes_owed() : 0);
  transport_->WaitReadable([self = shared_from_this()](bool open) {
    self->read_waits_ = false;
    if (open) {
      self->OnReadable();
    }
  });
}

void ClientConnection::OnReadable() {
  if (exchange_ == nullptr) {
    LookAtIdleSocket();
    return;
  }
  if (std::exchange(write_needs_read_, false)) {
    ContinueWriting();
  }
  Advance();
}

// Bytes nobody asked for, or the end: either way the connection is of no more use. TLS may be
// talking to itself, though.
void ClientConnection::LookAtIdleSocket() {
  char byte = 0;
  if (transport_->Read(&byte, 1).code == IoCode::kWantRead) {
    WaitToRead();
    return;
  }
  Close();
}

void ClientConnection::Resume() {
  if (exchange_ != nullptr) {
    exchange_->Touch(std::chrono::steady_clock::now());
    Advance();
  }
}

void ClientConnection::Advance() {
  const auto self = shared_from_this();  // a handler may end everything
  for (int reads = 0; exchange_ != nullptr; ++reads) {
    if (exchange_->cancelled()) {
      Abort(CancelledError("cancelled"));
      return;
    }
    if (exchange_->has_held_body() && !exchange_->paused()) {
      const std::shared_ptr<Exchange> exchange = exchange_;
      exchange->DeliverHeldBody();
      FinishIfDone();
      continue;
    }
    if (exchange_->paused()) {
      return;
    }
    if (reads == kReadsPerTurn) {
      if (!std::exchange(advance_posted_, true)) {
        loop_.Post([self] {
          self->advance_posted_ = false;
          self->Advance();
        });
      }
      return;
    }
    if (!ReadOnce()) {
      return;
    }
  }
}

// False when there is nothing to read now.
bool ClientConnection::ReadOnce() {
  constexpr size_t kSize = net::EventLoop::Impl::kBufferSize;
  IoResult result = transport_->Read(loop_.impl().read_buffer(), kSize);
  switch (result.code) {
    case IoCode::kOk:
      TakeBytes(result.bytes);
      return true;
    case IoCode::kWantRead:
      if (transport_->TakeSignOfLife()) {
        life_.OnSign(std::chrono::steady_clock::now());
        if (owner_ != nullptr) {
          owner_->OnSignOfLife(life_.proven());
        }
      }
      WaitToRead();
      return false;
    case IoCode::kWantWrite:
      // A key change of TLS; rare enough to be served by the next turn of the loop.
      transport_->WaitWritable([self = shared_from_this()](bool open) {
        if (open) {
          self->Advance();
        }
      });
      return false;
    case IoCode::kClosed:
    case IoCode::kCut:
      OnEnd(result.code == IoCode::kClosed);
      return false;
    default:
      OnBroken(result.status);
      return false;
  }
}

void ClientConnection::TakeBytes(size_t count) {
  const std::shared_ptr<Exchange> exchange = exchange_;
  if (exchange->limits_idle_time() || life_.on()) {
    const SteadyTime now = std::chrono::steady_clock::now();
    exchange->Touch(now);
    life_.OnData(now);
    (void)transport_->TakeSignOfLife();  // came with data
  }
  const size_t readable = count + net::EventLoop::Impl::kPadding;
  const Status status = decoder_->Decode({loop_.impl().read_buffer(), count}, readable);
  if (exchange_ != exchange) {
    return;  // a handler ended it
  }
  if (!status.ok()) {
    Abort(status);
    return;
  }
  FinishIfDone();
}

void ClientConnection::OnHead(Response head) {
  if (exchange_ != nullptr) {
    exchange_->TakeHead(std::move(head));
  }
}

void ClientConnection::OnBody(std::string_view bytes, size_t readable) {
  if (exchange_ != nullptr) {
    exchange_->TakeBody(bytes, readable);
  }
}

void ClientConnection::FinishIfDone() {
  if (exchange_ == nullptr) {
    return;
  }
  if (!exchange_->body_failure().ok()) {
    Abort(exchange_->body_failure());
    return;
  }
  if (!decoder_->done() || exchange_->has_held_body()) {
    return;
  }
  const Status status = exchange_->CheckBodyEnd();
  const bool reusable = status.ok() && decoder_->reusable() && UnwrittenBytes().empty();
  if (!reusable) {
    Abort(status);
    return;
  }
  decoder_ = nullptr;
  life_timer_ = nullptr;
  used_before_ = true;
  idle_since_ = std::chrono::steady_clock::now();
  const std::shared_ptr<Exchange> exchange = std::exchange(exchange_, nullptr);
  exchange->connection = nullptr;
  if (owner_ != nullptr) {
    owner_->OnIdle(*this);
  }
  exchange->Finish(status);
}

void ClientConnection::OnEnd(bool clean) {
  NoteHangUp();
  if (MayRetry()) {
    OnBroken(UnavailableError("the server closed the connection"));
    return;
  }
  if (!decoder_->started()) {
    OnBroken(UnavailableError("the server closed the connection without an answer"));
    return;
  }
  const Status status = decoder_->DecodeEnd(clean);
  if (status.ok()) {
    FinishIfDone();
  } else {
    Abort(status);
  }
}

bool ClientConnection::MayRetry() const {
  return used_before_ && !decoder_->started() && !exchange_->needs_new_connection &&
         (exchange_->request().only_reads || written_ == 0);
}

void ClientConnection::OnBroken(const Status& status) {
  NoteHangUp();
  if (!MayRetry() || owner_ == nullptr) {
    Abort(status);
    return;
  }
  std::shared_ptr<Exchange> exchange = std::exchange(exchange_, nullptr);
  exchange->connection = nullptr;
  exchange->needs_new_connection = true;
  const auto self = shared_from_this();
  Owner* const owner = owner_;
  Close();
  owner->OnRetry(std::move(exchange));
}

void ClientConnection::Abort(const Status& status) {
  const auto self = shared_from_this();
  const std::shared_ptr<Exchange> exchange = std::exchange(exchange_, nullptr);
  Close();
  if (exchange != nullptr) {
    exchange->connection = nullptr;
    exchange->Finish(status);
  }
}

void ClientConnection::BeginLife() {
  const bool may_ask = owner_ != nullptr && owner_->MayBeAsked();
  life_.Begin(may_ask ? exchange_->ask_for_life_after() : Duration::max(),
              std::chrono::steady_clock::now(), may_ask && owner_->GivesSignsOfLife());
  WatchLife();
}

void ClientConnection::NoteHangUp() {
  if (owner_ != nullptr && life_.tries()) {
    owner_->OnHungUpWhenAsked();
  }
}

// Looked at again when it rings: arrivals do not touch the timer.
void ClientConnection::WatchLife() {
  if (exchange_ == nullptr || life_.next() == SteadyTime::max()) {
    life_timer_ = nullptr;
    return;
  }
  life_timer_ =
      loop_.After(life_.next() - std::chrono::steady_clock::now(), [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
          self->CheckLife();
        }
      });
}

void ClientConnection::CheckLife() {
  if (exchange_ == nullptr) {
    return;
  }
  const SteadyTime now = std::chrono::steady_clock::now();
  if (exchange_->paused() || !UnwrittenBytes().empty()) {
    life_.OnData(now);  // it is we who do not listen, or have not asked for anything yet
  }
  switch (life_.Check(now)) {
    case LifeSigns::Verdict::kDead:
      if (owner_ != nullptr) {
        owner_->OnNoSignOfLife();
      }
      Abort(DeadlineError("the server is silent and gives no sign of life any more"));
      return;
    case LifeSigns::Verdict::kAsk:
      transport_->ExpectBytes(0);  // the answer is short
      if (!transport_->AskForLife()) {
        life_.GiveUp();
      }
      break;
    case LifeSigns::Verdict::kWait:
      break;
  }
  WatchLife();
}

void ClientConnection::Close() {
  life_timer_ = nullptr;
  transport_->Close();
  if (Owner* const owner = std::exchange(owner_, nullptr)) {
    owner->OnClosed(*this);
  }
}

}  // namespace hearth::http
