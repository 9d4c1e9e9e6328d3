#include "wire/codec.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/messages.h"

// Payloads are written out by hand after the encoding rules of protobuf: a tag is number * 8 + wire
// type (0 varint, 1 eight bytes, 2 delimited, 5 four bytes).
namespace lakestream::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Bytes bytes(std::string_view text) { return Bytes::copy_of(text); }
std::string repeat(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

template <typename Message>
std::string error_of(const Result<Message>& result) {
  return result.has_value() ? "no error" : result.error().message();
}

// Proves that a payload written by hand is read field by field.
TEST(Decode, ProduceLogByHand) {
  using namespace std::string_view_literals;
  const Bytes payload = bytes(
      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"  // 1 acks: -1, ten bytes
      "\x10\xac\x02"                                  // 2 table_id: 300
      "\x18\xb0\xea\x01"                              // 3 timeout_ms: 30000
      "\x22\x0a"                                      // 4 buckets_req: ten bytes
      "\x08\x05\x10\x07\x1a\x02hi\x28\x03"sv);        // partition 5, bucket 7, records, count 3
  Result<ProduceLogRequest> request = ProduceLogRequest::decode(payload);
  ASSERT_TRUE(request.has_value()) << request.error().message();
  EXPECT_EQ(request->acks, -1);
  EXPECT_EQ(request->table_id, 300);
  EXPECT_EQ(request->timeout_ms, 30000);
  ASSERT_EQ(request->buckets_req.size(), 1U);
  EXPECT_EQ(request->buckets_req[0].partition_id, 5);
  EXPECT_EQ(request->buckets_req[0].bucket_id, 7);
  EXPECT_EQ(request->buckets_req[0].records.view(), "hi");
  EXPECT_EQ(request->buckets_req[0].original_partition_name, std::nullopt);
  EXPECT_EQ(request->buckets_req[0].routing_bucket_count, 3);
  EXPECT_EQ(request->encode().flatten(), payload);
}

// Proves that a negative int32 in five bytes, which some encoders write, is read as well.
TEST(Decode, NegativeNumberInFiveBytes) {
  Result<AddServerTagRequest> request =
      AddServerTagRequest::decode(bytes("\x10\xff\xff\xff\xff\x0f"));
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->server_tag, -1);
}

// Proves that fields of unknown numbers are skipped, whatever their wire type.
TEST(Decode, SkipsUnknownFields) {
  using namespace std::string_view_literals;
  Result<DatabaseExistsResponse> response = DatabaseExistsResponse::decode(
      bytes("\x50\x96\x01"                          // 10, varint
            "\x59\x01\x02\x03\x04\x05\x06\x07\x08"  // 11, eight bytes
            "\x62\x03zzz"                           // 12, delimited
            "\x6d\x01\x02\x03\x04"                  // 13, four bytes
            "\xfa\xff\xff\xff\x0f\x00"              // the highest number, delimited, empty
            "\x08\x01"sv));
  ASSERT_TRUE(response.has_value()) << response.error().message();
  EXPECT_TRUE(response->exists);
}

// Proves that numbers are taken packed, one by one and mixed, whatever the table says, and are
// written as the table says.
TEST(Decode, PackedAndUnpackedNumbers) {
  using namespace std::string_view_literals;
  const Bytes required = bytes("\x08\x01\x10\x02\x18\x03");
  for (std::string_view buckets : {"\x2a\x03\x01\xac\x02"sv,
                                   "\x28\x01\x28\xac\x02"sv,
                                   "\x28\x01\x2a\x02\xac\x02"sv,
                                   "\x2a\x00\x2a\x01\x01\x28\xac\x02"sv}) {
    Result<ListOffsetsRequest> request =
        ListOffsetsRequest::decode(bytes(std::string(required.view()) + std::string(buckets)));
    ASSERT_TRUE(request.has_value()) << request.error().message();
    EXPECT_THAT(request->bucket_id, ElementsAre(1, 300));
    EXPECT_EQ(request->encode().flatten().view().substr(6), "\x2a\x03\x01\xac\x02");
  }
  Result<LakeTieringHeartbeatRequest> heartbeat =
      LakeTieringHeartbeatRequest::decode(bytes("\x2a\x03\x01\xac\x02"));
  ASSERT_TRUE(heartbeat.has_value());
  EXPECT_THAT(heartbeat->force_finished_tables, ElementsAre(1, 300));
  EXPECT_EQ(heartbeat->encode().flatten().view(), "\x28\x01\x28\xac\x02");
}

// Proves that the last value of a singular field wins, also of a message, which is not merged.
TEST(Decode, LastValueWins) {
  using namespace std::string_view_literals;
  Result<DatabaseExistsResponse> flag = DatabaseExistsResponse::decode(bytes("\x08\x00\x08\x01"sv));
  ASSERT_TRUE(flag.has_value());
  EXPECT_TRUE(flag->exists);
  Result<MetadataResponse> metadata = MetadataResponse::decode(
      bytes("\x0a\x0a\x08\x01\x12\x01h\x18\x05\x22\x01l\x0a\x07\x08\x02\x12\x01g\x18\x06"));
  ASSERT_TRUE(metadata.has_value()) << metadata.error().message();
  EXPECT_EQ(metadata->coordinator_server->node_id, 2);
  EXPECT_EQ(metadata->coordinator_server->host, "g");
  EXPECT_EQ(metadata->coordinator_server->listeners, std::nullopt);
}

// Proves that the error names message, field and rule.
TEST(Decode, MissingRequiredField) {
  const Result<CreateTableRequest> request =
      CreateTableRequest::decode(bytes("\x0a\x06\x0a\x01"
                                       "d\x12\x01t"));
  EXPECT_EQ(error_of(request),
            "message CreateTableRequest: field table_json is missing though it is required");
  EXPECT_EQ(request.error().code(), ErrorCode::kUnknownServerError);
  EXPECT_EQ(error_of(CreateTableRequest::decode(bytes("\x0a\x03\x0a\x01"
                                                      "d"))),
            "message PbTablePath: field table_name is missing though it is required");
  EXPECT_EQ(error_of(ErrorResponse::decode({})),
            "message ErrorResponse: field error_code is missing though it is required");
}

// Proves that a text that is no UTF-8 is refused, as others could not read an answer with it.
TEST(Decode, TextsAreUtf8) {
  EXPECT_EQ(DatabaseExistsRequest::decode(bytes("\x0a\x02\xc3\xa9"))->database_name, "\xc3\xa9");
  for (std::string_view wrong : {"\x0a\x01\xff", "\x0a\x02z\xc3", "\x0a\x03\xed\xa0\x80"}) {
    EXPECT_THAT(error_of(DatabaseExistsRequest::decode(bytes(wrong))),
                HasSubstr("field database_name is no UTF-8"));
  }
}

// Proves that a known field with another wire type is refused.
TEST(Decode, WrongWireType) {
  using namespace std::string_view_literals;
  for (std::string_view text :
       {"\x0d\x01\x02\x03\x04"sv, "\x0a\x01\x01"sv, "\x09\x01\x02\x03\x04\x05\x06\x07\x08"sv}) {
    EXPECT_THAT(error_of(DatabaseExistsResponse::decode(bytes(text))), HasSubstr("wire type"));
  }
  EXPECT_THAT(error_of(DatabaseExistsRequest::decode(bytes("\x08\x01"))), HasSubstr("wire type"));
}

// Proves that what is no field at all is refused: groups, wire types 6 and 7, the number 0, and
// varints of more than ten bytes or 64 bits.
TEST(Decode, NoField) {
  using namespace std::string_view_literals;
  const std::string long_number = repeat("\xff", 9);
  for (const std::string& text : {std::string("\x53\x54"),
                                  std::string("\x54"),
                                  std::string("\x56\x00"sv),
                                  std::string("\x57\x00"sv),
                                  std::string("\x00\x01"sv),
                                  std::string("\x02\x00"sv),
                                  "\x08" + long_number + "\x02",
                                  "\x08" + long_number + "\x80\x01",
                                  "\x88\x80\x80\x80\x10" + std::string("\x01"),
                                  "\x52" + long_number + "\x01",
                                  std::string("\x52\x02x"),
                                  std::string("\x08")}) {
    EXPECT_THAT(error_of(DatabaseExistsResponse::decode(bytes(text + "\x08\x01"))),
                HasSubstr("DatabaseExistsResponse"))
        << to_hex(bytes(text).span());
  }
}

// A compound predicate in a compound predicate, `levels` deep.
std::string nested_predicate(size_t levels) {
  std::string predicate("\x08\x00", 2);
  for (size_t i = 0; i < levels; ++i) {
    const std::string compound =
        std::string("\x08\x00\x12", 3) + static_cast<char>(predicate.size()) + predicate;
    predicate = std::string("\x08\x01\x1a", 3) + static_cast<char>(compound.size()) + compound;
  }
  return predicate;
}

std::string delimited(char tag, const std::string& text) {
  return std::string(1, tag) + static_cast<char>(text.size()) + text;
}

// Proves that predicates nest, and that nesting has an end.
TEST(Decode, NestingHasALimit) {
  const auto request_of = [](size_t levels) {
    const std::string table =
        std::string("\x08\x01\x10\x01", 4) + delimited('\x2a', nested_predicate(levels));
    return bytes("\x08\x01\x10\x01" + delimited('\x1a', table));
  };
  Result<FetchLogRequest> request = FetchLogRequest::decode(request_of(5));
  ASSERT_TRUE(request.has_value()) << request.error().message();
  const PbPredicate* predicate = &*request->tables_req[0].filter_predicate;
  for (int level = 0; level < 5; ++level) predicate = &predicate->compound->children.at(0);
  EXPECT_EQ(predicate->type, 0);
  EXPECT_EQ(request->encode().flatten(), request_of(5));

  const auto nested = [](int levels) {
    PbPredicate deep;
    deep.leaf.emplace();
    for (int level = 0; level < levels; ++level) {
      PbPredicate outer;
      outer.type = 1;
      outer.compound.emplace().children.push_back(std::move(deep));
      deep = std::move(outer);
    }
    FetchLogRequest around;
    around.tables_req.emplace_back().filter_predicate = std::move(deep);
    return around.encode().flatten();
  };
  EXPECT_TRUE(FetchLogRequest::decode(nested(400)).has_value());
  EXPECT_THAT(error_of(FetchLogRequest::decode(nested(600))), HasSubstr("nested"));
}

// Proves that a payload of many tiny elements does not take memory out of proportion: in a row,
// where they are counted ahead, and mixed with others, where each is charged as it comes.
TEST(Decode, TinyElementsHaveALimit) {
  // PbValue may be empty: two bytes become a struct of forty.
  const auto lookup_of = [](const std::string& values) {
    std::string head("\x10\x01");
    const size_t size = head.size() + values.size();
    std::string text("\x0a");
    for (size_t rest = size;; rest >>= 7) {
      text += static_cast<char>((rest & 0x7f) | (rest >= 0x80 ? 0x80 : 0));
      if (rest < 0x80) break;
    }
    return bytes(text + head + values);
  };
  const std::string value("\x2a\x00", 2);
  const std::string other("\x22\x00", 2);
  EXPECT_EQ(
      LookupResponse::decode(lookup_of(repeat(value, 100'000)))->buckets_resp[0].values.size(),
      100'000U);
  EXPECT_THAT(error_of(LookupResponse::decode(lookup_of(repeat(value, 2'000'000)))),
              HasSubstr("field values has more elements"));
  EXPECT_THAT(error_of(LookupResponse::decode(lookup_of(repeat(value + other, 2'000'000)))),
              HasSubstr("field values has more elements"));
}

// Proves that bytes of a decoded message are slices of the payload, kept alive by it.
TEST(Decode, BytesAreSlicesOfTheFrame) {
  PutKvRequest request{.acks = 1, .table_id = 2, .timeout_ms = 3};
  request.buckets_req.push_back({.bucket_id = 4, .records = bytes(repeat("r", 5000))});
  Bytes payload = request.encode().flatten();
  const uint8_t* const end = payload.end();
  Result<PutKvRequest> decoded = PutKvRequest::decode(std::move(payload));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->buckets_req[0].records.end(), end);
  EXPECT_EQ(decoded->buckets_req[0].records.size(), 5000U);
}

// Proves that long records leave as they are, while short ones are copied between the other fields.
TEST(Encode, LongBytesAreShared) {
  const Bytes first = bytes(repeat("a", 3000));
  const Bytes second = bytes(repeat("b", 10));
  BytesChain records(first);
  records.append(second);
  FetchLogResponse response;
  PbFetchLogRespForTable& table = response.tables_resp.emplace_back();
  table.buckets_resp.push_back({.bucket_id = 1, .records = records});
  table.buckets_resp.push_back({.bucket_id = 2, .records = BytesChain(second)});
  table.buckets_resp.push_back({.bucket_id = 3, .records = BytesChain()});
  const BytesChain chain = response.encode();
  ASSERT_EQ(chain.parts().size(), 4U);
  EXPECT_EQ(chain.parts()[1].data(), first.data());
  EXPECT_EQ(chain.parts()[2].data(), second.data());
  Result<FetchLogResponse> decoded = FetchLogResponse::decode(chain.flatten());
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message();
  EXPECT_EQ(*decoded, response);
  EXPECT_TRUE(decoded->tables_resp[0].buckets_resp[2].records.has_value());
}

// Proves that a message without fields, or with none set, has an empty payload.
TEST(Encode, NothingSet) {
  EXPECT_TRUE(GetClusterHealthRequest().encode().empty());
  EXPECT_TRUE(ApiVersionsResponse().encode().empty());
  EXPECT_TRUE(GetClusterHealthRequest::decode({}).has_value());
}

}  // namespace
}  // namespace lakestream::wire
