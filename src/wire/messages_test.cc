#include "wire/messages.h"

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "wire/reflection_for_tests.h"

namespace lakestream::wire {
namespace {

using testing::describe;
using testing::for_each_message;
using testing::RandomContent;

Bytes from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return Bytes::copy_of(bytes);
}

struct Vector {
  std::string fields;
  Bytes bytes;
  std::string values;
};

// What the official Java client 1.0.0 encodes; testdata/MessageVectors.java made the file.
std::multimap<std::string, Vector> official_vectors() {
  std::ifstream file(LAKESTREAM_SOURCE_DIR "/src/wire/testdata/official_messages.tsv");
  std::multimap<std::string, Vector> vectors;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string name, fields, hex, values;
    std::getline(cells, name, '\t');
    std::getline(cells, fields, '\t');
    std::getline(cells, hex, '\t');
    std::getline(cells, values, '\t');
    vectors.emplace(name, Vector{fields, from_hex(hex), values});
  }
  return vectors;
}

// The values of a vector in the form of describe().
std::string plain_values(const std::string& values) {
  std::istringstream words(values);
  std::string plain, word;
  while (words >> word) {
    const size_t equals = word.find('=');
    plain += testing::plain_name(word.substr(0, equals)) + word.substr(equals) + " ";
  }
  return plain;
}

template <typename Message>
std::string description(const Message& message) {
  std::string text;
  describe(Message::info(), &message, "", text);
  return text;
}

// Proves that every message is read and written as the official client writes it: each value lands
// in the field of its name, and encoding gives the same bytes again.
TEST(Messages, AgreeWithTheOfficialClient) {
  const std::multimap<std::string, Vector> vectors = official_vectors();
  size_t checked = 0;
  for_each_message([&]<typename Message>() {
    auto [begin, end] = vectors.equal_range(Message::info().name);
    for (auto it = begin; it != end; ++it) {
      SCOPED_TRACE(it->first + ", fields: " + it->second.fields);
      Result<Message> message = Message::decode(it->second.bytes);
      ASSERT_TRUE(message.has_value()) << message.error().to_string();
      EXPECT_EQ(description(*message), plain_values(it->second.values));
      EXPECT_EQ(to_hex(message->encode().flatten().span()), to_hex(it->second.bytes.span()));
      ++checked;
    }
  });
  EXPECT_EQ(checked, vectors.size());
  EXPECT_EQ(checked, 270U);
}

// Proves that a payload cut off at any byte is either refused or a shorter message, never a crash;
// an error names the message and carries a code that no client retries.
TEST(Messages, CutOffAnywhere) {
  const std::multimap<std::string, Vector> vectors = official_vectors();
  for_each_message([&]<typename Message>() {
    auto [begin, end] = vectors.equal_range(Message::info().name);
    for (auto it = begin; it != end; ++it) {
      for (size_t size = 0; size < it->second.bytes.size(); ++size) {
        // A copy of its own size lets the address sanitizer see a read beyond the end.
        const Bytes cut = Bytes::copy_of(it->second.bytes.data(), size);
        Result<Message> message = Message::decode(cut);
        if (message.has_value()) continue;
        EXPECT_NE(message.error().message().find("message "), std::string::npos);
        EXPECT_FALSE(is_retriable(message.error().code()));
      }
    }
  });
}

// Proves that what is encoded decodes to an equal message, for random content of every message.
TEST(Messages, RoundTripOfRandomContent) {
  uint32_t seed = 1;
  for_each_message([&]<typename Message>() {
    for (int round = 0; round < 20; ++round) {
      SCOPED_TRACE(fmt::format("{} seed {}", Message::info().name, seed));
      Message message;
      RandomContent(seed++).fill(Message::info(), &message, 0);
      const Bytes payload = message.encode().flatten();
      Result<Message> decoded = Message::decode(payload);
      ASSERT_TRUE(decoded.has_value()) << decoded.error().to_string();
      EXPECT_TRUE(*decoded == message);
      EXPECT_TRUE(decoded->encode() == message.encode());
    }
  });
}

// Proves that damaged payloads never crash the decoder, and that what it accepts it can write and
// read again.
TEST(Messages, DamagedPayloads) {
  std::mt19937 random(7);
  for_each_message([&]<typename Message>() {
    for (uint32_t round = 0; round < 50; ++round) {
      Message message;
      RandomContent(round).fill(Message::info(), &message, 0);
      std::string text(message.encode().flatten().view());
      if (text.empty()) continue;
      for (int i = 0; i < 3; ++i) text[random() % text.size()] = static_cast<char>(random());
      Result<Message> decoded = Message::decode(Bytes::copy_of(text));
      if (!decoded.has_value()) continue;
      Result<Message> again = Message::decode(decoded->encode().flatten());
      ASSERT_TRUE(again.has_value()) << again.error().to_string();
      EXPECT_EQ(description(*again), description(*decoded));
    }
  });
}

}  // namespace
}  // namespace lakestream::wire
