#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lake/keyed_rows_test_support.h"
#include "lake/paimon/binary_row.h"
#include "lake/paimon/compaction.h"
#include "lake/paimon/data_test_support.h"
#include "lake/paimon/file_columns.h"
#include "lake/parquet/parquet_reader.h"
#include "lake/parquet/parquet_test_support.h"
#include "lake/sort_keys.h"

namespace lakestream::paimon {
namespace {

using keyed_rows::Batch;
using keyed_rows::Change;
using keyed_rows::keyed_schema;
using keyed_rows::lake_rows;
using keyed_rows::Model;
using keyed_rows::number;
using keyed_rows::rows_in;
using keyed_rows::text;

// Every change in a file as it lies there: name, id, sequence number, kind.
using Raw = std::tuple<std::string, int64_t, int64_t, int>;
std::vector<Raw> raw_rows(TestBucket& bucket, const DataFile& file) {
  LakeDataFile source = bucket.lake_files({file}).front();
  auto reader =
      ParquetFileReader::open(bucket.objects(), source.path, source.bytes, kWholeParquetBytes)
          .value();
  EXPECT_TRUE(reader->select(reader->schema(), 1 << 20));
  std::vector<Raw> raws;
  while (Batch rows = reader->next().value()) {
    const auto& kinds = static_cast<const arrow::Int8Array&>(*rows->GetColumnByName("_VALUE_KIND"));
    for (int64_t i = 0; i < rows->num_rows(); ++i) {
      EXPECT_EQ(text(rows, "_KEY_name", i), text(rows, "name", i));
      EXPECT_EQ(number(rows, "_KEY_id", i), number(rows, "id", i));
      raws.emplace_back(text(rows, "name", i),
                        number(rows, "id", i),
                        number(rows, "_SEQUENCE_NUMBER", i),
                        kinds.Value(i));
    }
  }
  return raws;
}

TEST(KeyTable, HoldsWhatAMapHolds) {
  // Random changes through several writers, of several batches and several sorts each, read back
  // merged; then compacted once or twice on the way, with writers between.
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Properties options = {{"changelog-producer", "input"}};
    if (seed % 2 == 0) options["write-buffer-size"] = "2 kb";
    if (seed % 3 == 0) options["target-file-size"] = "3 kb";
    if (seed % 4 == 0) options["file.block-size"] = "1 kb";
    TestBucket bucket(keyed_schema(), options);
    Model model(seed);
    std::vector<DataFile> live;
    std::vector<DataFile> changelog;
    for (int round = 0; round < 8; ++round) {
      std::vector<LakeRows> parts;
      size_t batches = 1 + random.below(4);
      for (size_t i = 0; i < batches; ++i) {
        parts.push_back(lake_rows(model.change(1 + random.below(80))));
      }
      WrittenFiles files = bucket.write(parts);
      live.insert(live.end(), files.added.begin(), files.added.end());
      changelog.insert(changelog.end(), files.changelog.begin(), files.changelog.end());
      ASSERT_EQ(rows_in(bucket.read(live)), model.rows());
      if (!random.chance(1, 4)) continue;
      WrittenFiles compacted = compact_keys(bucket.place(), live).value();
      EXPECT_EQ(compacted.removed, live);
      live = compacted.added;
      for (const DataFile& file : live) {
        EXPECT_EQ(file.level, 5);
        EXPECT_EQ(file.delete_rows, 0);
        EXPECT_TRUE(file.compacted);
      }
      ASSERT_EQ(rows_in(bucket.read(live)), model.rows());
      // They do not overlap, so that they are read without a merge, too.
      Batch plain = bucket.try_read(live, bucket.all_columns(), false).value();
      ASSERT_EQ(rows_in(plain), model.rows());
    }
    // The changelog has every change once, with its number.
    std::vector<Raw> logged;
    for (const DataFile& file : changelog) {
      std::vector<Raw> raws = raw_rows(bucket, file);
      EXPECT_TRUE(std::is_sorted(raws.begin(), raws.end()));
      logged.insert(logged.end(), raws.begin(), raws.end());
    }
    std::vector<Raw> expected;
    for (size_t i = 0; i < model.all().size(); ++i) {
      const Change& change = model.all()[i];
      expected.emplace_back(change.row.name,
                            change.row.id,
                            static_cast<int64_t>(i),
                            static_cast<int>(row_kind_of(change.type)));
    }
    std::sort(logged.begin(), logged.end());
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(logged, expected);
  }
}

TEST(KeyTable, WhatManifestsSayOfAFile) {
  // Keys, numbers and counts of a data file and of its changelog.
  TestBucket bucket(keyed_schema(), {{"changelog-producer", "input"}});
  WrittenFiles files = bucket.write({lake_rows({{ChangeType::kInsert, {"b", 2, "x", 10}},
                                                {ChangeType::kInsert, {"a", 9, "y", 11}},
                                                {ChangeType::kUpdateBefore, {"b", 2, "x", 12}},
                                                {ChangeType::kUpdateAfter, {"b", 2, "z", 13}},
                                                {ChangeType::kInsert, {"c", 1, "", 14}},
                                                {ChangeType::kDelete, {"c", 1, "", 15}}})});
  ASSERT_EQ(files.added.size(), 1u);
  ASSERT_EQ(files.changelog.size(), 1u);
  const DataFile& data = files.added[0];
  const DataFile& log = files.changelog[0];
  EXPECT_EQ(data.name, "data-1-0.parquet");
  EXPECT_EQ(log.name, "changelog-1-0.parquet");
  std::vector<Raw> kept = {{"a", 9, 1, 0}, {"b", 2, 3, 2}, {"c", 1, 5, 3}};
  EXPECT_EQ(raw_rows(bucket, data), kept);
  EXPECT_EQ(data.rows, 3);
  EXPECT_EQ(data.delete_rows, 1);
  EXPECT_EQ(data.level, 0);
  EXPECT_EQ(std::pair(data.min_sequence, data.max_sequence), std::pair(int64_t{1}, int64_t{5}));
  EXPECT_EQ(log.rows, 6);
  EXPECT_EQ(log.delete_rows, 2);
  EXPECT_EQ(std::pair(log.min_sequence, log.max_sequence), std::pair(int64_t{0}, int64_t{5}));
  std::vector<DataType> types = {DataType::string(), DataType::bigint()};
  auto row = [&](std::string_view name, int64_t id) {
    Value values[] = {Value::bytes(name), Value::integer(id)};
    return binary_row(types, values);
  };
  EXPECT_EQ(data.min_key, row("a", 9));
  EXPECT_EQ(data.max_key, row("c", 1));
  EXPECT_EQ(data.key_stats.min_values, row("a", 1));
  EXPECT_EQ(data.key_stats.max_values, row("c", 9));
  EXPECT_EQ(data.key_stats.null_counts, (std::vector<std::optional<int64_t>>{0, 0}));
  EXPECT_EQ(bucket.read({data})->num_rows(), 2);

  // All keys are gone: a compaction leaves no file.
  WrittenFiles rest = bucket.write({lake_rows(
      {{ChangeType::kDelete, {"a", 9, "y", 16}}, {ChangeType::kDelete, {"b", 2, "z", 17}}})});
  WrittenFiles compacted = compact_keys(bucket.place(), {data, rest.added.at(0)}).value();
  EXPECT_TRUE(compacted.added.empty());
  EXPECT_EQ(compacted.removed.size(), 2u);
}

TEST(KeyTable, FilesWithoutKeyColumns) {
  // With data-file.thin-mode there is no copy of the key, and rows are read all the same.
  TestBucket bucket(keyed_schema(), {{"data-file.thin-mode", "true"}});
  WrittenFiles files = bucket.write({lake_rows(
      {{ChangeType::kInsert, {"b", 2, "x", 0}}, {ChangeType::kInsert, {"a", 1, "y", 1}}})});
  EXPECT_TRUE(files.changelog.empty());
  LakeDataFile source = bucket.lake_files(files.added).front();
  auto reader =
      ParquetFileReader::open(bucket.objects(), source.path, source.bytes, kWholeParquetBytes)
          .value();
  EXPECT_EQ(reader->schema()->field(0)->name(), "_SEQUENCE_NUMBER");
  Batch rows = bucket.try_read(files.added, {{"value", DataType::string()}}, true).value();
  EXPECT_EQ(rows->num_columns(), 1);
  EXPECT_EQ(text(rows, "value", 0), "y");
}

TEST(KeyTable, EveryTypeComesBack) {
  // A key of several types, and columns of every type, through a sort, a merge and a compaction.
  SchemaBuilder builder;
  Schema others = every_type();
  for (const Column& column : others.columns()) {
    bool is_key = column.name == "decimal38" || column.name == "ltz9" || column.name == "binary" ||
                  column.name == "time0" || column.name == "double";
    builder.column(column.name, is_key ? column.type.not_null() : column.type);
  }
  Schema schema = *builder.column("id", DataType::integer())
                       .primary_key({"decimal38", "ltz9", "binary", "time0", "double", "id"})
                       .build();
  Batch base = rows_of_every_type(others, 64);
  arrow::Int32Builder ids;
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(ids.Append(i * 37 % 64).ok());
  SchemaBuilder dense;
  for (const Column& column : schema.columns()) dense.column(column.name, column.type.not_null());
  // Key columns have no nulls.
  Batch keys = rows_of_every_type(*dense.build(), 64);
  arrow::ArrayVector columns = base->columns();
  columns.push_back(*ids.Finish());
  for (size_t i : schema.primary_key_indexes()) {
    if (i + 1 < columns.size()) columns[i] = keys->column(static_cast<int>(i));
  }
  Batch rows = arrow::RecordBatch::Make(arrow_schema_of(schema), 64, columns);
  TestBucket bucket(schema, {}, LakeLayout::kPlain);
  std::vector<DataFile> files =
      bucket.write({LakeRows{rows->Slice(0, 40), {}, {}, Offset(0), TimestampMs(0)}}).added;
  LakeRows again{rows->Slice(24), {}, {}, Offset(40), TimestampMs(0)};
  files.push_back(bucket.write({again}).added.at(0));
  Batch merged = bucket.read(files);
  ASSERT_EQ(merged->num_rows(), 64);
  Batch compacted = bucket.read(compact_keys(bucket.place(), files)->added);
  EXPECT_TRUE(compacted->Equals(*merged));
  const auto& merged_ids = static_cast<const arrow::Int32Array&>(*merged->GetColumnByName("id"));
  const auto& row_ids =
      static_cast<const arrow::Int32Array&>(*rows->column(rows->num_columns() - 1));
  for (int64_t i = 0; i < 64; ++i) {
    int64_t k = 0;
    while (row_ids.Value(k) != merged_ids.Value(i)) ++k;
    EXPECT_TRUE(merged->Slice(i, 1)->Equals(*rows->Slice(k, 1)));
  }
}

TEST(KeyTable, LongRangesAreNotCutToRows) {
  // Files whose keys lie apart, and one that touches a few of another's, of many batches each.
  TestBucket bucket(keyed_schema(), {});
  std::vector<DataFile> live;
  auto add = [&](int64_t first, int64_t step, int64_t count, const char* value) {
    std::vector<Change> changes;
    for (int64_t i = 0; i < count; ++i) {
      changes.push_back({ChangeType::kUpdateAfter, {"n", first + i * step, value, i}});
    }
    live.push_back(bucket.write({lake_rows(changes)}).added.at(0));
  };
  add(100'000, 1, 50'000, "old");
  add(0, 1, 30'000, "low");
  add(110'000, 1000, 20, "new");
  Batch rows = bucket.read(live);
  ASSERT_EQ(rows->num_rows(), 80'000);
  int64_t newer = 0;
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    int64_t id = i < 30'000 ? i : 70'000 + i;
    ASSERT_EQ(number(rows, "id", i), id);
    if (text(rows, "value", i) == "new") ++newer;
  }
  EXPECT_EQ(newer, 20);
}

// The paths of what is fetched from now on, which outlive the bucket's use.
void record_gets(TestBucket& bucket, std::vector<std::string>* gets) {
  bucket.objects().fail([gets](std::string_view operation, const std::string& path) {
    if (operation == "get") gets->push_back(path);
    return SimObjectStore::Fault::kNone;
  });
}

TEST(KeyTable, FilesAreReadWhenTheirKeysAreReached) {
  // Of large files that lie apart only the ends are fetched at first.
  TestBucket bucket(keyed_schema(), {{"file.compression", "none"}});
  std::vector<DataFile> live;
  for (int64_t first : {400'000, 0, 200'000}) {
    std::vector<Change> changes;
    for (int64_t i = 0; i < 40'000; ++i) {
      std::string value = fmt::format("a value of {} that is long", i * i);
      changes.push_back({ChangeType::kInsert, {"n", first + i, value, i}});
    }
    live.push_back(bucket.write({lake_rows(changes)}).added.at(0));
    ASSERT_GT(live.back().size, 1 << 20);
  }
  bucket.lake_schema()->primary_keys = {"id"};
  std::vector<std::string> gets;
  record_gets(bucket, &gets);
  auto reader = make_reader({bucket.objects(),
                             bucket.lake_schema(),
                             {{"id", DataType::bigint()}},
                             bucket.lake_files(live),
                             false});
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(gets.size(), 3u);
  Batch rows = (*reader)->next().value();
  EXPECT_EQ(number(rows, "id", 0), 0);
  ASSERT_GE(gets.size(), 4u);
  EXPECT_EQ(gets[3], bucket.lake_files(live)[1].path);
  int64_t count = rows->num_rows();
  while ((rows = (*reader)->next().value()) != nullptr) count += rows->num_rows();
  EXPECT_EQ(count, 120'000);
  EXPECT_LE(gets.size(), 9u);
}

TEST(KeyTable, FilesAreReadWhenKeysOfAnyTypeAreReached) {
  for (const DataType& type : keyed_rows::bounded_types()) {
    SCOPED_TRACE(fmt::format("{}", type));
    TestBucket bucket(keyed_rows::bounded_schema(type), {{"file.compression", "none"}});
    std::vector<DataFile> live;
    for (bool is_higher : {true, false}) {
      live.push_back(bucket.write({keyed_rows::bounded_rows(type, is_higher)}).added.at(0));
      ASSERT_GT(live.back().size, 1 << 20);
    }
    std::vector<std::string> gets;
    record_gets(bucket, &gets);
    auto reader = make_reader({bucket.objects(),
                               bucket.lake_schema(),
                               {{"id", DataType::integer()}},
                               bucket.lake_files(live),
                               true});
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_EQ(gets.size(), 2u);
    int32_t next = 0;
    while (Batch rows = (*reader)->next().value()) {
      const auto& ids = static_cast<const arrow::Int32Array&>(*rows->column(0));
      for (int64_t i = 0; i < ids.length(); ++i) ASSERT_EQ(ids.Value(i), next++);
    }
    EXPECT_EQ(next, 2 * keyed_rows::kBoundedRows);
    ASSERT_EQ(gets.size(), 4u);
    EXPECT_EQ(gets[2], bucket.lake_files(live)[1].path);
  }
}

TEST(KeyTable, LargeRowsComeInSmallBatches) {
  // Rows of 300 KB through a sort and a merge: no batch of what comes out has many of them.
  TestBucket bucket(keyed_schema(), {});
  std::vector<DataFile> live;
  for (int64_t round = 0; round < 2; ++round) {
    std::vector<Change> changes;
    for (int64_t i = 0; i < 150; ++i) {
      std::string value(300'000, static_cast<char>('a' + (i + round) % 26));
      changes.push_back({ChangeType::kUpdateAfter, {"n", 2 * i + round % 2, value, i}});
    }
    live.push_back(bucket.write({lake_rows(changes)}).added.at(0));
  }
  auto reader = make_reader({bucket.objects(),
                             bucket.lake_schema(),
                             {{"value", DataType::string()}},
                             bucket.lake_files(live),
                             true});
  int64_t count = 0;
  while (Batch rows = (*reader)->next().value()) {
    EXPECT_LE(rows->num_rows(), 250);
    EXPECT_EQ(text(rows, "value", 0).size(), 300'000u);
    count += rows->num_rows();
  }
  EXPECT_EQ(count, 300);
}

TEST(KeyTable, WhatCanNotBeIsRefused) {
  // A file that is not sorted, a missing file, a null key, another way to merge.
  TestBucket bucket(keyed_schema(), {});
  bucket.lake_schema()->primary_keys.clear();
  std::unique_ptr<LakeWriter> wrong =
      *make_append_writer({bucket.place(), keyed_schema(), BucketId(0), 0});
  ASSERT_TRUE(wrong->write(lake_rows({})));
  LakeRows rows =
      lake_rows({{ChangeType::kAppend, {"b", 1, "", 0}}, {ChangeType::kAppend, {"a", 1, "", 0}}});
  rows.changes.clear();
  ASSERT_TRUE(wrong->write(rows));
  LakeFiles made = wrong->finish().value();
  std::vector<DataFile> files = written_files(made)->added;
  bucket.lake_schema()->primary_keys = {"name", "id"};
  auto unsorted = bucket.try_read(files, bucket.all_columns(), true);
  EXPECT_THAT(unsorted.error().message(), testing::HasSubstr("no column _SEQUENCE_NUMBER"));

  std::vector<DataFile> good =
      bucket.write({lake_rows({{ChangeType::kInsert, {"a", 1, "", 0}}})}).added;
  DataFile gone = good[0];
  gone.name = "data-9-0.parquet";
  auto missing = bucket.try_read({good[0], gone}, bucket.all_columns(), true);
  EXPECT_EQ(missing.error().code(), ErrorCode::kStorageException);

  // Sorted by another key.
  bucket.lake_schema()->primary_keys = {"name"};
  std::vector<DataFile> by_name = bucket
                                      .write({lake_rows({{ChangeType::kInsert, {"a", 5, "", 0}},
                                                         {ChangeType::kInsert, {"b", 3, "", 0}}})})
                                      .added;
  bucket.lake_schema()->primary_keys = {"id"};
  auto other = bucket.try_read(by_name, bucket.all_columns(), true);
  EXPECT_THAT(other.error().message(), testing::HasSubstr("not in the order of their keys"));

  bucket.lake_schema()->options["merge-engine"] = "aggregation";
  EXPECT_FALSE(bucket.try_read(good, bucket.all_columns(), true));
  EXPECT_FALSE(make_key_writer({bucket.place(), keyed_schema(), BucketId(0), 0}));
}

TEST(KeyTable, WhenToCompact) {
  // Each file of level 0 is a run of its own, each other level is one.
  TableSettings settings;
  std::vector<DataFile> live(4);
  EXPECT_FALSE(wants_key_compaction(settings, live));
  DataFile top;
  top.level = 5;
  live.insert(live.end(), 3, top);
  EXPECT_TRUE(wants_key_compaction(settings, live));
  EXPECT_FALSE(wants_key_compaction(settings, {top, top, top, top, top, top}));
}

// Every combination of values of four types, and the rank of each value among those of its type.
struct RankedRows {
  Batch rows;
  std::vector<std::array<size_t, 4>> ranks;
};

RankedRows ranked_rows() {
  Schema schema = *SchemaBuilder()
                       .column("text", DataType::bytes())
                       .column("float", DataType::float_())
                       .column("decimal", DataType::decimal(38, 0))
                       .column("tiny", DataType::tinyint())
                       .build();
  std::vector<std::string> texts = {"",
                                    std::string("\0", 1),
                                    std::string("\0\0", 2),
                                    "a",
                                    std::string("a\0", 2),
                                    "ab",
                                    "b",
                                    "\x7F",
                                    "\x80",
                                    "\xFF"};
  std::vector<float> floats = {-std::numeric_limits<float>::infinity(),
                               -1.5f,
                               -0.0f,
                               0.0f,
                               1e-40f,
                               2.5f,
                               std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN()};
  std::vector<Int128> decimals = {
      1 - power_of_ten(38), -power_of_ten(20), -1, 0, 1, power_of_ten(20), power_of_ten(38) - 1};
  RankedRows made;
  ArrowAppender appender(schema);
  for (size_t a = 0; a < texts.size(); ++a) {
    for (size_t b = 0; b < floats.size(); ++b) {
      for (size_t c = 0; c < decimals.size(); ++c) {
        for (int64_t d = -2; d < 2; ++d) {
          Value row[] = {Value::bytes(texts[a]),
                         Value::float_(floats[b]),
                         Value::decimal(decimals[c]),
                         Value::integer(d * 64)};
          EXPECT_TRUE(appender.append(row));
          made.ranks.push_back({a, b, c, static_cast<size_t>(d + 2)});
        }
      }
    }
  }
  made.rows = *appender.finish();
  return made;
}

TEST(SortKeys, AreInTheOrderOfValues) {
  // Numbers by value, texts by unsigned bytes with zeros in them, NaN last.
  auto [rows, ranks] = ranked_rows();
  Random random(3);
  for (const std::vector<size_t>& columns : std::vector<std::vector<size_t>>{
           {0}, {1}, {2}, {3}, {0, 3}, {3, 0}, {3, 1}, {1, 2, 0, 3}, {0, 1, 2, 3}}) {
    std::vector<std::string> names;
    for (size_t column : columns) names.push_back(rows->column_name(static_cast<int>(column)));
    SortKeys keys = SortKeys::make(*rows, names).value();
    auto key_of = [&, &all = ranks](size_t row) {
      std::vector<size_t> key;
      for (size_t column : columns) key.push_back(all[row][column]);
      return key;
    };
    for (int i = 0; i < 20'000; ++i) {
      size_t a = random.below(keys.size());
      size_t b = random.below(keys.size());
      auto order = key_of(a) <=> key_of(b);
      int compared = keys.compare(a, keys, b);
      ASSERT_EQ(compared < 0, order < 0);
      ASSERT_EQ(compared > 0, order > 0);
    }
    std::vector<uint32_t> sorted = keys.sorted();
    for (size_t i = 1; i < sorted.size(); ++i) {
      int compared = keys.compare(sorted[i - 1], keys, sorted[i]);
      ASSERT_TRUE(compared < 0 || (compared == 0 && sorted[i - 1] < sorted[i]));
    }
  }
  EXPECT_FALSE(SortKeys::make(*rows, std::vector<std::string>{"other"}));
}

}  // namespace
}  // namespace lakestream::paimon
