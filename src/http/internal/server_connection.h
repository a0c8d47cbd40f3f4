#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "http/internal/request_decoder.h"
#include "http/internal/server_exchange.h"
#include "http/server.h"
#include "net/internal/transport.h"

namespace hearth::http {

// One client's connection: reads requests one after the other, gives them to the owner to be
// handled, writes the answers. Used on the loop only.
class ServerConnection : public std::enable_shared_from_this<ServerConnection>,
                         public RequestDecoder::Sink {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // Runs the handler on another thread.
    virtual void Handle(ServerRequest request, std::shared_ptr<ServerExchange> exchange) = 0;
    virtual void OnClosed(ServerConnection& connection) = 0;
    // There is no memory left for the body that this one is receiving. False: it has to go itself.
    virtual bool MakeRoomFor(const ServerConnection& connection) = 0;
  };

  struct Settings {
    RequestDecoder::Limits limits;
    Duration read_timeout;
    Duration idle_timeout;
    bool streaming = false;  // the handler reads the body itself
    std::shared_ptr<BodyBudget> bodies;
  };

  // `owner` must outlive it, up to Close.
  ServerConnection(net::EventLoop& loop, std::unique_ptr<net::Transport> transport, Peer peer,
                   const Settings& settings, Owner& owner);

  void Start();
  // Answers the request under way, if there is one, and closes.
  void Stop();
  void Close();
  // Others need the memory: gives up the request that is arriving or the answer that is not taken.
  void GiveWay();
  // Since when it has been the client's turn: to begin a request, to send the rest of it, to take
  // the answer; max() while it is ours.
  SteadyTime waiting_since() const;
  bool holds_memory() const { return share_ != nullptr && share_->taken() > 0; }

 private:
  enum class State {
    kHandshake,
    kReading,    // a request, or waiting for one
    kAnswering,  // a handler is at work, or a refusal is on its way
    kLingering,  // everything is said; the client may still be talking
    kClosed,
  };

  void OnHead(RequestHead head) override;
  void OnBody(std::string_view bytes) override;

  void ShakeHands();
  void OnHandshakeDone();
  // Reading.
  bool Hold(size_t bytes);
  void ReadOnwards();
  bool WantsToRead() const;
  bool ReadOnce();
  void WaitToRead();
  void TakeBytes(std::string_view bytes);
  void Decode(std::string_view bytes);
  void OnDecoded();
  void OnEnd();
  // Answering.
  void BeginExchange();
  void HandOver();
  void Refuse(const Status& status);
  void OnPoke(const ServerExchange* exchange);
  void Flush();
  void OnFlushed();
  void NextRequest();
  void Linger();
  void OnWriteBlocked();
  void OnAnswerTaken();
  // Time limits: one timer, looked at again when it rings.
  void SetDeadline(Duration from_now);  // for the client to send
  void ClearDeadline() { deadline_ = SteadyTime::max(); }
  SteadyTime NextDeadline() const { return std::min(deadline_, write_deadline_); }
  void WatchDeadline();
  void OnDeadline();

  net::EventLoop& loop_;
  const std::unique_ptr<net::Transport> transport_;
  Peer peer_;
  const Settings settings_;
  Owner* owner_;

  State state_ = State::kHandshake;
  std::unique_ptr<RequestDecoder> decoder_;
  RequestHead head_;                          // until the request is handed over
  std::string body_;                          // likewise, unless streaming
  std::shared_ptr<BodyBudget::Share> share_;  // of the body, until it is answered; may be null
  std::string pipelined_;                     // bytes of the requests behind this one
  std::shared_ptr<ServerExchange> exchange_;
  std::deque<std::string> out_;
  size_t out_offset_ = 0;     // of the first piece, already written
  bool handed_over_ = false;  // a handler has the exchange
  bool answer_finished_ = false;
  bool close_after_ = false;
  bool out_of_memory_ = false;  // for the body that arrives
  bool body_broken_ = false;    // of the request being handled; nothing after it can be read
  bool stopping_ = false;
  bool client_done_ = false;  // it said it sends nothing more
  bool read_waits_ = false;
  bool write_waits_ = false;
  bool read_posted_ = false;

  SteadyTime waiting_since_ = SteadyTime::max();
  SteadyTime blocked_since_ = SteadyTime::max();  // the client does not take what is written
  SteadyTime deadline_ = SteadyTime::max();
  SteadyTime write_deadline_ = SteadyTime::max();
  SteadyTime timer_at_ = SteadyTime::max();
  std::unique_ptr<net::EventLoop::Timer> timer_;
};

}  // namespace hearth::http
