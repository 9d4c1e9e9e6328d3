import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowType;

/**
 * Prints the rows of Paimon tables as the Java library reads them, each a line ["database.table", {"column": value}].
 *
 * <p>Arguments: warehouse, database.table...
 *
 * <p>Numbers and strings are those of JSON (also NaN, Infinity), decimals are strings, bytes are hexadecimal, dates
 * and times are ISO with nine digits of a second, instants end with Z, maps are lists of pairs.
 */
public final class ReadPaimon {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSSSSS");
    private static final DateTimeFormatter TIMESTAMP = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSS");

    private ReadPaimon() {}

    public static void main(String[] arguments) throws Exception {
        Options options = new Options();
        options.set("warehouse", arguments[0]);
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options))) {
            for (int i = 1; i < arguments.length; i++) {
                print(out, arguments[i], catalog.getTable(Identifier.fromString(arguments[i])));
            }
        }
        out.println("end");
        out.flush();
    }

    private static void print(PrintStream out, String name, Table table) throws Exception {
        ReadBuilder builder = table.newReadBuilder();
        try (RecordReader<InternalRow> reader = builder.newRead().createReader(builder.newScan().plan())) {
            reader.forEachRemaining(
                    row -> out.println("[" + LakeText.quote(name) + ", " + text(row, table.rowType()) + "]"));
        }
    }

    private static String text(InternalRow row, RowType type) {
        List<String> fields = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            DataField field = type.getFields().get(i);
            Object value = InternalRow.createFieldGetter(field.type(), i).getFieldOrNull(row);
            fields.add(LakeText.quote(field.name()) + ": " + text(value, field.type()));
        }
        return "{" + String.join(", ", fields) + "}";
    }

    private static String text(Object value, DataType type) {
        if (value == null) {
            return "null";
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
            case TINYINT:
            case SMALLINT:
            case INTEGER:
            case BIGINT:
            case DOUBLE:
                return value.toString();
            case FLOAT:
                return String.valueOf((double) (float) value);
            case BINARY:
            case VARBINARY:
                return LakeText.hex((byte[]) value);
            case DATE:
                return LakeText.quote(LocalDate.ofEpochDay((int) value).toString());
            case TIME_WITHOUT_TIME_ZONE:
                return LakeText.quote(LocalTime.ofNanoOfDay((int) value * 1_000_000L).format(TIME));
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return LakeText.quote(((Timestamp) value).toLocalDateTime().format(TIMESTAMP));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return LakeText.quote(((Timestamp) value).toLocalDateTime().format(TIMESTAMP) + "Z");
            case ARRAY:
                List<String> elements = elements((InternalArray) value, ((ArrayType) type).getElementType());
                return "[" + String.join(", ", elements) + "]";
            case MAP:
                return pairs((InternalMap) value, (MapType) type);
            case ROW:
                return text((InternalRow) value, (RowType) type);
            default: // strings and decimals
                return LakeText.quote(value.toString());
        }
    }

    private static List<String> elements(InternalArray array, DataType type) {
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(type);
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            elements.add(text(getter.getElementOrNull(array, i), type));
        }
        return elements;
    }

    private static String pairs(InternalMap map, MapType type) {
        List<String> keys = elements(map.keyArray(), type.getKeyType());
        List<String> values = elements(map.valueArray(), type.getValueType());
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            pairs.add("[" + keys.get(i) + ", " + values.get(i) + "]");
        }
        Collections.sort(pairs);
        return "[" + String.join(", ", pairs) + "]";
    }
}
