#include "admission/webhook/internal/questions.h"

#include <utility>

namespace hearth::admission::webhook::internal {
namespace {

// In place of an answer that is not known yet.
Status Unknown() { return UnavailableError("not asked yet"); }

// The answer that is known; nothing, and the question is noted, when there is none.
template <typename Noted, typename Question>
auto Find(Noted& noted, const std::string& text, const Question& question) {
  return noted.try_emplace(text, typename Noted::mapped_type{question, {}}).first->second.answer;
}

template <typename Noted, typename Function>
bool AskEach(Noted& noted, const Function& function) {
  bool asked = false;
  for (auto& [text, one] : noted) {
    if (!one.answer) {
      one.answer.emplace(function(one.question));
      asked = true;
    }
  }
  return asked;
}

}  // namespace

Questions::Questions(const Services& services) : real_(services), asking_(services) {
  if (asking_.templates.may_read) {
    NoteTemplates();
  }
  if (asking_.guard.read_set) {
    NoteSets();
  }
  if (asking_.restore.read_checkpoint) {
    NoteCheckpoints();
  }
}

void Questions::NoteTemplates() {
  asking_.templates.may_read = [this](const json::Value& user_info, const kube::ObjectKey& key,
                                      const WaitLimit&) -> Result<bool> {
    user_info_ = user_info;
    // Made up so that the others are noted as well.
    return Find(templates_, key.ToString(), key).value_or(true);
  };
}

void Questions::NoteSets() {
  asking_.guard.read_set = [this](const kube::ObjectKey& key) -> Result<json::Value> {
    return Find(sets_, key.ToString(), key).value_or(Unknown());
  };
}

void Questions::NoteCheckpoints() {
  asking_.restore.read_checkpoint =
      [this](const pod_restore::Candidate& candidate) -> Result<pod_restore::CheckpointFacts> {
    return Find(checkpoints_, candidate.name_space + "/" + candidate.checkpoint, candidate)
        .value_or(Unknown());
  };
}

// Together by one limit; who cannot be asked once is not asked again.
bool Questions::AskTemplates() {
  std::optional<Status> failed;
  const WaitLimit limit = real_.templates.limit();
  return AskEach(templates_, [&](const kube::ObjectKey& key) -> Result<bool> {
    if (failed) {
      return *failed;
    }
    auto may = real_.templates.may_read(user_info_, key, limit);
    if (!may.ok()) {
      failed = may.status();
    }
    return may;
  });
}

bool Questions::Ask() {
  const bool asked_templates = AskTemplates();
  const bool asked_sets = AskEach(sets_, real_.guard.read_set);
  const bool asked_checkpoints = AskEach(checkpoints_, real_.restore.read_checkpoint);
  return asked_templates || asked_sets || asked_checkpoints;
}

}  // namespace hearth::admission::webhook::internal
