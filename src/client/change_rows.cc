#include "client/change_rows.h"

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/arrow_error.h"
#include "format/arrow_schema.h"

namespace lakestream::client {
namespace {

ChangeType change_of(const ScanBatch& batch, int64_t row) {
  return batch.changes.empty() ? ChangeType::kAppend : batch.changes[static_cast<size_t>(row)];
}

std::string_view change_name(ChangeType change) {
  switch (change) {
    case ChangeType::kUpdateBefore:
      return "update_before";
    case ChangeType::kUpdateAfter:
      return "update_after";
    case ChangeType::kDelete:
      return "delete";
    case ChangeType::kAppend:
    case ChangeType::kInsert:
      break;
  }
  return "insert";
}

// Which columns stand in front of the rows.
struct Leading {
  bool change = false;
  bool bucket = false;
  bool position = false;  // offset and time
};

Result<Schema> with_leading(const Leading& leading, const Schema& columns) {
  SchemaBuilder schema;
  if (leading.change) schema.column("_change_type", DataType::string().not_null());
  if (leading.bucket) schema.column("_bucket", DataType::integer().not_null());
  if (leading.position) {
    schema.column("_log_offset", DataType::bigint().not_null());
    schema.column("_commit_timestamp", DataType::timestamp_ltz(3).not_null());
  }
  for (const Column& column : columns.columns()) schema.column(column);
  return schema.build();
}

// The rows as they are, behind the leading columns.
class LeadingRows final : public ChangeRows {
 public:
  LeadingRows(const Leading& leading, Schema schema)
      : ChangeRows(std::move(schema)), leading_(leading) {}

  Result<std::shared_ptr<arrow::RecordBatch>> rows_of(const ScanBatch& batch) override {
    if (!leading_.change && !leading_.bucket && !leading_.position) return batch.rows;
    Columns columns;
    RETURN_IF_ERROR(from_arrow(add_leading(batch, &columns)));
    std::vector<std::shared_ptr<arrow::Field>> fields;
    for (const auto& column : columns) fields.push_back(arrow::field("", column->type()));
    for (const auto& field : batch.rows->schema()->fields()) fields.push_back(field);
    for (const auto& column : batch.rows->columns()) columns.push_back(column);
    return arrow::RecordBatch::Make(arrow::schema(fields), batch.rows->num_rows(), columns);
  }

 private:
  using Columns = std::vector<std::shared_ptr<arrow::Array>>;

  arrow::Status add_leading(const ScanBatch& batch, Columns* columns) const {
    arrow::StringBuilder changes;
    arrow::Int32Builder buckets;
    arrow::Int64Builder offsets;
    arrow::TimestampBuilder times(arrow::timestamp(arrow::TimeUnit::MILLI),
                                  arrow::default_memory_pool());
    for (int64_t i = 0; i < batch.rows->num_rows(); ++i) {
      ARROW_RETURN_NOT_OK(changes.Append(change_name(change_of(batch, i))));
      ARROW_RETURN_NOT_OK(buckets.Append(batch.bucket.bucket.value()));
      ARROW_RETURN_NOT_OK(offsets.Append(batch.offset_of(i).value()));
      ARROW_RETURN_NOT_OK(times.Append(batch.timestamp.value()));
    }
    if (leading_.change) ARROW_RETURN_NOT_OK(add(changes, columns));
    if (leading_.bucket) ARROW_RETURN_NOT_OK(add(buckets, columns));
    if (!leading_.position) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(add(offsets, columns));
    return add(times, columns);
  }

  static arrow::Status add(arrow::ArrayBuilder& builder, Columns* columns) {
    return builder.Finish(&columns->emplace_back());
  }

  Leading leading_;
};

// One row for each change, with the row before and after it.
class BinlogRows final : public ChangeRows {
 public:
  BinlogRows(bool has_bucket, Schema columns, Schema schema)
      : ChangeRows(std::move(schema)), has_bucket_(has_bucket), columns_(std::move(columns)) {}

  Result<std::shared_ptr<arrow::RecordBatch>> rows_of(const ScanBatch& batch) override {
    ASSIGN_OR_RETURN(ArrowRows made, ArrowRows::make(batch.rows, columns_));
    auto rows = std::make_shared<const ArrowRows>(std::move(made));
    ArrowAppender shown(schema());
    Arena arena;
    std::optional<Before>& before = before_[batch.bucket];
    for (int64_t i = 0; i < rows->size(); ++i) {
      arena.clear();
      ASSIGN_OR_RETURN(std::span<const Value> fields, rows->row(i, &arena));
      Value row = Value::row(fields);
      ChangeType change = change_of(batch, i);
      if (change == ChangeType::kUpdateBefore) {
        before = Before{rows, i};
        continue;
      }
      Event event{"insert", batch.offset_of(i), batch.timestamp, Value(), row};
      if (change == ChangeType::kDelete) {
        event = {"delete", batch.offset_of(i), batch.timestamp, row, Value()};
      } else if (change == ChangeType::kUpdateAfter) {
        event.name = "update";
        // Not there when the reader began between the two, or when the log has no old rows.
        if (before) {
          ASSIGN_OR_RETURN(std::span<const Value> old, before->rows->row(before->index, &arena));
          event.before = Value::row(old);
        }
      }
      RETURN_IF_ERROR(append(batch.bucket, event, &shown));
      before.reset();
    }
    return shown.finish();
  }

 private:
  struct Before {
    std::shared_ptr<const ArrowRows> rows;
    int64_t index;
  };
  struct Event {
    std::string_view name;
    Offset offset;
    TimestampMs timestamp;
    Value before;
    Value after;
  };

  Status append(const TableBucket& bucket, const Event& event, ArrowAppender* shown) const {
    std::vector<Value> row{Value::bytes(event.name)};
    if (has_bucket_) row.push_back(Value::integer(bucket.bucket.value()));
    row.push_back(Value::integer(event.offset.value()));
    row.push_back(Value::timestamp(event.timestamp.value(), 0));
    row.push_back(event.before);
    row.push_back(event.after);
    return shown->append(row);
  }

  bool has_bucket_;
  Schema columns_;
  std::map<TableBucket, std::optional<Before>> before_;  // the first half of an update
};

}  // namespace

Result<std::unique_ptr<ChangeRows>> make_change_rows(const ChangeKind& kind,
                                                     const Schema& columns) {
  Leading leading{
      .change = kind.has_primary_key, .bucket = kind.with_position, .position = kind.with_position};
  if (kind.view != ChangeView::kRows) leading.change = leading.position = true;
  if (kind.view != ChangeView::kBinlog) {
    ASSIGN_OR_RETURN(Schema schema, with_leading(leading, columns));
    return std::make_unique<LeadingRows>(leading, std::move(schema));
  }
  std::vector<Field> fields;
  for (const Column& column : columns.columns()) {
    fields.push_back({column.name, column.type, column.comment});
  }
  ASSIGN_OR_RETURN(Schema images,
                   SchemaBuilder()
                       .column("before", DataType::row(fields))
                       .column("after", DataType::row(fields))
                       .build());
  ASSIGN_OR_RETURN(Schema schema, with_leading(leading, images));
  return std::make_unique<BinlogRows>(leading.bucket, columns, std::move(schema));
}

}  // namespace lakestream::client
