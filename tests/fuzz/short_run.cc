#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "io/random.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// A short run of a fuzzer without libFuzzer: each input of the corpus as it is, then seeded changes
// of them. A fault ends the process as it would under the fuzzer.
//
//   format_fuzz_short CORPUS_DIRECTORY ROUNDS
namespace {

using Input = std::vector<uint8_t>;

std::vector<Input> read_corpus(const char* directory) {
  std::vector<Input> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::ifstream file(entry.path(), std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// Bytes flipped or replaced by borders, a piece cut out or doubled, the tail of another input.
void change(Input* input, const Input& other, lakestream::Random* random) {
  static constexpr uint8_t kBorders[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  uint64_t changes = 1 + random->below(4);
  for (uint64_t i = 0; i < changes && !input->empty(); ++i) {
    size_t at = random->below(input->size());
    size_t length = random->below(std::min<size_t>(input->size() - at, 16) + 1);
    auto from = input->begin() + static_cast<ptrdiff_t>(at);
    switch (random->below(5)) {
      case 0:
        *from ^= static_cast<uint8_t>(1U << random->below(8));
        break;
      case 1:
        *from = kBorders[random->below(std::size(kBorders))];
        break;
      case 2:
        input->erase(from, from + static_cast<ptrdiff_t>(length));
        break;
      case 3: {
        Input piece(from, from + static_cast<ptrdiff_t>(length));
        input->insert(from, piece.begin(), piece.end());
        break;
      }
      default:
        input->resize(at);
        if (at < other.size()) {
          input->insert(input->end(), other.begin() + static_cast<ptrdiff_t>(at), other.end());
        }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY ROUNDS\n", argv[0]);
    return 2;
  }
  std::vector<Input> corpus = read_corpus(argv[1]);
  if (corpus.empty()) {
    std::fprintf(stderr, "%s holds no input\n", argv[1]);
    return 2;
  }
  for (const Input& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());
  lakestream::Random random(1);
  long rounds = std::strtol(argv[2], nullptr, 10);
  for (long round = 0; round < rounds; ++round) {
    Input input = corpus[random.below(corpus.size())];
    change(&input, corpus[random.below(corpus.size())], &random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu inputs and %ld changed ones\n", corpus.size(), rounds);
  return 0;
}
