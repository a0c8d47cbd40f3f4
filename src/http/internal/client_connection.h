#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "http/internal/exchange.h"
#include "http/internal/life_signs.h"
#include "http/internal/response_decoder.h"
#include "net/internal/transport.h"

namespace hearth::http {

// One connection to the server, which carries one exchange at a time. Used on the loop only.
class ClientConnection : public std::enable_shared_from_this<ClientConnection>,
                         public ResponseDecoder::Sink {
 public:
  // The pool. Told last thing in a step, so it may do what it likes with the connection.
  class Owner {
   public:
    virtual ~Owner() = default;
    // Its exchange is over and it can take another.
    virtual void OnIdle(ClientConnection& connection) = 0;
    virtual void OnClosed(ClientConnection& connection) = 0;
    // The connection was dead before it took the request: send it on a new one.
    virtual void OnRetry(std::shared_ptr<Exchange> exchange) = 0;
    // The server answered when asked whether it lives; `proven`: it can be relied on to do so.
    virtual void OnSignOfLife(bool proven) = 0;
    virtual bool GivesSignsOfLife() const = 0;
    // It hung up instead. Some do not know the question: they must not be asked again.
    virtual void OnHungUpWhenAsked() = 0;
    virtual bool MayBeAsked() const = 0;
    // It gave none. This connection ends; others that nobody uses are no better.
    virtual void OnNoSignOfLife() = 0;
  };

  ClientConnection(net::EventLoop& loop, std::unique_ptr<net::Transport> transport,
                   size_t max_head_bytes, uint64_t generation, Owner& owner);

  // Only when idle.
  void Begin(std::shared_ptr<Exchange> exchange);
  // Goes on with an exchange that was paused.
  void Resume();
  // Ends the exchange, if there is one, with `status`, and the connection.
  void Abort(const Status& status);
  // Hears when the server closes while nobody uses the connection.
  void WatchIdle() { WaitToRead(); }

  // Which certificates it was made with, see ClientPool.
  uint64_t generation() const { return generation_; }
  SteadyTime idle_since() const { return idle_since_; }
  // It carries an exchange that stays for long.
  bool lasting() const { return exchange_ != nullptr && exchange_->lasting(); }

 private:
  void OnHead(Response head) override;
  void OnBody(std::string_view bytes, size_t readable) override;

  void ContinueWriting();
  std::string_view UnwrittenBytes() const;
  void WaitToWrite();
  void WaitToRead();
  void OnReadable();
  void LookAtIdleSocket();
  // Reads and hands on until there is nothing more now, the exchange ends, or others deserve a
  // turn.
  void Advance();
  bool ReadOnce();
  void TakeBytes(size_t count);
  void OnEnd(bool clean);
  void OnBroken(const Status& status);
  bool MayRetry() const;
  void FinishIfDone();
  void BeginLife();
  void WatchLife();
  void NoteHangUp();
  void CheckLife();
  void Close();

  net::EventLoop& loop_;
  const std::unique_ptr<net::Transport> transport_;
  const size_t max_head_bytes_;
  const uint64_t generation_;
  Owner* owner_;

  std::shared_ptr<Exchange> exchange_;
  std::unique_ptr<ResponseDecoder> decoder_;
  size_t written_ = 0;  // of head and body of the request
  bool write_failed_ = false;
  bool write_waits_ = false;
  bool write_needs_read_ = false;  // TLS may want to hear before it speaks
  bool read_waits_ = false;
  bool advance_posted_ = false;
  bool used_before_ = false;
  SteadyTime idle_since_;
  LifeSigns life_;
  std::unique_ptr<net::EventLoop::Timer> life_timer_;
};

}  // namespace hearth::http
