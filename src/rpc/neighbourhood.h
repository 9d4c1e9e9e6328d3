#pragma once

#include <string>

// Who shares the limits of an address: of version 4 the address alone; of version 6, where whoever
// has one has very many, all with the same first 64 bits.
//
// Thread rule: a pure function.
//
//   std::string name = neighbourhood_of("2001:db8:1:2:3:4:5:6");  // "2001:db8:1:2::/64"
namespace lakestream::rpc {

// A text that is no address of version 6 is its own.
std::string neighbourhood_of(const std::string& host);

}  // namespace lakestream::rpc
