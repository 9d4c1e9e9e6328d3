#include "lake/iceberg/name_mapping.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lake/iceberg/data/columns.h"

namespace lakestream::iceberg {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

NestedField field(int32_t id, std::string name, TypeKind kind = TypeKind::kString) {
  NestedField made;
  made.id = id;
  made.name = std::move(name);
  made.type.kind = kind;
  return made;
}

IcebergSchema schema_with_a_row() {
  IcebergSchema schema;
  schema.fields = {field(1, "id"), field(2, "now"), field(3, "row", TypeKind::kStruct)};
  schema.fields.push_back(field(6, "young"));
  schema.fields[2].type.fields = {field(4, "a"), field(5, "b")};
  return schema;
}

const auto kNoName = testing::StartsWith("\x01");
constexpr std::string_view kMapping = R"([
  {"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["now", "before"]},
  {"field-id": 3, "names": ["row"], "fields": [{"field-id": 4, "names": ["x"]},
                                                {"field-id": 5, "names": ["b"]}]},
  {"names": ["of nobody"]}])";

std::vector<std::string> names_of(const arrow::FieldVector& fields) {
  std::vector<std::string> names;
  for (const auto& field : fields) names.push_back(field->name());
  return names;
}

// Proves which columns of a file without ids are which, with a mapping and without.
TEST(IcebergNameMapping, ColumnsWithoutIds) {
  std::vector<IcebergSchema> schemas{schema_with_a_row()};
  auto row = arrow::struct_({arrow::field("a", arrow::utf8()),
                             arrow::field("x", arrow::utf8()),
                             arrow::field("b", arrow::utf8())});
  arrow::Schema file({arrow::field("before", arrow::utf8()),
                      arrow::field("id", arrow::utf8()),
                      arrow::field("row", row),
                      arrow::field("young", arrow::utf8())});
  auto found = [&] { return columns_in_file(schemas[0].fields, file)->fields(); };
  EXPECT_THAT(names_of(found()), ElementsAre("id", kNoName, "row", "young"));
  EXPECT_THAT(names_of(found()[2]->type()->fields()), ElementsAre("a", "b"));
  ASSERT_TRUE(map_names(kMapping, &schemas));
  EXPECT_THAT(names_of(found()), ElementsAre("id", "before", "row", kNoName));
  EXPECT_THAT(names_of(found()[2]->type()->fields()), ElementsAre("x", "b"));
}

// Proves when files may be read by the names that columns have today.
TEST(IcebergNameMapping, OwnNames) {
  std::vector<IcebergSchema> schemas{schema_with_a_row()};
  auto own = [&](size_t column) { return has_own_names(schemas[0].fields[column]); };
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(own(i));
  ASSERT_TRUE(map_names(kMapping, &schemas));
  EXPECT_TRUE(own(0));
  for (size_t i = 1; i < 4; ++i) EXPECT_FALSE(own(i));
}

// Proves that a text which is no mapping is refused with the name of the property.
TEST(IcebergNameMapping, WhatIsNone) {
  std::vector<IcebergSchema> schemas{schema_with_a_row()};
  std::string deep = "[]";
  for (int i = 0; i < 100; ++i) deep = R"([{"names": [], "fields": )" + deep + "}]";
  const std::vector<std::string> texts{
      "", "{}", "[7]", R"([{"field-id": 1}])", R"([{"names": [7]}])", deep};
  for (const std::string& text : texts) {
    Status mapped = map_names(text, &schemas);
    ASSERT_FALSE(mapped) << text;
    EXPECT_THAT(mapped.error().message(), HasSubstr("schema.name-mapping.default"));
  }
}

}  // namespace
}  // namespace lakestream::iceberg
