#include "commands.h"

#include <fmt/format.h>

#include <iostream>
#include <sstream>
#include <string>

#include "controller/work_queue.h"
#include "decode.h"

namespace hearth::bench {
namespace {

double SecondsSince(SteadyTime begin) {
  return std::chrono::duration<double>(RealClock().Now() - begin).count();
}

std::string Storm(Subject& subject, Meter& meter, size_t rounds) {
  const std::vector<kube::ObjectKey> keys = subject.Keys();
  const SteadyTime begin = RealClock().Now();
  for (size_t round = 0; round < rounds && subject.reconciles(); ++round) {
    meter.BeginRound(keys.size());
    for (const kube::ObjectKey& key : keys) {
      subject.Enqueue(key);
    }
    meter.AwaitRound();
  }
  return fmt::format(R"({{"event":"storm","reconciles":{},"seconds":{:.6f}}})",
                     rounds * keys.size(), SecondsSince(begin));
}

// What a key costs in the controller's queue, from being added to being done, with a hundred
// waiting at a time.
std::string Queue(size_t items) {
  controller::WorkQueue queue(RealClock(), {});
  constexpr size_t kWaiting = 100;
  std::vector<kube::ObjectKey> keys(kWaiting);
  for (size_t i = 0; i < kWaiting; ++i) {
    keys[i] = {"default", "pod-" + std::to_string(i)};
  }
  const SteadyTime begin = RealClock().Now();
  kube::ObjectKey key;
  size_t done = 0;
  while (done < items) {
    for (const kube::ObjectKey& added : keys) {
      queue.Add(added);
    }
    for (size_t i = 0; i < kWaiting && queue.Get({}, key); ++i, ++done) {
      queue.Succeeded(key);
    }
  }
  return fmt::format(R"({{"event":"queue","items":{},"seconds":{:.6f}}})", done,
                     SecondsSince(begin));
}

Result<std::string> Obey(Subject& subject, Meter& meter, const std::string& line) {
  std::istringstream words(line);
  std::string command;
  size_t number = 0;
  words >> command >> number;
  if (command == "stats") {
    return meter.TakeStats();
  }
  if (command == "storm") {
    return Storm(subject, meter, number);
  }
  if (command == "queue") {
    return Queue(number);
  }
  if (command == "decode") {
    return Decode(number);
  }
  return InvalidError(fmt::format(
      "unknown command \"{}\": stats, storm ROUNDS, queue ITEMS, decode EVENTS or quit", line));
}

}  // namespace

Status Serve(Subject& subject, Meter& meter, SteadyTime started, std::istream& in,
             std::ostream& out) {
  RETURN_IF_ERROR(subject.AwaitSynced());
  const double seconds = SecondsSince(started);
  const size_t objects = subject.Keys().size();
  out << fmt::format(R"({{"event":"synced","objects":{},"seconds":{:.6f}}})", objects, seconds)
      << std::endl;
  if (subject.reconciles()) {
    meter.AwaitKeys(objects);
  }
  out << R"({"event":"settled"})" << std::endl;
  for (std::string line; std::getline(in, line) && line != "quit";) {
    ASSIGN_OR_RETURN(const std::string answer, Obey(subject, meter, line));
    out << answer << std::endl;
  }
  return {};
}

}  // namespace hearth::bench
