#include "lake/avro/avro_codec.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include <zlib.h>
#include <zstd.h>

namespace lakestream::avro {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"null", "deflate", "zstandard"};
constexpr int kZstandardLevel = 3;
constexpr int kRawDeflate = -MAX_WBITS;  // without zlib's header and checksum
constexpr size_t kStepBytes = 64 << 10;

tl::unexpected<Error> damaged(std::string_view rule) {
  return make_error(ErrorCode::kUnknownServerError, "avro block: {}", rule);
}

// Output that grows step by step up to the limit of a block.
class Output {
 public:
  // Room for more; nothing at the limit.
  std::optional<std::span<uint8_t>> room() {
    if (used_ == memory_.size()) {
      if (memory_.size() == kMaxAvroBlockBytes) return std::nullopt;
      size_t size = std::min(kMaxAvroBlockBytes, std::max(2 * memory_.size(), kStepBytes));
      MutableBytes larger = MutableBytes::allocate(size);
      std::copy_n(memory_.data(), used_, larger.data());
      memory_ = std::move(larger);
    }
    return memory_.span().subspan(used_);
  }
  void use(size_t count) { used_ += count; }
  Bytes finish() && {
    memory_.shrink(used_);
    return std::move(memory_).freeze();
  }

 private:
  MutableBytes memory_;
  size_t used_ = 0;
};

Result<Bytes> deflate_bytes(std::span<const uint8_t> bytes) {
  z_stream stream{};
  if (deflateInit2(
          &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRawDeflate, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return damaged("deflate can not begin");
  }
  std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, deflateEnd);
  MutableBytes out = MutableBytes::allocate(deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<uint8_t*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) return damaged("deflate does not end");
  out.shrink(stream.total_out);
  return std::move(out).freeze();
}

Result<Bytes> inflate_bytes(std::span<const uint8_t> bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kRawDeflate) != Z_OK) return damaged("inflate can not begin");
  std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = const_cast<uint8_t*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  Output out;
  while (true) {
    std::optional<std::span<uint8_t>> room = out.room();
    if (!room) return damaged("it becomes too long");
    stream.next_out = room->data();
    stream.avail_out = static_cast<uInt>(room->size());
    int code = inflate(&stream, Z_NO_FLUSH);
    out.use(room->size() - stream.avail_out);
    if (code == Z_STREAM_END) return std::move(out).finish();
    // Without an end and with room left there is nothing more to come.
    if (code != Z_OK || stream.avail_out != 0) return damaged("its deflate data is damaged");
  }
}

Result<Bytes> zstd_compress(std::span<const uint8_t> bytes) {
  MutableBytes out = MutableBytes::allocate(ZSTD_compressBound(bytes.size()));
  size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kZstandardLevel);
  if (ZSTD_isError(size) != 0) return damaged(ZSTD_getErrorName(size));
  out.shrink(size);
  return std::move(out).freeze();
}

// In a stream: other writers leave out the size of the content.
Result<Bytes> zstd_decompress(std::span<const uint8_t> bytes) {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (context == nullptr) return damaged("zstandard can not begin");
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  Output out;
  size_t left = bytes.empty() ? 0 : 1;  // of the frame; 0 at its end
  bool filled = false;
  while (in.pos < in.size || (left != 0 && filled)) {
    std::optional<std::span<uint8_t>> room = out.room();
    if (!room) return damaged("it becomes too long");
    ZSTD_outBuffer to{room->data(), room->size(), 0};
    left = ZSTD_decompressStream(context.get(), &to, &in);
    if (ZSTD_isError(left) != 0) return damaged(ZSTD_getErrorName(left));
    out.use(to.pos);
    filled = to.pos == to.size;
  }
  if (left != 0) return damaged("its zstandard data is cut off");
  return std::move(out).finish();
}

}  // namespace

std::string_view name_of(AvroCodec codec) { return kNames[static_cast<size_t>(codec)]; }

std::optional<AvroCodec> codec_of(std::string_view name) {
  auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<AvroCodec>(found - kNames.begin());
}

Result<Bytes> compress(AvroCodec codec, std::span<const uint8_t> bytes) {
  if (bytes.size() > kMaxAvroBlockBytes) return damaged("it is too long");
  switch (codec) {
    case AvroCodec::kNull:
      return Bytes::copy_of(bytes.data(), bytes.size());
    case AvroCodec::kDeflate:
      return deflate_bytes(bytes);
    case AvroCodec::kZstandard:
      return zstd_compress(bytes);
  }
  return damaged("its codec is not known");
}

Result<Bytes> decompress(AvroCodec codec, std::span<const uint8_t> bytes) {
  if (bytes.size() > kMaxAvroBlockBytes) return damaged("it is too long");
  switch (codec) {
    case AvroCodec::kNull:
      return Bytes::copy_of(bytes.data(), bytes.size());
    case AvroCodec::kDeflate:
      return inflate_bytes(bytes);
    case AvroCodec::kZstandard:
      return zstd_decompress(bytes);
  }
  return damaged("its codec is not known");
}

}  // namespace lakestream::avro
