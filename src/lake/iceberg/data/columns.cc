#include "lake/iceberg/data/columns.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/data.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>

namespace lakestream::iceberg {
namespace {

std::optional<int32_t> id_of(const arrow::Field& field) {
  if (!field.HasMetadata()) return std::nullopt;
  auto text = field.metadata()->Get(std::string(kFieldIdKey));
  if (!text.ok()) return std::nullopt;
  int32_t id = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), id);
  if (error != std::errc() || id < 0) return std::nullopt;
  return id;
}

bool has_name(const NestedField& field, const std::string& name) {
  if (!field.names_in_files) return field.name == name;
  const std::vector<std::string>& names = *field.names_in_files;
  return std::find(names.begin(), names.end(), name) != names.end();
}

const arrow::Field* find(const arrow::FieldVector& fields, const NestedField& wanted) {
  for (const std::shared_ptr<arrow::Field>& field : fields) {
    std::optional<int32_t> id = id_of(*field);
    if (id ? *id == wanted.id : has_name(wanted, field->name())) return field.get();
  }
  return nullptr;
}

std::shared_ptr<arrow::DataType> type_in_file(const NestedField& field,
                                              const arrow::DataType& file);

// A name that no column has stands for one that the file lacks.
std::shared_ptr<arrow::Field> field_in_file(const NestedField& field,
                                            const arrow::FieldVector& file) {
  std::shared_ptr<arrow::Field> now = arrow_field_of(field);
  const arrow::Field* found = find(file, field);
  if (found == nullptr) return now->WithName(fmt::format("\x01{}", field.id));
  return arrow::field(found->name(), type_in_file(field, *found->type()), now->nullable());
}

std::shared_ptr<arrow::DataType> type_in_file(const NestedField& field,
                                              const arrow::DataType& file) {
  const std::vector<NestedField>& fields = field.type.fields;
  if (field.type.kind == TypeKind::kStruct && file.id() == arrow::Type::STRUCT) {
    arrow::FieldVector children;
    for (const NestedField& child : fields) children.push_back(field_in_file(child, file.fields()));
    return arrow::struct_(children);
  }
  // Parts of lists and maps have their places.
  auto part = [&](size_t index, const arrow::Field& in_file) {
    std::shared_ptr<arrow::Field> now = arrow_field_of(fields[index]);
    return now->WithType(type_in_file(fields[index], *in_file.type()));
  };
  bool is_list = file.id() == arrow::Type::LIST || file.id() == arrow::Type::LARGE_LIST;
  if (field.type.kind == TypeKind::kList && is_list) {
    return arrow::list(part(0, *file.field(0)));
  }
  if (field.type.kind == TypeKind::kMap && file.id() == arrow::Type::MAP) {
    const arrow::DataType& entry = *file.field(0)->type();
    return std::make_shared<arrow::MapType>(part(0, *entry.field(0)), part(1, *entry.field(1)));
  }
  return arrow_field_of(field)->type();
}

std::shared_ptr<arrow::ArrayData> retyped(const arrow::ArrayData& data,
                                          const std::shared_ptr<arrow::DataType>& type) {
  std::shared_ptr<arrow::ArrayData> copy = data.Copy();
  copy->type = type;
  for (size_t i = 0; i < copy->child_data.size(); ++i) {
    copy->child_data[i] = retyped(*copy->child_data[i], type->field(static_cast<int>(i))->type());
  }
  return copy;
}

}  // namespace

std::vector<NestedField> known_fields(const IcebergSchema& schema) {
  std::vector<NestedField> known;
  for (const NestedField& field : schema.fields) {
    if (data_type_of(field.type, true)) known.push_back(field);
  }
  return known;
}

std::vector<NestedField> key_fields(const IcebergSchema& schema) {
  std::vector<NestedField> fields;
  for (int32_t id : schema.identifier_ids) {
    if (const NestedField* field = schema.find(id)) fields.push_back(*field);
  }
  return fields;
}

std::vector<std::string> names_of(const std::vector<NestedField>& fields) {
  std::vector<std::string> names;
  for (const NestedField& field : fields) names.push_back(field.name);
  return names;
}

std::vector<int32_t> ids_of(const std::vector<NestedField>& fields) {
  std::vector<int32_t> ids;
  for (const NestedField& field : fields) ids.push_back(field.id);
  return ids;
}

std::shared_ptr<arrow::Schema> table_columns(const std::vector<NestedField>& fields) {
  arrow::FieldVector columns;
  for (const NestedField& field : fields) columns.push_back(arrow_field_of(field));
  return arrow::schema(std::move(columns));
}

std::shared_ptr<arrow::Schema> columns_in_file(const std::vector<NestedField>& fields,
                                               const arrow::Schema& file) {
  arrow::FieldVector columns;
  for (const NestedField& field : fields) columns.push_back(field_in_file(field, file.fields()));
  return arrow::schema(std::move(columns));
}

std::shared_ptr<arrow::RecordBatch> as_columns_of_table(
    const std::shared_ptr<arrow::Schema>& columns, const arrow::RecordBatch& rows) {
  arrow::ArrayVector arrays;
  for (int i = 0; i < columns->num_fields(); ++i) {
    const std::shared_ptr<arrow::DataType>& type = columns->field(i)->type();
    const std::shared_ptr<arrow::Array>& array = rows.column(i);
    bool same = type->num_fields() == 0 || array->type()->Equals(*type, /*check_metadata=*/true);
    arrays.push_back(same ? array : arrow::MakeArray(retyped(*array->data(), type)));
  }
  return arrow::RecordBatch::Make(columns, rows.num_rows(), std::move(arrays));
}

}  // namespace lakestream::iceberg
