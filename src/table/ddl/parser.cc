#include <utility>

#include "table/ddl.h"
#include "table/ddl/token_reader.h"
#include "table/ddl/type_parser.h"

namespace lakestream {
namespace {

// One method a statement; each begins after the words that named it.
class DdlParser {
 public:
  explicit DdlParser(std::vector<Token> tokens) : reader_(std::move(tokens)) {}

  Result<Statement> run() {
    ASSIGN_OR_RETURN(Statement statement, statement_of());
    reader_.take_symbol(';');
    RETURN_IF_ERROR(reader_.expect_end());
    return statement;
  }

 private:
  Result<Statement> statement_of();
  Result<Statement> create();
  Result<Statement> create_database();
  Result<Statement> create_table();
  Result<Statement> drop();
  Result<Statement> show();
  Result<Statement> alter();
  Result<Statement> alter_add(TableName name);
  Result<Statement> alter_drop(TableName name);
  Result<Statement> alter_rename(TableName name);
  Result<Statement> alter_reset(TableName name);

  Result<TableDescriptor> table_body();
  Status table_element(SchemaBuilder* builder, bool* has_key);
  Result<Column> column();
  Result<TableName> table_name();
  Result<std::optional<std::string>> comment();
  Result<std::vector<std::string>> names_in_parentheses(std::string_view what);
  Result<Properties> with();
  Result<Properties> options();
  Result<std::pair<std::string, std::string>> option();
  Result<PartitionSpec> partition();

  TokenReader reader_;
};

Result<Statement> DdlParser::statement_of() {
  if (reader_.take_word("CREATE")) return create();
  if (reader_.take_word("DROP")) return drop();
  if (reader_.take_word("SHOW")) return show();
  if (reader_.take_word("ALTER")) return alter();
  if (reader_.take_word("USE")) {
    ASSIGN_OR_RETURN(std::string name, reader_.expect_name("a database name"));
    return UseDatabase{std::move(name)};
  }
  if (reader_.take_word("DESCRIBE") || reader_.take_word("DESC")) {
    reader_.take_word("TABLE");
    ASSIGN_OR_RETURN(TableName name, table_name());
    return DescribeTable{std::move(name)};
  }
  return reader_.expected("CREATE, DROP, ALTER, SHOW, DESCRIBE or USE");
}

Result<Statement> DdlParser::create() {
  if (reader_.take_word("DATABASE")) return create_database();
  if (reader_.take_word("TABLE")) return create_table();
  return reader_.expected("TABLE or DATABASE");
}

Result<Statement> DdlParser::create_database() {
  CreateDatabase statement;
  statement.if_not_exists = reader_.take_words({"IF", "NOT", "EXISTS"});
  ASSIGN_OR_RETURN(statement.name, reader_.expect_name("a database name"));
  ASSIGN_OR_RETURN(statement.descriptor.comment, comment());
  ASSIGN_OR_RETURN(statement.descriptor.custom_properties, with());
  return statement;
}

Result<Statement> DdlParser::create_table() {
  bool if_not_exists = reader_.take_words({"IF", "NOT", "EXISTS"});
  ASSIGN_OR_RETURN(TableName name, table_name());
  if (reader_.take_word("LIKE")) {
    CreateTableLike statement{std::move(name), if_not_exists, {}, {}};
    ASSIGN_OR_RETURN(statement.source, table_name());
    ASSIGN_OR_RETURN(statement.with, with());
    return statement;
  }
  if (!reader_.at_symbol('(')) return reader_.expected("'(' or LIKE");
  CreateTable statement{std::move(name), if_not_exists, {}};
  ASSIGN_OR_RETURN(statement.descriptor, table_body());
  return statement;
}

Result<TableDescriptor> DdlParser::table_body() {
  SchemaBuilder builder;
  bool has_key = false;
  RETURN_IF_ERROR(reader_.expect_symbol('('));
  do {
    RETURN_IF_ERROR(table_element(&builder, &has_key));
  } while (reader_.take_symbol(','));
  RETURN_IF_ERROR(reader_.expect_symbol(')'));

  TableDescriptor table;
  ASSIGN_OR_RETURN(table.comment, comment());
  if (reader_.take_word("PARTITIONED")) {
    RETURN_IF_ERROR(reader_.expect_words({"BY"}));
    ASSIGN_OR_RETURN(table.partition_keys, names_in_parentheses("a column name"));
  }
  ASSIGN_OR_RETURN(Properties properties, with());
  // What does not belong here is told before what is wrong with the table.
  if (!reader_.at_symbol(';')) RETURN_IF_ERROR(reader_.expect_end());
  ASSIGN_OR_RETURN(table.schema, builder.build());
  return apply_with(std::move(table), properties);
}

// A column or the primary key.
Status DdlParser::table_element(SchemaBuilder* builder, bool* has_key) {
  if (reader_.at_word("CONSTRAINT") && reader_.at_word("PRIMARY", 2)) {
    reader_.take_word("CONSTRAINT");
    RETURN_IF_ERROR(reader_.expect_name("a name"));
  }
  Token place = reader_.peek();
  if (!reader_.take_words({"PRIMARY", "KEY"})) {
    ASSIGN_OR_RETURN(Column next, column());
    builder->column(std::move(next));
    return ok();
  }
  if (*has_key) return error_at(place, "the primary key is there already, remove one");
  ASSIGN_OR_RETURN(std::vector<std::string> names, names_in_parentheses("a column name"));
  builder->primary_key(std::move(names));
  *has_key = true;
  if (reader_.take_word("NOT")) return reader_.expect_words({"ENFORCED"});
  return ok();
}

Result<Column> DdlParser::column() {
  Column column;
  ASSIGN_OR_RETURN(column.name, reader_.expect_name("a column name"));
  ASSIGN_OR_RETURN(column.type, parse_type(reader_));
  ASSIGN_OR_RETURN(column.comment, comment());
  return column;
}

Result<Statement> DdlParser::drop() {
  if (reader_.take_word("TABLE")) {
    DropTable statement;
    statement.if_exists = reader_.take_words({"IF", "EXISTS"});
    ASSIGN_OR_RETURN(statement.name, table_name());
    return statement;
  }
  if (!reader_.take_word("DATABASE")) return reader_.expected("TABLE or DATABASE");
  DropDatabase statement;
  statement.if_exists = reader_.take_words({"IF", "EXISTS"});
  ASSIGN_OR_RETURN(statement.name, reader_.expect_name("a database name"));
  statement.cascade = reader_.take_word("CASCADE");
  if (!statement.cascade) reader_.take_word("RESTRICT");
  return statement;
}

Result<Statement> DdlParser::show() {
  if (reader_.take_word("DATABASES")) return ShowDatabases{};
  if (reader_.take_word("TABLES")) {
    ShowTables statement;
    if (reader_.take_word("IN") || reader_.take_word("FROM")) {
      ASSIGN_OR_RETURN(statement.database, reader_.expect_name("a database name"));
    }
    return statement;
  }
  if (reader_.take_word("CREATE")) {
    RETURN_IF_ERROR(reader_.expect_words({"TABLE"}));
    ASSIGN_OR_RETURN(TableName name, table_name());
    return ShowCreateTable{std::move(name)};
  }
  if (!reader_.take_word("PARTITIONS")) {
    return reader_.expected("DATABASES, TABLES, PARTITIONS or CREATE TABLE");
  }
  ShowPartitions statement;
  ASSIGN_OR_RETURN(statement.name, table_name());
  if (reader_.take_word("PARTITION")) {
    ASSIGN_OR_RETURN(statement.partition, partition());
  }
  return statement;
}

Result<Statement> DdlParser::alter() {
  RETURN_IF_ERROR(reader_.expect_words({"TABLE"}));
  ASSIGN_OR_RETURN(TableName name, table_name());
  if (reader_.take_word("ADD")) return alter_add(std::move(name));
  if (reader_.take_word("DROP")) return alter_drop(std::move(name));
  if (reader_.take_word("RENAME")) return alter_rename(std::move(name));
  if (reader_.take_word("RESET")) return alter_reset(std::move(name));
  if (!reader_.take_word("SET")) return reader_.expected("ADD, DROP, RENAME, SET or RESET");
  SetOptions statement{std::move(name), {}};
  ASSIGN_OR_RETURN(statement.options, options());
  return statement;
}

Result<Statement> DdlParser::alter_add(TableName name) {
  bool if_not_exists = reader_.take_words({"IF", "NOT", "EXISTS"});
  // PARTITION may also be the name of a column, which a type follows and no parenthesis.
  bool is_partition = reader_.at_word("PARTITION") && reader_.peek(1).text == "(";
  if (if_not_exists || is_partition) {
    RETURN_IF_ERROR(reader_.expect_words({"PARTITION"}));
    AddPartition statement{std::move(name), if_not_exists, {}};
    ASSIGN_OR_RETURN(statement.partition, partition());
    return statement;
  }
  AddColumns statement{std::move(name), {}};
  reader_.take_word("COLUMN");
  bool several = reader_.take_symbol('(');
  do {
    Token place = reader_.peek();
    ASSIGN_OR_RETURN(Column next, column());
    if (!next.type.nullable()) {
      return error_at(
          place, fmt::format("column '{}' is NOT NULL, a new column must be nullable", next.name));
    }
    statement.columns.push_back(std::move(next));
  } while (several && reader_.take_symbol(','));
  if (several) RETURN_IF_ERROR(reader_.expect_symbol(')'));
  return statement;
}

Result<Statement> DdlParser::alter_drop(TableName name) {
  bool if_exists = reader_.take_words({"IF", "EXISTS"});
  bool is_partition = reader_.at_word("PARTITION") && reader_.peek(1).text == "(";
  if (if_exists || is_partition) {
    RETURN_IF_ERROR(reader_.expect_words({"PARTITION"}));
    DropPartition statement{std::move(name), if_exists, {}};
    ASSIGN_OR_RETURN(statement.partition, partition());
    return statement;
  }
  if (!reader_.take_word("COLUMN")) return reader_.expected("COLUMN or PARTITION");
  DropColumn statement{std::move(name), {}};
  ASSIGN_OR_RETURN(statement.column, reader_.expect_name("a column name"));
  return statement;
}

Result<Statement> DdlParser::alter_rename(TableName name) {
  RETURN_IF_ERROR(reader_.expect_words({"COLUMN"}));
  RenameColumn statement{std::move(name), {}, {}};
  ASSIGN_OR_RETURN(statement.column, reader_.expect_name("a column name"));
  RETURN_IF_ERROR(reader_.expect_words({"TO"}));
  ASSIGN_OR_RETURN(statement.new_name, reader_.expect_name("a column name"));
  return statement;
}

Result<Statement> DdlParser::alter_reset(TableName name) {
  ResetOptions statement{std::move(name), {}};
  RETURN_IF_ERROR(reader_.expect_symbol('('));
  do {
    ASSIGN_OR_RETURN(std::string key, reader_.expect_literal("a key"));
    statement.keys.push_back(std::move(key));
  } while (reader_.take_symbol(','));
  RETURN_IF_ERROR(reader_.expect_symbol(')'));
  return statement;
}

Result<TableName> DdlParser::table_name() {
  TableName name;
  ASSIGN_OR_RETURN(name.table, reader_.expect_name("a table name"));
  if (reader_.take_symbol('.')) {
    name.database = std::move(name.table);
    ASSIGN_OR_RETURN(name.table, reader_.expect_name("a table name"));
  }
  return name;
}

Result<std::optional<std::string>> DdlParser::comment() {
  if (!reader_.take_word("COMMENT")) return std::optional<std::string>();
  ASSIGN_OR_RETURN(std::string text, reader_.expect_literal("a comment"));
  return std::optional<std::string>(std::move(text));
}

Result<std::vector<std::string>> DdlParser::names_in_parentheses(std::string_view what) {
  std::vector<std::string> names;
  RETURN_IF_ERROR(reader_.expect_symbol('('));
  do {
    ASSIGN_OR_RETURN(std::string name, reader_.expect_name(what));
    names.push_back(std::move(name));
  } while (reader_.take_symbol(','));
  RETURN_IF_ERROR(reader_.expect_symbol(')'));
  return names;
}

Result<Properties> DdlParser::with() {
  if (!reader_.take_word("WITH")) return Properties();
  return options();
}

Result<Properties> DdlParser::options() {
  Properties properties;
  RETURN_IF_ERROR(reader_.expect_symbol('('));
  if (reader_.take_symbol(')')) return properties;
  do {
    Token place = reader_.peek();
    ASSIGN_OR_RETURN(auto entry, option());
    if (!properties.insert(entry).second) {
      return error_at(place, fmt::format("key '{}' is there twice, remove one", entry.first));
    }
  } while (reader_.take_symbol(','));
  RETURN_IF_ERROR(reader_.expect_symbol(')'));
  return properties;
}

Result<std::pair<std::string, std::string>> DdlParser::option() {
  ASSIGN_OR_RETURN(std::string key, reader_.expect_literal("a key"));
  RETURN_IF_ERROR(reader_.expect_symbol('='));
  ASSIGN_OR_RETURN(std::string value, reader_.expect_literal("a value"));
  return std::pair(std::move(key), std::move(value));
}

Result<PartitionSpec> DdlParser::partition() {
  PartitionSpec spec;
  RETURN_IF_ERROR(reader_.expect_symbol('('));
  do {
    ASSIGN_OR_RETURN(std::string key, reader_.expect_name("a partition key"));
    RETURN_IF_ERROR(reader_.expect_symbol('='));
    ASSIGN_OR_RETURN(std::string value, reader_.expect_literal("a value"));
    spec.emplace_back(std::move(key), std::move(value));
  } while (reader_.take_symbol(','));
  RETURN_IF_ERROR(reader_.expect_symbol(')'));
  return spec;
}

}  // namespace

Result<std::vector<SqlText>> split_sql(std::string_view sql) {
  ASSIGN_OR_RETURN(std::vector<Token> tokens, tokenize(SqlText{sql}));
  std::vector<SqlText> parts;
  const Token* first = nullptr;
  const Token* last = nullptr;
  for (const Token& token : tokens) {
    bool ends =
        token.kind == TokenKind::kEnd || (token.kind == TokenKind::kSymbol && token.text == ";");
    if (!ends) {
      if (first == nullptr) first = &token;
      last = &token;
    } else if (first != nullptr) {
      std::string_view text = sql.substr(first->begin, last->end - first->begin);
      parts.push_back(SqlText{text, first->line, first->column});
      first = nullptr;
    }
  }
  return parts;
}

bool is_ddl(const SqlText& statement) {
  Result<std::vector<Token>> tokens = tokenize(statement);
  if (!tokens || tokens->front().kind != TokenKind::kWord) return false;
  for (std::string_view word : {"CREATE", "DROP", "ALTER", "SHOW", "DESCRIBE", "DESC", "USE"}) {
    if (same_word(tokens->front().text, word)) return true;
  }
  return false;
}

Result<Statement> parse_ddl(const SqlText& statement) {
  ASSIGN_OR_RETURN(std::vector<Token> tokens, tokenize(statement));
  return DdlParser(std::move(tokens)).run();
}

Result<DataType> parse_sql_type(std::string_view text) {
  ASSIGN_OR_RETURN(std::vector<Token> tokens, tokenize(SqlText{text}));
  TokenReader reader(std::move(tokens));
  ASSIGN_OR_RETURN(DataType type, parse_type(reader));
  RETURN_IF_ERROR(reader.expect_end());
  return type;
}

}  // namespace lakestream
