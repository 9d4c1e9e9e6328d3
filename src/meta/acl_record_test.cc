#include "meta/acl_record.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

// The layout of the Fluss protocol's metadata nodes, written out by hand.
constexpr std::string_view kOne =
    R"({"version":1,"acls":[{"principal_type":"User","principal_name":"alice",)"
    R"("permission_type":"ALLOW","host":"*","operation":"ALL"}]})";
constexpr std::string_view kTwo =
    R"({"version":1,"acls":[{"principal_type":"*","principal_name":"*",)"
    R"("permission_type":"ALLOW","host":"10.0.0.1","operation":"READ"},)"
    R"({"principal_type":"User","principal_name":"a\"b","permission_type":"ALLOW",)"
    R"("host":"*","operation":"WRITE"}]})";

// Proves that entries are read from that layout, each field where it belongs, and written as it.
TEST(AclRecord, RoundTrip) {
  AclRecord one = decode_acl(Bytes::copy_of(kOne)).value();
  ASSERT_EQ(one.entries.size(), 1U);
  EXPECT_EQ(one.entries[0], (AclRecord::Entry{"User", "alice", "ALLOW", "*", "ALL"}));
  EXPECT_EQ(encode(one).view(), kOne);
  AclRecord two = decode_acl(Bytes::copy_of(kTwo)).value();
  ASSERT_EQ(two.entries.size(), 2U);
  EXPECT_EQ(two.entries[0].host, "10.0.0.1");
  EXPECT_EQ(two.entries[1].principal_name, "a\"b");
  EXPECT_EQ(encode(two).view(), kTwo);
  EXPECT_TRUE(decode_acl(Bytes::copy_of(R"({"version":1,"acls":[]})"))->entries.empty());
}

// Proves that a node that lacks something is an error and not a node with fewer entries.
TEST(AclRecord, Broken) {
  for (const char* text : {"",
                           "[]",
                           "{}",
                           R"({"acls":{}})",
                           R"({"acls":["User:alice"]})",
                           R"({"acls":[{"principal_type":"User","principal_name":"alice",)"
                           R"("permission_type":"ALLOW","host":"*"}]})",
                           R"({"acls":[{"principal_type":"User","principal_name":7,)"
                           R"("permission_type":"ALLOW","host":"*","operation":"ALL"}]})"}) {
    EXPECT_FALSE(decode_acl(Bytes::copy_of(std::string_view(text)))) << text;
  }
}

// Proves where the nodes are.
TEST(AclRecord, Paths) {
  EXPECT_EQ(paths::acls("TABLE"), "/fluss-acls/TABLE");
  EXPECT_EQ(paths::acl("TABLE", "db.t"), "/fluss-acls/TABLE/db.t");
}

}  // namespace
}  // namespace lakestream
