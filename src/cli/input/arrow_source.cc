#include "cli/input/arrow_source.h"

#include <deque>
#include <string>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/compute/cast.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "cli/input/text_source.h"
#include "format/arrow_error.h"
#include "format/arrow_schema.h"

namespace lakestream::cli {
namespace {

constexpr std::string_view kFileMagic = "ARROW1";
constexpr size_t kFileHeadBytes = 8;  // the magic, padded

tl::unexpected<Error> bad_input(const Input& input, const std::string& why) {
  return make_error(ErrorCode::kUnknownServerError,
                    "{} is no Arrow IPC ({}); give another --input-format",
                    input.name(),
                    why);
}

// An input as Arrow reads one. Hands out the bytes that were looked at beforehand first.
class InputBytes : public arrow::io::InputStream {
 public:
  InputBytes(Input* input, std::string head) : input_(input), head_(std::move(head)) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }

  arrow::Result<int64_t> Read(int64_t count, void* out) override {
    auto* target = static_cast<char*>(out);
    auto wanted = static_cast<size_t>(count);
    size_t done = head_.copy(target, wanted);
    head_.erase(0, done);
    while (done < wanted) {
      auto read = input_->read({target + done, wanted - done});
      if (!read) return arrow::Status::IOError(read.error().message());
      if (*read == 0) break;
      done += *read;
    }
    position_ += static_cast<int64_t>(done);
    return static_cast<int64_t>(done);
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> buffer,
                          arrow::AllocateResizableBuffer(count));
    ARROW_ASSIGN_OR_RAISE(int64_t read, Read(count, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(read));
    return buffer;
  }

 private:
  Input* input_;
  std::string head_;
  int64_t position_ = 0;
  bool closed_ = false;
};

// One column of the table out of the input's.
struct Source {
  int input_column = -1;  // -1: the input lacks it
  std::shared_ptr<arrow::DataType> type;
};

class ArrowSource : public RowSource {
 public:
  ArrowSource(const Schema* schema, Input* input, BadRows* bad_rows)
      : schema_(schema), input_(input), bad_rows_(bad_rows), target_(arrow_schema_of(*schema)) {}

  Status open(const SourceOptions& options) {
    std::string head(kFileHeadBytes, '\0');
    size_t count = 0;
    while (count < head.size()) {
      ASSIGN_OR_RETURN(size_t read, input_->read({head.data() + count, head.size() - count}));
      if (read == 0) break;
      count += read;
    }
    head.resize(count);
    if (head.empty()) return ok();
    if (head.starts_with(kFileMagic)) head.clear();
    bytes_ = std::make_shared<InputBytes>(input_, std::move(head));
    arrow::ipc::IpcReadOptions read_options;
    read_options.use_threads = false;
    auto reader = arrow::ipc::RecordBatchStreamReader::Open(bytes_, read_options);
    if (!reader.ok()) return bad_input(*input_, reader.status().message());
    reader_ = *std::move(reader);
    return match_columns(options);
  }

  Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    for (;;) {
      if (!ready_.empty()) {
        std::shared_ptr<arrow::RecordBatch> rows = std::move(ready_.front());
        ready_.pop_front();
        return rows;
      }
      if (failure_) return fail(*failure_);
      if (reader_ == nullptr || input_->was_interrupted()) return nullptr;
      std::shared_ptr<arrow::RecordBatch> batch;
      arrow::Status read = reader_->ReadNext(&batch);
      if (input_->was_interrupted()) return nullptr;
      if (!read.ok()) return bad_input(*input_, read.message());
      if (batch == nullptr) return nullptr;
      arrow::Status valid = batch->ValidateFull();
      if (!valid.ok()) return bad_input(*input_, valid.message());
      take(std::move(batch));
    }
  }

 private:
  Status match_columns(const SourceOptions& options) {
    const arrow::Schema& source = *reader_->schema();
    for (const std::shared_ptr<arrow::Field>& field : source.fields()) {
      if (options.skip_unknown || schema_->find(field->name()) != nullptr) continue;
      return unknown_column(input_->name(), field->name(), *schema_);
    }
    for (size_t i = 0; i < schema_->size(); ++i) {
      const Column& column = schema_->column(i);
      std::vector<int> found = source.GetAllFieldIndices(column.name);
      if (found.size() > 1) {
        return make_error(ErrorCode::kUnknownServerError,
                          "{}: column '{}' is there {} times; keep one",
                          input_->name(),
                          column.name,
                          found.size());
      }
      if (found.empty() && !column.type.nullable()) {
        return make_error(ErrorCode::kUnknownServerError,
                          "{}: column '{}' is missing, which is NOT NULL in the table; add it",
                          input_->name(),
                          column.name);
      }
      Source from{found.empty() ? -1 : found[0], target_->field(static_cast<int>(i))->type()};
      if (!found.empty())
        RETURN_IF_ERROR(check_type(column, *source.field(found[0])->type(), from));
      sources_.push_back(std::move(from));
    }
    return ok();
  }

  Status check_type(const Column& column, const arrow::DataType& type, const Source& from) const {
    bool has_zone = type.id() == arrow::Type::TIMESTAMP &&
                    !static_cast<const arrow::TimestampType&>(type).timezone().empty();
    if (has_zone && column.type.is(TypeRoot::kTimestamp)) {
      return make_error(ErrorCode::kUnknownServerError,
                        "{}: column '{}' is {}, and the table's {} has no time zone; cast it, or "
                        "make the column TIMESTAMP_LTZ",
                        input_->name(),
                        column.name,
                        type.ToString(),
                        column.type);
    }
    if (type.Equals(*from.type) || arrow::compute::CanCast(type, *from.type)) return ok();
    return make_error(ErrorCode::kUnknownServerError,
                      "{}: column '{}' is {}, which can not become {} ({}); cast it",
                      input_->name(),
                      column.name,
                      type.ToString(),
                      column.type,
                      from.type->ToString());
  }

  // Converts the rows, or those parts of them that can be.
  void take(std::shared_ptr<arrow::RecordBatch> batch) {
    int64_t first_row = rows_seen_;
    rows_seen_ += batch->num_rows();
    // Ranges to do, the first one last.
    std::vector<std::shared_ptr<arrow::RecordBatch>> todo{std::move(batch)};
    int64_t row = first_row;
    while (!todo.empty()) {
      std::shared_ptr<arrow::RecordBatch> part = std::move(todo.back());
      todo.pop_back();
      int64_t count = part->num_rows();
      if (count == 0) continue;
      auto converted = convert(*part);
      if (converted) {
        ready_.push_back(*std::move(converted));
        row += count;
      } else if (count > 1) {
        todo.push_back(part->Slice(count / 2));
        todo.push_back(part->Slice(0, count / 2));
      } else {
        Status goes_on = bad_rows_->take(
            std::move(converted).error().with_context(fmt::format("row {}", row + 1)));
        ++row;
        if (goes_on) continue;
        failure_ = std::move(goes_on).error();
        return;
      }
    }
  }

  Result<std::shared_ptr<arrow::RecordBatch>> convert(const arrow::RecordBatch& batch) const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (size_t i = 0; i < sources_.size(); ++i) {
      const Source& from = sources_[i];
      const Column& column = schema_->column(i);
      if (from.input_column < 0) {
        ASSIGN_OR_RETURN(auto nulls,
                         from_arrow(arrow::MakeArrayOfNull(from.type, batch.num_rows())));
        columns.push_back(std::move(nulls));
        continue;
      }
      std::shared_ptr<arrow::Array> array = batch.column(from.input_column);
      if (!column.type.nullable() && array->null_count() > 0) {
        return make_error(ErrorCode::kUnknownServerError,
                          "column '{}': NULL where {} is wanted",
                          column.name,
                          column.type);
      }
      if (!array->type()->Equals(*from.type)) {
        auto cast = arrow::compute::Cast(*array, from.type);
        if (!cast.ok()) {
          return make_error(ErrorCode::kUnknownServerError,
                            "column '{}': {} to {}: {}",
                            column.name,
                            array->type()->ToString(),
                            column.type,
                            cast.status().message());
        }
        array = *std::move(cast);
      }
      columns.push_back(std::move(array));
    }
    return arrow::RecordBatch::Make(target_, batch.num_rows(), std::move(columns));
  }

  const Schema* schema_;
  Input* input_;
  BadRows* bad_rows_;
  std::shared_ptr<arrow::Schema> target_;
  std::shared_ptr<InputBytes> bytes_;
  std::shared_ptr<arrow::ipc::RecordBatchReader> reader_;
  std::vector<Source> sources_;  // one a column of the table
  std::deque<std::shared_ptr<arrow::RecordBatch>> ready_;
  std::optional<Error> failure_;
  int64_t rows_seen_ = 0;
};

}  // namespace

Result<std::unique_ptr<RowSource>> open_arrow(const SourceOptions& options,
                                              const Schema* schema,
                                              Input* input,
                                              BadRows* bad_rows) {
  auto source = std::make_unique<ArrowSource>(schema, input, bad_rows);
  RETURN_IF_ERROR(source->open(options));
  return source;
}

}  // namespace lakestream::cli
