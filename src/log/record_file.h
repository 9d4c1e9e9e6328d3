#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/endian.h"
#include "base/result.h"

// Small files of our own: eight bytes of kind and version, little-endian fields, a CRC-32C over all
// that precedes it. Whatever is torn, empty or from another version reads as an error.
//
// Thread rule: belongs to one thread at a time.
//
//   RecordWriter writer("lsepoch1");
//   writer.put<int32_t>(7);
//   Bytes content = std::move(writer).finish();
namespace lakestream::log_internal {

class RecordWriter {
 public:
  explicit RecordWriter(std::string_view kind) : content_(kind.begin(), kind.end()) {
    CHECK(kind.size() == 8, "kind of a file");
  }

  template <typename T>
    requires std::is_integral_v<T>
  void put(T value) {
    size_t at = content_.size();
    content_.resize(at + sizeof(T));
    store_le<T>(content_.data() + at, value);
  }
  void put_text(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    content_.insert(content_.end(), text.begin(), text.end());
  }
  Bytes finish() && {
    put(crc32c(content_));
    return Bytes::copy_of(content_.data(), content_.size());
  }

 private:
  std::vector<uint8_t> content_;
};

// Every get of a file that is too short gives zeros; ask complete() before the values are believed.
class RecordReader {
 public:
  RecordReader(Bytes content, std::string_view kind) : content_(std::move(content)) {
    if (content_.size() < kind.size() + sizeof(uint32_t) ||
        content_.view().substr(0, kind.size()) != kind) {
      return;
    }
    size_t end = content_.size() - sizeof(uint32_t);
    if (crc32c(content_.span().first(end)) != load_le<uint32_t>(content_.data() + end)) return;
    position_ = kind.size();
    end_ = end;
    valid_ = true;
  }

  template <typename T>
    requires std::is_integral_v<T>
  T get() {
    if (!take(sizeof(T))) return T{};
    return load_le<T>(content_.data() + position_ - sizeof(T));
  }
  std::string get_text() {
    size_t size = get<uint32_t>();
    if (!take(size)) return {};
    return std::string(content_.view().substr(position_ - size, size));
  }
  // The number of items that follow, each of at least `bytes_min`, so that it can be trusted.
  size_t get_count(size_t bytes_min) {
    size_t count = get<uint32_t>();
    if (count > (end_ - position_) / bytes_min) valid_ = false;
    return valid_ ? count : 0;
  }
  bool valid() const { return valid_; }
  // True when all was read and nothing was missing.
  bool complete() const { return valid_ && position_ == end_; }

 private:
  bool take(size_t size) {
    if (!valid_ || size > end_ - position_) {
      valid_ = false;
      return false;
    }
    position_ += size;
    return true;
  }

  Bytes content_;
  size_t position_ = 0;
  size_t end_ = 0;
  bool valid_ = false;
};

}  // namespace lakestream::log_internal
