#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>

#include "cli/print/text_writer.h"
#include "format/arrow_error.h"
#include "format/arrow_schema.h"

namespace lakestream::cli {
namespace {

// The Arrow IPC stream. It is encoded to memory, batch by batch, so that a closed pipe is noticed
// as with the other formats.
class ArrowWriter : public RowWriter {
 public:
  explicit ArrowWriter(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {}

  Status write(const std::shared_ptr<arrow::RecordBatch>& rows) override {
    RETURN_IF_ERROR(begin());
    std::shared_ptr<arrow::RecordBatch> named =
        arrow::RecordBatch::Make(schema_, rows->num_rows(), rows->columns());
    RETURN_IF_ERROR(from_arrow(writer_->WriteRecordBatch(*named)));
    return flush();
  }

  Status finish() override {
    RETURN_IF_ERROR(begin());
    RETURN_IF_ERROR(from_arrow(writer_->Close()));
    return flush();
  }

 private:
  Status begin() {
    if (writer_ != nullptr) return ok();
    ASSIGN_OR_RETURN(memory_, from_arrow(arrow::io::BufferOutputStream::Create()));
    ASSIGN_OR_RETURN(writer_, from_arrow(arrow::ipc::MakeStreamWriter(memory_, schema_)));
    return ok();
  }

  Status flush() {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::Buffer> bytes, from_arrow(memory_->Finish()));
    RETURN_IF_ERROR(from_arrow(memory_->Reset()));
    return put(std::string_view(*bytes));
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::BufferOutputStream> memory_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace

std::unique_ptr<RowWriter> make_arrow_writer(Schema schema) {
  return make_arrow_writer(arrow_schema_of(schema));
}

std::unique_ptr<RowWriter> make_arrow_writer(std::shared_ptr<arrow::Schema> schema) {
  return std::make_unique<ArrowWriter>(std::move(schema));
}

}  // namespace lakestream::cli
