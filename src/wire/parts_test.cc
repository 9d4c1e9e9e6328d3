#include "wire/parts.h"

#include <gtest/gtest.h>

#include "wire/messages.h"

namespace lakestream::wire {
namespace {

// Proves that the elements of lists are counted at every depth, packed numbers one by one, and
// nothing else.
TEST(CountParts, Lists) {
  FetchLogRequest fetch;
  for (int64_t id : {1, 2}) {
    PbFetchLogReqForTable& table = fetch.tables_req.emplace_back();
    table.table_id = id;
    table.projected_fields = {0, 300, -1, 4};
    table.buckets_req.resize(3);
  }
  EXPECT_EQ(count_parts(ApiKey::kFetchLog, fetch.encode().flatten()), 2U * (1 + 4 + 3));
  LookupRequest lookup;
  lookup.buckets_req.emplace_back().keys = {Bytes::of_static("a"), Bytes(), Bytes::of_static("c")};
  EXPECT_EQ(count_parts(ApiKey::kLookup, lookup.encode().flatten()), 4U);
  TableExistsRequest exists{{"d", "t"}};
  EXPECT_EQ(count_parts(ApiKey::kTableExists, exists.encode().flatten()), 0U);
  EXPECT_EQ(count_parts(ApiKey::kFetchLog, Bytes()), 0U);
}

// Proves that a broken message is counted up to the break.
TEST(CountParts, Broken) {
  MetadataRequest request;
  request.table_path = {{"d", "t"}, {"d", "u"}};
  Bytes whole = request.encode().flatten();
  for (size_t size = 0; size <= whole.size(); ++size) {
    size_t parts = count_parts(ApiKey::kGetMetadata, whole.slice(0, size));
    EXPECT_EQ(parts, size / (whole.size() / 2)) << size;
  }
}

}  // namespace
}  // namespace lakestream::wire
