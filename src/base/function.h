#pragma once

#include <memory>
#include <type_traits>
#include <utility>

// UniqueFunction<R(Args...)> is a callable that may own what cannot be copied, as std::function may
// not.
//
// Thread rule: belongs to one thread at a time.
//
//   UniqueFunction<void()> job = [slab = std::move(slab)] { use(slab); };
//   job();
namespace lakestream {

template <typename Signature>
class UniqueFunction;

template <typename R, typename... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() = default;
  template <typename F>
    requires(!std::is_same_v<std::decay_t<F>, UniqueFunction>)
  UniqueFunction(F&& function)  // NOLINT(google-explicit-constructor): lambdas convert
      : callable_(std::make_unique<Holder<std::decay_t<F>>>(std::forward<F>(function))) {}

  explicit operator bool() const { return callable_ != nullptr; }
  R operator()(Args... args) { return callable_->call(std::forward<Args>(args)...); }

 private:
  struct Callable {
    virtual ~Callable() = default;
    virtual R call(Args... args) = 0;
  };
  template <typename F>
  struct Holder final : Callable {
    template <typename G>
    explicit Holder(G&& g) : function(std::forward<G>(g)) {}
    R call(Args... args) override { return function(std::forward<Args>(args)...); }
    F function;
  };
  std::unique_ptr<Callable> callable_;
};

}  // namespace lakestream
