import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.fluss.row.BinaryString;
import org.apache.fluss.row.Decimal;
import org.apache.fluss.row.InternalArray;
import org.apache.fluss.row.InternalMap;
import org.apache.fluss.row.InternalRow;
import org.apache.fluss.types.ArrayType;
import org.apache.fluss.types.DataType;
import org.apache.fluss.types.MapType;
import org.apache.fluss.types.RowType;

/** Rows of any implementation as plain values that compare with equals. */
final class Values {
    private Values() {}

    static List<Object> ofRow(InternalRow row, RowType type) {
        List<Object> values = new ArrayList<>();
        InternalRow.FieldGetter[] getters = InternalRow.createFieldGetters(type);
        for (int i = 0; i < getters.length; i++) {
            values.add(of(getters[i].getFieldOrNull(row), type.getTypeAt(i)));
        }
        return values;
    }

    static List<Object> ofArray(InternalArray array, DataType elementType) {
        List<Object> values = new ArrayList<>();
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(elementType);
        for (int i = 0; i < array.size(); i++) {
            values.add(of(getter.getElementOrNull(array, i), elementType));
        }
        return values;
    }

    static Object of(Object value, DataType type) {
        if (value == null) {
            return null;
        }
        if (value instanceof InternalRow) {
            return ofRow((InternalRow) value, (RowType) type);
        }
        if (value instanceof InternalArray) {
            return ofArray((InternalArray) value, ((ArrayType) type).getElementType());
        }
        if (value instanceof InternalMap) {
            InternalMap map = (InternalMap) value;
            List<Object> keys = ofArray(map.keyArray(), ((MapType) type).getKeyType());
            List<Object> values = ofArray(map.valueArray(), ((MapType) type).getValueType());
            Map<Object, Object> entries = new LinkedHashMap<>();
            for (int i = 0; i < keys.size(); i++) {
                entries.put(keys.get(i), values.get(i));
            }
            return entries;
        }
        if (value instanceof BinaryString) {
            return value.toString();
        }
        if (value instanceof byte[]) {
            return ByteBuffer.wrap((byte[]) value);
        }
        if (value instanceof Decimal) {
            return ((Decimal) value).toBigDecimal();
        }
        return value;
    }
}
