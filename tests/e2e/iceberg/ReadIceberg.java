import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * Prints the rows of Iceberg tables as the Java library reads them, each a line ["database.table", {"column": value}],
 * and "end" behind those of a catalog.
 *
 * <p>Arguments: key=value of a catalog..., database.table[@snapshot]..., the same of the next catalog... What begins
 * with "hadoop." is for Hadoop's configuration. With "conditions=check", a row has to be found by each of its values:
 * so bounds, counts and partitions in manifests hide none.
 *
 * <p>Values are printed as lake/ReadPaimon.java prints them.
 */
public final class ReadIceberg {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSSSSS");
    private static final DateTimeFormatter TIMESTAMP = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSS");

    private ReadIceberg() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        Map<String, String> properties = new HashMap<>();
        List<String> names = new ArrayList<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (equals < 0) {
                names.add(argument);
                continue;
            }
            if (!names.isEmpty()) {
                print(out, properties, names);
                properties.clear();
                names.clear();
            }
            properties.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
        print(out, properties, names);
        out.flush();
    }

    private static void print(PrintStream out, Map<String, String> properties, List<String> names) throws Exception {
        Configuration configuration = new Configuration();
        properties.forEach((key, value) -> {
            if (key.startsWith("hadoop.")) {
                configuration.set(key.substring("hadoop.".length()), value);
            }
        });
        String name = properties.getOrDefault("name", "fluss-iceberg-catalog");
        Catalog catalog = CatalogUtil.buildIcebergCatalog(name, properties, configuration);
        for (String table : names) {
            List<Record> rows = print(out, catalog, table);
            if (properties.containsKey("conditions") && !rows.isEmpty()) {
                check(catalog.loadTable(TableIdentifier.parse(table)), rows);
            }
        }
        out.println("end");
    }

    private static List<Record> print(PrintStream out, Catalog catalog, String name) throws Exception {
        int at = name.indexOf('@');
        String plain = at < 0 ? name : name.substring(0, at);
        Table table = catalog.loadTable(TableIdentifier.parse(plain));
        IcebergGenerics.ScanBuilder scan = IcebergGenerics.read(table);
        if (at >= 0) {
            scan = scan.useSnapshot(Long.parseLong(name.substring(at + 1)));
        }
        List<Record> rows = rows(scan);
        for (Record row : rows) {
            out.println("[" + LakeText.quote(plain) + ", " + text(row, row.struct()) + "]");
        }
        return rows;
    }

    private static List<Record> rows(IcebergGenerics.ScanBuilder scan) throws Exception {
        List<Record> rows = new ArrayList<>();
        try (CloseableIterable<Record> found = scan.build()) {
            found.forEach(rows::add);
        }
        return rows;
    }

    /** Reads the table by each value of the row in the middle. */
    private static void check(Table table, List<Record> rows) throws Exception {
        Record row = rows.get(rows.size() / 2);
        for (Types.NestedField column : table.schema().columns()) {
            Object value = row.getField(column.name());
            boolean isNone = value == null || value.equals(Float.NaN) || value.equals(Double.NaN);
            if (isNone || !column.type().isPrimitiveType()) {
                continue;
            }
            long expected = rows.stream().filter(other -> value.equals(other.getField(column.name()))).count();
            Object literal = value instanceof Temporal ? value.toString() : value;
            int found = rows(IcebergGenerics.read(table).where(Expressions.equal(column.name(), literal))).size();
            if (found != expected) {
                String condition = table.name() + ": " + column.name() + " = " + value;
                throw new IllegalStateException(condition + " has " + found + " rows, not " + expected);
            }
        }
    }

    private static String text(Record row, Types.StructType type) {
        List<String> fields = new ArrayList<>();
        for (int i = 0; i < type.fields().size(); i++) {
            Types.NestedField field = type.fields().get(i);
            // The reader leaves what it needed for deletes.
            if (MetadataColumns.isMetadataColumn(field.name())) {
                continue;
            }
            fields.add(LakeText.quote(field.name()) + ": " + text(row.get(i), field.type()));
        }
        return "{" + String.join(", ", fields) + "}";
    }

    private static String text(Object value, Type type) {
        if (value == null) {
            return "null";
        }
        switch (type.typeId()) {
            case BOOLEAN:
            case INTEGER:
            case LONG:
            case DOUBLE:
                return value.toString();
            case FLOAT:
                return String.valueOf((double) (float) value);
            case BINARY:
                ByteBuffer buffer = ((ByteBuffer) value).duplicate();
                byte[] bytes = new byte[buffer.remaining()];
                buffer.get(bytes);
                return LakeText.hex(bytes);
            case FIXED:
                return LakeText.hex((byte[]) value);
            case TIME:
                return LakeText.quote(((LocalTime) value).format(TIME));
            case TIMESTAMP:
                if (value instanceof OffsetDateTime) {
                    OffsetDateTime instant = ((OffsetDateTime) value).withOffsetSameInstant(ZoneOffset.UTC);
                    return LakeText.quote(instant.format(TIMESTAMP) + "Z");
                }
                return LakeText.quote(((LocalDateTime) value).format(TIMESTAMP));
            case LIST:
                return "[" + String.join(", ", elements((List<?>) value, type.asListType().elementType())) + "]";
            case MAP:
                return pairs((Map<?, ?>) value, type.asMapType());
            case STRUCT:
                return text((Record) value, type.asStructType());
            default: // strings, dates and decimals
                return LakeText.quote(value.toString());
        }
    }

    private static List<String> elements(List<?> list, Type type) {
        List<String> elements = new ArrayList<>();
        for (Object element : list) {
            elements.add(text(element, type));
        }
        return elements;
    }

    private static String pairs(Map<?, ?> map, Types.MapType type) {
        List<String> pairs = new ArrayList<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            String key = text(entry.getKey(), type.keyType());
            pairs.add("[" + key + ", " + text(entry.getValue(), type.valueType()) + "]");
        }
        Collections.sort(pairs);
        return "[" + String.join(", ", pairs) + "]";
    }
}
