#include "cli/input/csv_reader.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/interrupt.h"

namespace lakestream::cli {
namespace {

constexpr std::string_view kText =
    "\xEF\xBB\xBFid,name\r\n"
    "1,\"a \"\"b\"\"\nc\"\r\n"
    "\n"
    ",\"\"\n"
    "x\"y,z\n"
    "\"q\"r,s\n"
    "last,\"\"\"\"";

// A record as one text: fields in brackets, a star in front of one in quotes.
std::string show(const CsvReader& reader) {
  std::string text = std::to_string(reader.line());
  for (const CsvField& field : reader.fields()) {
    text += fmt::format("{}[{}]", field.quoted ? "*" : "", field.text);
  }
  return reader.problem() ? text + "!" : text;
}

const std::vector<std::string> kRecords = {
    "1[id][name]", "2[1]*[a \"b\"\nc]", "5[]*[]", "6[x\"y][z]", "7*[q][s]!", "8[last]*[\"]"};

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    end();
  }
  int reader() const { return ends_[0]; }
  void write(std::string_view text) {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void end() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2];
};

// The fields of RFC 4180, with lines counted through quoted ends of lines and empty ones, wherever
// the text is cut in two on its way; and what has not come yet is not waited for.
TEST(CsvReaderTest, EveryCut) {
  Interrupt interrupt;
  for (size_t cut = 0; cut <= kText.size(); ++cut) {
    Pipe pipe;
    Input input(::dup(pipe.reader()), "pipe", &interrupt);
    TextBuffer text(&input);
    CsvReader reader(&text, ',');
    std::vector<std::string> records;
    auto read = [&](bool may_wait) {
      for (;;) {
        Result<Step> step = reader.next(may_wait);
        if (!step) return Step::kEnd;
        if (*step != Step::kRecord) return *step;
        records.push_back(show(reader));
      }
    };
    pipe.write(kText.substr(0, cut));
    EXPECT_EQ(read(false), Step::kPause) << cut;
    pipe.write(kText.substr(cut));
    pipe.end();
    EXPECT_EQ(read(true), Step::kEnd) << cut;
    EXPECT_EQ(records, kRecords) << cut;
  }
}

// Nothing in the input is the end at once.
TEST(CsvReaderTest, Empty) {
  Interrupt interrupt;
  Pipe pipe;
  pipe.end();
  Input input(::dup(pipe.reader()), "pipe", &interrupt);
  TextBuffer text(&input);
  CsvReader reader(&text, ',');
  Result<Step> step = reader.next(true);
  ASSERT_TRUE(step);
  EXPECT_EQ(*step, Step::kEnd);
}

}  // namespace
}  // namespace lakestream::cli
