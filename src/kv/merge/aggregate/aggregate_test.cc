#include "kv/merge/aggregate/aggregate.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace lakestream {
namespace {

// What the function makes of two values that are not null.
Value combine(AggType type, const DataType& column, const Value& old, const Value& update) {
  static Arena arena;
  auto made = make_aggregate({.type = type, .parameters = {}}, column);
  EXPECT_TRUE(made) << agg_type_name(type) << " of " << column.to_string();
  auto combined = made->combine(*made, old, update, &arena);
  EXPECT_TRUE(combined);
  return *combined;
}

Value number(const DataType& type, int64_t value) {
  switch (value_kind_of(type)) {
    case Value::Kind::kFloat:
      return Value::float_(static_cast<float>(value) / 2);
    case Value::Kind::kDouble:
      return Value::double_(static_cast<double>(value) / 2);
    default:
      return Value::integer(value);
  }
}

Value decimal(std::string_view text) {
  if (text == "null") return Value::null();
  bool negative = text.front() == '-';
  Int128 value = 0;
  for (char digit : text.substr(negative ? 1 : 0)) value = value * 10 + (digit - '0');
  return Value::decimal(negative ? -value : value);
}

// The values of the reference's own documented cases; floats are halves of the integers here.
TEST(Aggregate, SumsAndMultipliesEachNumericType) {
  struct Case {
    DataType type;
    int64_t old, update, sum, product;
  };
  const Case cases[] = {
      {DataType::tinyint(), 5, 3, 8, 15},
      {DataType::smallint(), 100, 200, 300, 20000},
      {DataType::integer(), 1000, 2000, 3000, 2000000},
      {DataType::bigint(), 10000, 20000, 30000, 200000000},
      {DataType::float_(), 3, 6, 9, 9},
      {DataType::double_(), 21, 40, 61, 420},
  };
  for (const Case& c : cases) {
    Value old = number(c.type, c.old);
    Value update = number(c.type, c.update);
    EXPECT_EQ(combine(AggType::kSum, c.type, old, update), number(c.type, c.sum))
        << c.type.to_string();
    EXPECT_EQ(combine(AggType::kProduct, c.type, old, update), number(c.type, c.product))
        << c.type.to_string();
  }
}

// Java arithmetic: no overflow is an error.
TEST(Aggregate, IntegersWrapAroundAtTheWidthOfTheColumn) {
  struct Case {
    DataType type;
    int64_t max;
  };
  const Case cases[] = {{DataType::tinyint(), INT8_MAX},
                        {DataType::smallint(), INT16_MAX},
                        {DataType::integer(), INT32_MAX},
                        {DataType::bigint(), INT64_MAX}};
  for (const Case& c : cases) {
    int64_t min = -c.max - 1;
    auto sum = [&](int64_t a, int64_t b) {
      return combine(AggType::kSum, c.type, Value::integer(a), Value::integer(b)).as_integer();
    };
    auto product = [&](int64_t a, int64_t b) {
      return combine(AggType::kProduct, c.type, Value::integer(a), Value::integer(b)).as_integer();
    };
    EXPECT_EQ(sum(c.max, 1), min);
    EXPECT_EQ(sum(min, -1), c.max);
    EXPECT_EQ(product(c.max, 2), -2);
    EXPECT_EQ(product(min, -1), min);
  }
}

// What java.math.BigDecimal gives, rounded half up to the scale.
struct DecimalCase {
  int32_t precision, scale;
  std::string_view old, update, sum, product;
};
constexpr DecimalCase kDecimals[] = {
    {10, 2, "10050", "20075", "30125", "2017538"},
    {10, 2, "250", "400", "650", "1000"},
    {5, 2, "99999", "1", "null", "1000"},
    {5, 2, "-99999", "-1", "null", "1000"},
    {5, 1, "5", "5", "10", "3"},
    {5, 1, "-5", "5", "0", "-3"},
    {5, 1, "5", "7", "12", "4"},
    {5, 1, "3", "8", "11", "2"},
    {5, 0, "0", "-7", "-7", "0"},
    {18, 0, "999999999999999999", "1", "null", "999999999999999999"},
    {38,
     0,
     "99999999999999999999999999999999999999",
     "1",
     "null",
     "99999999999999999999999999999999999999"},
    {38,
     0,
     "99999999999999999999999999999999999999",
     "99999999999999999999999999999999999999",
     "null",
     "null"},
    {38,
     38,
     "99999999999999999999999999999999999999",
     "99999999999999999999999999999999999999",
     "null",
     "99999999999999999999999999999999999998"},
    {38,
     38,
     "-99999999999999999999999999999999999999",
     "99999999999999999999999999999999999999",
     "0",
     "-99999999999999999999999999999999999998"},
    {38,
     38,
     "50000000000000000000000000000000000000",
     "1",
     "50000000000000000000000000000000000001",
     "1"},
    {38,
     38,
     "49999999999999999999999999999999999999",
     "1",
     "50000000000000000000000000000000000000",
     "0"},
    {38,
     18,
     "-12345678901234567890123456789012345678",
     "1000000000000000000",
     "-12345678901234567889123456789012345678",
     "-12345678901234567890123456789012345678"},
    {38,
     0,
     "10000000000000000000",
     "9999999999999999999",
     "19999999999999999999",
     "99999999999999999990000000000000000000"},
    {38, 0, "10000000000000000000", "10000000000000000000", "20000000000000000000", "null"},
    {27,
     12,
     "-747933961562872429319336933",
     "24078456385839771484182",
     "-747909883106486589547852751",
     "null"},
    {22, 19, "-189261", "96364326350", "96364137089", "0"},
    {38,
     1,
     "304",
     "-292055688414525508366541933",
     "-292055688414525508366541629",
     "-8878492927801575454342874763"},
    {30,
     14,
     "-730875100348395460381249754973",
     "27472",
     "-730875100348395460381249727501",
     "-200786007567711200876"},
    {26,
     13,
     "1031322450921009154984428",
     "-20762695460119082",
     "1031322430158313694865346",
     "null"},
    {27,
     4,
     "-90",
     "-56462660186428585444380954",
     "-56462660186428585444381044",
     "508163941677857268999429"},
    {26, 8, "8754", "58803220154140714560033", "58803220154140714568787", "5147633892293478153"},
    {33, 22, "2", "117749134177795152564076493", "117749134177795152564076495", "23550"},
    {25, 8, "-152151896468914414", "25149074705767432946306", "25148922553870964031892", "null"},
    {5, 3, "-94954", "24040", "-70914", "null"},
    {34,
     10,
     "-30409574164410059",
     "34408869235430412709",
     "34378459661266002650",
     "-104635906092830877824527501"},
    {26,
     16,
     "-48939288630641343371119",
     "-33112226901430233010948167",
     "-33161166190060874354319286",
     "null"},
    {5, 2, "1191", "-27787", "-26596", "null"},
    {8, 4, "-39257017", "-67171912", "null", "null"},
};

// Up to 38 digits, of which a product has twice as many in between.
TEST(Aggregate, DecimalsAreRoundedAndNullWhenTheyDoNotFit) {
  for (const DecimalCase& c : kDecimals) {
    DataType type = DataType::decimal(c.precision, c.scale);
    Value old = decimal(c.old);
    Value update = decimal(c.update);
    EXPECT_EQ(combine(AggType::kSum, type, old, update), decimal(c.sum))
        << c.old << " + " << c.update;
    EXPECT_EQ(combine(AggType::kProduct, type, old, update), decimal(c.product))
        << c.old << " * " << c.update;
  }
}

// Values beyond their type, as damaged rows may have them, do no harm.
TEST(Aggregate, DecimalsBeyond38DigitsAreNull) {
  constexpr Int128 kMax = ~(static_cast<Int128>(1) << 126) ^ static_cast<Int128>(1) << 127;
  DataType type = DataType::decimal(38, 0);
  Value max = Value::decimal(kMax);
  Value min = Value::decimal(-kMax - 1);
  for (const Value& a : {max, min}) {
    for (const Value& b : {max, min}) {
      EXPECT_TRUE(combine(AggType::kProduct, type, a, b).is_null());
    }
    EXPECT_TRUE(combine(AggType::kSum, type, a, a).is_null());
  }
}

// Each pair ascends in the order of the type.
TEST(Aggregate, MaxAndMinTakeTheOrderOfTheType) {
  struct Case {
    DataType type;
    Value low, high;
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr float kNanFloat = std::numeric_limits<float>::quiet_NaN();
  const Case cases[] = {
      {DataType::tinyint(), Value::integer(-10), Value::integer(-5)},
      {DataType::smallint(), Value::integer(100), Value::integer(200)},
      {DataType::integer(), Value::integer(INT32_MIN), Value::integer(INT32_MAX)},
      {DataType::bigint(), Value::integer(INT64_MIN), Value::integer(INT64_MAX)},
      {DataType::float_(), Value::float_(-1.5F), Value::float_(2.5F)},
      {DataType::float_(), Value::float_(-0.0F), Value::float_(0.0F)},
      {DataType::float_(), Value::float_(INFINITY), Value::float_(kNanFloat)},
      {DataType::double_(), Value::double_(10.5), Value::double_(20.5)},
      {DataType::double_(), Value::double_(-0.0), Value::double_(0.0)},
      {DataType::double_(), Value::double_(-1), Value::double_(-kNan)},
      {DataType::decimal(10, 2), Value::decimal(10050), Value::decimal(20075)},
      {DataType::decimal(38, 0),
       Value::decimal(-power_of_ten(37)),
       Value::decimal(power_of_ten(37))},
      {DataType::string(), Value::bytes("apple"), Value::bytes("banana")},
      {DataType::string(), Value::bytes(""), Value::bytes("test")},
      {DataType::string(), Value::bytes("z"), Value::bytes("\xc3\xa4")},
      {DataType::char_(4), Value::bytes("a"), Value::bytes("aa")},
      {DataType::date(), Value::integer(20089), Value::integer(20453)},
      {DataType::time(0), Value::integer(36000000), Value::integer(52200000)},
      {DataType::timestamp(9), Value::timestamp(5, 1), Value::timestamp(5, 2)},
      {DataType::timestamp(3), Value::timestamp(-1, 999999), Value::timestamp(0, 0)},
      {DataType::timestamp_ltz(6),
       Value::timestamp(1736510400000, 0),
       Value::timestamp(1767225599000, 0)},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type.to_string());
    for (bool swapped : {false, true}) {
      const Value& old = swapped ? c.high : c.low;
      const Value& update = swapped ? c.low : c.high;
      EXPECT_EQ(combine(AggType::kMax, c.type, old, update), c.high);
      EXPECT_EQ(combine(AggType::kMin, c.type, old, update), c.low);
    }
  }
}

// Functions that look at no value take any type.
TEST(Aggregate, ChoosesByAgeAlone) {
  const DataType types[] = {DataType::bytes(), DataType::array(DataType::integer())};
  for (const DataType& type : types) {
    Value one = type.is_nested() ? Value::array({}) : Value::bytes("one");
    Value two = type.is_nested() ? Value::array(std::span(&one, 1)) : Value::bytes("two");
    EXPECT_EQ(combine(AggType::kLastValue, type, one, two), two);
    EXPECT_EQ(combine(AggType::kLastValueIgnoreNulls, type, one, two), two);
    EXPECT_EQ(combine(AggType::kFirstValue, type, one, two), one);
    EXPECT_EQ(combine(AggType::kFirstValueIgnoreNulls, type, one, two), one);
  }
}

// The delimiter is a comma unless the column has its own, and bytes stay as they are.
TEST(Aggregate, JoinsTextsWithTheDelimiter) {
  Value a = Value::bytes("a");
  Value b = Value::bytes("\xc3\xa4");
  Value empty = Value::bytes("");
  EXPECT_EQ(combine(AggType::kListagg, DataType::string(), a, b), Value::bytes("a,\xc3\xa4"));
  EXPECT_EQ(combine(AggType::kStringAgg, DataType::char_(3), b, a), Value::bytes("\xc3\xa4,a"));
  EXPECT_EQ(combine(AggType::kListagg, DataType::string(), empty, empty), Value::bytes(","));
  Arena arena;
  auto made = make_aggregate({.type = AggType::kStringAgg, .parameters = {{"delimiter", " | "}}},
                             DataType::string());
  ASSERT_TRUE(made);
  EXPECT_EQ(*made->combine(*made, a, a, &arena), Value::bytes("a | a"));
}

// The tables of truth.
TEST(Aggregate, CombinesBooleans) {
  for (bool a : {false, true}) {
    for (bool b : {false, true}) {
      Value old = Value::boolean(a);
      Value update = Value::boolean(b);
      EXPECT_EQ(combine(AggType::kBoolAnd, DataType::boolean(), old, update).as_boolean(), a && b);
      EXPECT_EQ(combine(AggType::kBoolOr, DataType::boolean(), old, update).as_boolean(), a || b);
    }
  }
}

// A schema from the disk may hold anything.
TEST(Aggregate, RefusesTypesAndParametersItDoesNotTake) {
  auto code = [](const AggFunction& function, const DataType& type) {
    auto made = make_aggregate(function, type);
    return made ? ErrorCode::kNone : made.error().code();
  };
  constexpr ErrorCode kInvalid = ErrorCode::kInvalidConfigException;
  EXPECT_EQ(code({.type = AggType::kSum, .parameters = {}}, DataType::string()), kInvalid);
  EXPECT_EQ(code({.type = AggType::kMax, .parameters = {}}, DataType::boolean()), kInvalid);
  EXPECT_EQ(code({.type = AggType::kRbm32, .parameters = {}}, DataType::string()), kInvalid);
  EXPECT_EQ(code({.type = AggType::kSum, .parameters = {{"delimiter", ","}}}, DataType::bigint()),
            kInvalid);
  EXPECT_EQ(
      code({.type = AggType::kListagg, .parameters = {{"separator", ","}}}, DataType::string()),
      kInvalid);
}

}  // namespace
}  // namespace lakestream
