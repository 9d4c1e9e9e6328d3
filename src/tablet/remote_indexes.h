#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "log/remote_segment.h"

// Indexes of remote segments that were used lately, of all buckets of a shard. A segment never
// changes, so what is here holds as long as the segment does.
//
// Thread rule: shard-local.
//
//   if (auto index = indexes.find(path)) return *index;
//   indexes.add(path, index);
namespace lakestream {

class RemoteIndexes {
 public:
  explicit RemoteIndexes(size_t bytes_max) : bytes_max_(bytes_max) {}

  std::optional<RemoteIndex> find(const std::string& path) {
    auto found = places_.find(path);
    if (found == places_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front().second;
  }

  void add(const std::string& path, RemoteIndex index) {
    if (places_.contains(path)) return;
    bytes_ += index.bytes();
    entries_.emplace_front(path, std::move(index));
    places_.emplace(path, entries_.begin());
    while (bytes_ > bytes_max_ && entries_.size() > 1) {
      bytes_ -= entries_.back().second.bytes();
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
  }

 private:
  using Entries = std::list<std::pair<std::string, RemoteIndex>>;  // the latest first
  size_t bytes_max_;
  size_t bytes_ = 0;
  Entries entries_;
  std::map<std::string, Entries::iterator> places_;
};

}  // namespace lakestream
