#include "io/http_client.h"

#include <mutex>

#include <curl/curl.h>
#include <dlfcn.h>

#include "io/internal/certificates.h"

namespace lakestream {
namespace {

constexpr const char* kLibrary = "libcurl.so.4";
constexpr long kConnectMs = 5000;
constexpr size_t kIdleConnections = 8;

// libcurl, which brings thirty more libraries: opened when the first request is made, so that the
// commands that make none start without them.
struct Curl {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_setopt) setopt = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_getinfo) getinfo = nullptr;
  decltype(&curl_easy_strerror) strerror = nullptr;
  decltype(&curl_easy_reset) reset = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) free_all = nullptr;
  std::string trouble = {};  // why there is none
};

template <typename Function>
void find(void* library, const char* name, Function* function, Curl* curl) {
  *function = reinterpret_cast<Function>(::dlsym(library, name));
  if (*function == nullptr) curl->trouble = fmt::format("{} has no {}", kLibrary, name);
}

Curl open_library() {
  Curl curl;
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    curl.trouble = fmt::format("there is no HTTP library: {}", ::dlerror());
    return curl;
  }
  find(library, "curl_global_init", &curl.global_init, &curl);
  find(library, "curl_easy_init", &curl.easy_init, &curl);
  find(library, "curl_easy_setopt", &curl.setopt, &curl);
  find(library, "curl_easy_perform", &curl.perform, &curl);
  find(library, "curl_easy_getinfo", &curl.getinfo, &curl);
  find(library, "curl_easy_strerror", &curl.strerror, &curl);
  find(library, "curl_easy_reset", &curl.reset, &curl);
  find(library, "curl_easy_cleanup", &curl.cleanup, &curl);
  find(library, "curl_slist_append", &curl.append, &curl);
  find(library, "curl_slist_free_all", &curl.free_all, &curl);
  // Once in a process, before its first use.
  if (curl.trouble.empty() && curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    curl.trouble = "the HTTP library does not start";
  }
  return curl;
}

const Curl& library() {
  static const Curl curl = open_library();
  return curl;
}

struct EasyDeleter {
  void operator()(CURL* handle) const { library().cleanup(handle); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

struct ListDeleter {
  void operator()(curl_slist* list) const { library().free_all(list); }
};
using List = std::unique_ptr<curl_slist, ListDeleter>;

size_t take_body(char* data, size_t, size_t size, void* body) {
  static_cast<std::string*>(body)->append(data, size);
  return size;
}

List list_of(const std::vector<HttpHeader>& headers) {
  List list;
  auto add = [&list](const std::string& line) {
    curl_slist* longer = library().append(list.get(), line.c_str());
    if (longer == nullptr) return;
    (void)list.release();
    list.reset(longer);
  };
  // Not what the library takes for granted: a round trip before a body, and that it is a form.
  add("Expect:");
  add("Content-Type:");
  for (const HttpHeader& header : headers) add(header.name + ": " + header.value);
  return list;
}

// Nothing was sent when there was nobody to send to.
bool never_sent(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_PEER_FAILED_VERIFICATION:
      return true;
    default:
      return false;
  }
}

class CurlClient final : public HttpClient {
 public:
  explicit CurlClient(HttpOptions options) : options_(std::move(options)) {
    if (options_.ca_file.empty()) options_.ca_file = internal::certificates_of_system();
  }

  HttpAnswer send(const HttpRequest& request) override {
    if (!library().trouble.empty()) return {.trouble = library().trouble};
    Easy easy = take_handle();
    if (easy == nullptr) return {.trouble = "out of memory"};
    HttpAnswer answer;
    char reason[CURL_ERROR_SIZE] = "";
    List headers = list_of(request.headers);
    set_up(easy.get(), request, headers.get(), reason, &answer.body);
    CURLcode code = library().perform(easy.get());
    if (code == CURLE_OK) {
      long status = 0;
      library().getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
      answer.status = static_cast<int>(status);
    } else {
      curl_off_t connected_us = 0;
      library().getinfo(easy.get(), CURLINFO_PRETRANSFER_TIME_T, &connected_us);
      answer.body.clear();
      answer.may_have_arrived = !never_sent(code) && connected_us > 0;
      answer.trouble = *reason != '\0' ? reason : library().strerror(code);
    }
    give_back(std::move(easy));
    return answer;
  }

 private:
  void set_up(CURL* easy,
              const HttpRequest& request,
              curl_slist* headers,
              char* reason,
              std::string* body) {
    auto set = library().setopt;
    set(easy, CURLOPT_URL, request.url.c_str());
    set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy, CURLOPT_NOSIGNAL, 1L);
    set(easy, CURLOPT_ERRORBUFFER, reason);
    set(easy, CURLOPT_USERAGENT, "lakestream");
    set(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
    set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    set(easy, CURLOPT_ACCEPT_ENCODING, "");
    set(easy, CURLOPT_HTTPHEADER, headers);
    set(easy, CURLOPT_WRITEFUNCTION, take_body);
    set(easy, CURLOPT_WRITEDATA, body);
    if (!options_.ca_file.empty()) {
      set(easy, CURLOPT_CAINFO, options_.ca_file.c_str());
    }
    if (request.method == "HEAD") {
      set(easy, CURLOPT_NOBODY, 1L);
    } else if (request.method != "GET") {
      // On a kept connection that ends the library would send the request a second time.
      set(easy, CURLOPT_FRESH_CONNECT, 1L);
      set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      set(easy, CURLOPT_POSTFIELDS, request.body.data());
    }
    set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }

  // Handles keep the connection of their last request.
  Easy take_handle() {
    {
      std::lock_guard turn(mutex_);
      if (!idle_.empty()) {
        Easy easy = std::move(idle_.back());
        idle_.pop_back();
        return easy;
      }
    }
    return Easy(library().easy_init());
  }

  void give_back(Easy easy) {
    library().reset(easy.get());
    std::lock_guard turn(mutex_);
    if (idle_.size() < kIdleConnections) idle_.push_back(std::move(easy));
  }

  HttpOptions options_;
  std::mutex mutex_;
  std::vector<Easy> idle_;
};

}  // namespace

std::unique_ptr<HttpClient> make_http_client(HttpOptions options) {
  return std::make_unique<CurlClient>(std::move(options));
}

std::string shown_url(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  size_t scheme = url.find("://");
  size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  size_t path = std::min(url.find('/', host), url.size());
  size_t at = url.substr(0, path).rfind('@');
  if (at == std::string_view::npos || at < host) return std::string(url);
  return std::string(url.substr(0, host)).append(url.substr(at + 1));
}

std::string url_encoded(std::string_view text, bool keeps_slash) {
  std::string encoded;
  for (char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '_' || c == '.' || c == '~' || (c == '/' && keeps_slash);
    if (plain) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace lakestream
