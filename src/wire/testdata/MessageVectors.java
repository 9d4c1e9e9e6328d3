import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Makes official_messages.tsv: every request and response as the classes of the official Java
 * client 1.0.0 encode it, beside the values that were set. Two lines a message: all fields, and those that
 * have to be there.
 *
 * <p>usage: java -cp fluss-client-1.0.0.jar:slf4j-api.jar MessageVectors.java ../messages.tsv
 */
public class MessageVectors {
    static final String PACKAGE = "org.apache.fluss.rpc.messages.";
    static final int DEPTH_MAX = 4; // optional and repeated messages below this are left out
    static final long[] NUMBERS = {
        0, 1, -1, 127, 128, 300, 16383, 16384, 2097152, Integer.MAX_VALUE
    };
    static final String[] TEXTS = {"", "a", "db", "p=2024", "\u00e9\u6d41"};

    record Field(String label, String type, String name, boolean packed) {}

    static final Map<String, List<Field>> MESSAGES = new LinkedHashMap<>();

    final Random random;
    final boolean all;
    final List<String> values = new ArrayList<>();

    MessageVectors(String name, boolean all) {
        this.random = new Random(name.hashCode());
        this.all = all;
    }

    public static void main(String[] args) throws Exception {
        for (String line : Files.readAllLines(Paths.get(args[0]))) {
            String[] cells = line.split("\t");
            List<Field> fields = MESSAGES.computeIfAbsent(cells[0], name -> new ArrayList<>());
            if (!cells[1].equals("-")) {
                fields.add(new Field(cells[2], cells[3], cells[4], cells[5].equals("yes")));
            }
        }
        MESSAGES.remove("message");
        System.out.println("message\tfields\tbytes\tvalues");
        for (String name : MESSAGES.keySet()) {
            if (name.startsWith("Pb")) {
                continue;
            }
            for (boolean all : new boolean[] {true, false}) {
                MessageVectors vector = new MessageVectors(name, all);
                Class<?> type = Class.forName(PACKAGE + name);
                Object message = type.getDeclaredConstructor().newInstance();
                vector.fill(name, message, "", 0);
                byte[] bytes = (byte[]) type.getMethod("toByteArray").invoke(message);
                String kind = all ? "all" : "required";
                String hex = HexFormat.of().formatHex(bytes);
                String values = String.join(" ", vector.values);
                System.out.println(String.join("\t", name, kind, hex, values));
            }
        }
    }

    void fill(String name, Object message, String path, int depth) throws Exception {
        for (Field field : MESSAGES.get(name)) {
            boolean part = field.type.startsWith("Pb") || field.type.equals("ErrorResponse");
            // The official client writes an empty packed field, others leave it out: set it always.
            boolean always = field.label.equals("required") || field.packed;
            if (!always && (!all || (part && depth >= DEPTH_MAX))) {
                continue;
            }
            boolean repeated = field.label.equals("repeated");
            for (int i = 0; i < (repeated ? 2 : 1); i++) {
                String at = path + field.name + (repeated ? "[" + i + "]" : "");
                if (part) {
                    Object element = accessor(message, field, 0).invoke(message);
                    fill(field.type, element, at + ".", depth + 1);
                } else {
                    set(message, field, at);
                }
            }
        }
    }

    void set(Object message, Field field, String at) throws Exception {
        Object value;
        String text;
        switch (field.type) {
            case "int32":
                value = (int) NUMBERS[random.nextInt(NUMBERS.length)];
                text = value.toString();
                break;
            case "int64":
                long sample = NUMBERS[random.nextInt(NUMBERS.length)];
                value = random.nextInt(4) == 0 ? sample << 32 : sample;
                text = value.toString();
                break;
            case "bool":
                value = random.nextBoolean();
                text = value.toString();
                break;
            case "float":
                value = 0.375f;
                text = "0.375";
                break;
            case "double":
                value = -2.5;
                text = "-2.5";
                break;
            default:
                byte[] raw = TEXTS[random.nextInt(TEXTS.length)].getBytes(StandardCharsets.UTF_8);
                value = field.type.equals("string") ? new String(raw, StandardCharsets.UTF_8) : raw;
                text = "x" + HexFormat.of().formatHex(raw);
        }
        accessor(message, field, 1).invoke(message, value);
        values.add(at + "=" + text);
    }

    /** The setter of a singular field, the adder of a repeated one; messages have no parameter. */
    static Method accessor(Object message, Field field, int parameters) {
        StringBuilder camel = new StringBuilder();
        for (String word : field.name.split("_")) {
            camel.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
        }
        boolean repeated = field.label.equals("repeated");
        for (String end : new String[] {"", "s", "es"}) {
            String name = camel.toString();
            if (!name.endsWith(end)) {
                continue;
            }
            name = (repeated ? "add" : "set") + name.substring(0, name.length() - end.length());
            for (Method method : message.getClass().getMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == parameters
                        && (parameters == 0 || fits(method.getParameterTypes()[0], field.type))) {
                    return method;
                }
            }
        }
        throw new IllegalStateException("no accessor for " + message.getClass() + " " + field);
    }

    static boolean fits(Class<?> parameter, String type) {
        return parameter == switch (type) {
            case "int32" -> int.class;
            case "int64" -> long.class;
            case "bool" -> boolean.class;
            case "float" -> float.class;
            case "double" -> double.class;
            case "string" -> String.class;
            default -> byte[].class;
        };
    }
}
