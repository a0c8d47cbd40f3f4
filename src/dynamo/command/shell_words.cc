#include "dynamo/command/shell_words.h"

#include <algorithm>
#include <utility>

namespace hearth::dynamo {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kOperators = "|&;()\n";
constexpr std::string_view kRedirections = "<>";

bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

class Scanner {
 public:
  explicit Scanner(std::string_view script) : script_(script) {}

  std::vector<ShellCommand> Run() {
    while (!AtEnd()) {
      const char c = Peek();
      if (IsOneOf(c, kBlanks)) {
        ++at_;
      } else if (script_.substr(at_).starts_with("\\\n")) {
        at_ += 2;
      } else if (c == '#') {
        at_ = std::min(script_.find('\n', at_), script_.size());
      } else if (IsOneOf(c, kOperators)) {
        ++at_;
        EndCommand();
      } else if (IsOneOf(c, kRedirections)) {
        Redirection();
      } else {
        Word();
      }
    }
    EndCommand();
    return std::move(commands_);
  }

 private:
  bool AtEnd() const { return at_ >= script_.size(); }
  char Peek() const { return script_[at_]; }

  void EndCommand() {
    if (!command_.empty()) {
      commands_.push_back(std::move(command_));
      command_.clear();
    }
    skip_next_ = false;
  }

  // ">", ">>", "<", ">&1", "&>" reaches us as '&' and '>'.
  void Redirection() {
    while (!AtEnd() && (IsOneOf(Peek(), kRedirections) || Peek() == '&')) {
      ++at_;
    }
    skip_next_ = true;
  }

  void Word() {
    ShellWord word;
    word.begin = at_;
    while (!AtEnd() && !IsOneOf(Peek(), kBlanks) && !IsOneOf(Peek(), kOperators) &&
           !IsOneOf(Peek(), kRedirections)) {
      Piece(word.text);
    }
    word.end = at_;
    // A number before a redirection is the descriptor that it is about.
    const bool descriptor = !AtEnd() && IsOneOf(Peek(), kRedirections) && !word.text.empty() &&
                            std::all_of(word.text.begin(), word.text.end(),
                                        [](char c) { return c >= '0' && c <= '9'; });
    if (!std::exchange(skip_next_, false) && !descriptor) {
      command_.push_back(std::move(word));
    }
  }

  void Piece(std::string& text) {
    const char c = Peek();
    if (c == '\\') {
      Escape(text);
    } else if (c == '\'') {
      ++at_;
      TakeUntil('\'', text);
    } else if (c == '"') {
      DoubleQuoted(text);
    } else if (c == '$' || c == '`') {
      Substitution(text);
    } else {
      text += c;
      ++at_;
    }
  }

  void Escape(std::string& text) {
    ++at_;
    if (!AtEnd()) {
      if (Peek() != '\n') {
        text += Peek();
      }
      ++at_;
    }
  }

  void TakeUntil(char end, std::string& text) {
    const size_t close = std::min(script_.find(end, at_), script_.size());
    text += script_.substr(at_, close - at_);
    at_ = std::min(close + 1, script_.size());
  }

  void DoubleQuoted(std::string& text) {
    ++at_;
    while (!AtEnd() && Peek() != '"') {
      if (Peek() == '\\' && at_ + 1 < script_.size() && IsOneOf(script_[at_ + 1], "$`\"\\\n")) {
        Escape(text);
      } else if (Peek() == '$' || Peek() == '`') {
        Substitution(text);
      } else {
        text += Peek();
        ++at_;
      }
    }
    at_ = std::min(at_ + 1, script_.size());
  }

  // Kept as it is written: $(...), ${...}, `...`, or a plain '$'.
  void Substitution(std::string& text) {
    const size_t begin = at_;
    const char c = Peek();
    ++at_;
    if (c == '`') {
      at_ = std::min(script_.find('`', at_), script_.size() - 1) + 1;
    } else if (!AtEnd() && (Peek() == '(' || Peek() == '{')) {
      SkipNested(Peek(), Peek() == '(' ? ')' : '}');
    }
    text += script_.substr(begin, at_ - begin);
  }

  void SkipNested(char open, char close) {
    size_t depth = 0;
    while (!AtEnd()) {
      const char c = Peek();
      ++at_;
      if (c == '\\') {
        at_ = std::min(at_ + 1, script_.size());
      } else if (c == '\'' && open == '(') {
        at_ = std::min(script_.find('\'', at_), script_.size() - 1) + 1;
      } else if (c == open) {
        ++depth;
      } else if (c == close && --depth == 0) {
        return;
      }
    }
  }

  std::string_view script_;
  size_t at_ = 0;
  bool skip_next_ = false;  // the next word is where a redirection goes
  ShellCommand command_;
  std::vector<ShellCommand> commands_;
};

}  // namespace

std::vector<ShellCommand> ShellCommands(std::string_view script) { return Scanner(script).Run(); }

std::string ShellQuoted(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           IsOneOf(c, "-_./=:,@%+");
  });
  if (plain) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace hearth::dynamo
