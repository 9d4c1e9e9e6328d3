#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Which of several roots of remote storage a new table or partition gets: each in turn, and as
// often as its weight says. The turns of a root are spread over the round, so that no root has many
// tables in a row.
//
// Thread rule: shard-local.
//
//   RemoteDirs dirs({{"s3://a", 2}, {"s3://b", 1}});
//   std::optional<std::string> root = dirs.next();  // a, b, a, a, b, a, …
namespace lakestream::coordinator {

struct RemoteDir {
  std::string root;
  int64_t weight = 1;  // 0: what is there stays, nothing new comes

  friend bool operator==(const RemoteDir&, const RemoteDir&) = default;
};

class RemoteDirs {
 public:
  explicit RemoteDirs(std::vector<RemoteDir> dirs) : dirs_(std::move(dirs)), due_(dirs_.size()) {}

  // Nothing when there are none, or all have weight 0.
  std::optional<std::string> next();

 private:
  std::vector<RemoteDir> dirs_;
  std::vector<int64_t> due_;  // what each has saved up; the sum is 0
};

}  // namespace lakestream::coordinator
