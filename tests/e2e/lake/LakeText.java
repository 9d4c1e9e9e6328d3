import java.util.HexFormat;

/** The form in which rows of lake tables are printed: JSON, see lake_table.py. */
final class LakeText {
    private LakeText() {}

    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\' || c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    static String hex(byte[] bytes) {
        return quote(HexFormat.of().formatHex(bytes));
    }
}
