#pragma once

#include <string>

// The certificates that the system trusts, in one file. Libraries that come in a wheel or a tarball
// look at one place only, and that is another one on every distribution.
//
// Thread rule: any thread.
//
//   options.ca_file = certificates_of_system();
namespace lakestream::internal {

// Empty where there is none.
std::string certificates_of_system();

}  // namespace lakestream::internal
