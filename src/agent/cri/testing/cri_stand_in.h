#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/container/container.h"

namespace hearth::agent {

// A server of the Container Runtime Interface that says what it is told to, as CRI-O documents it:
// CRI-O itself is not packaged where tests run. Serves until it goes. Thread-safe.
class CriStandIn {
 public:
  struct Held {
    std::string id;
    ContainerState state{.phase = ContainerState::Phase::kRunning};
    int64_t created_at = 1;
    std::map<std::string, std::string> labels;
    std::string image;
    std::string image_reference;
    std::string log_path;
    std::string info;  // empty: the answer has none
  };

  explicit CriStandIn(std::string socket);
  ~CriStandIn();
  CriStandIn(const CriStandIn&) = delete;
  CriStandIn& operator=(const CriStandIn&) = delete;

  void Name(const std::string& runtime, const std::string& version);
  void Hold(Held container);  // in the place of one with the same id
  void Remove(const std::string& id);
  // Answers every question with this id, whatever was asked.
  void Confuse(const std::string& id);
  // Calls stay without an answer.
  void FallSilent();
  // Without it streams end at once, as those of CRI-O do where they are switched off.
  void ServeEvents();
  void Tell(const ContainerEvent& event);  // to whoever watches
  void AwaitWatchers(int count);
  void AwaitLists(int count);                // of containers, that were asked for
  std::vector<std::string> stopped() const;  // "id after N s"
  const std::string& socket() const { return socket_; }

 private:
  class Service;
  std::string socket_;
  std::unique_ptr<Service> service_;
};

}  // namespace hearth::agent
