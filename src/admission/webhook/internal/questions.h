#pragma once

#include <map>
#include <optional>
#include <string>

#include "admission/webhook/routes.h"

namespace hearth::admission::webhook::internal {

// What one review asks of the API server, asked while nobody waits for its turn. With `services()`
// a review is looked at without waiting: what is not known yet is noted and made up, so an answer
// counts only when Ask had nothing to do after it. Not thread-safe; `services` must outlive it.
class Questions {
 public:
  explicit Questions(const Services& services);
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;

  const Services& services() const { return asking_; }
  // Asks what was noted. False when there was nothing.
  bool Ask();

 private:
  void NoteTemplates();
  void NoteSets();
  void NoteCheckpoints();
  bool AskTemplates();

  // Questions by their text, and their answers; nothing: not asked yet.
  template <typename Question, typename Answer>
  struct Asked {
    Question question;
    std::optional<Result<Answer>> answer;
  };

  const Services& real_;
  Services asking_;
  json::Value user_info_;  // of the review
  std::map<std::string, Asked<kube::ObjectKey, bool>> templates_;
  std::map<std::string, Asked<kube::ObjectKey, json::Value>> sets_;
  std::map<std::string, Asked<pod_restore::Candidate, pod_restore::CheckpointFacts>> checkpoints_;
};

}  // namespace hearth::admission::webhook::internal
