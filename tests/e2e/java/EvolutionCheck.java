import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.log.LogScanner;
import org.apache.fluss.client.table.writer.UpsertWriter;
import org.apache.fluss.exception.InvalidAlterTableException;
import org.apache.fluss.exception.TableNotExistException;
import org.apache.fluss.metadata.LogFormat;
import org.apache.fluss.metadata.TableChange;
import org.apache.fluss.metadata.TableInfo;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.types.DataTypes;
import org.apache.fluss.types.RowType;

/**
 * What the official Java client does with tables that change; for client 0.9.1 and 1.0.0. A table that was opened
 * before a column came ("old") is used beside one that was opened after it ("wide").
 *
 * <p>Arguments: bootstrap server, an empty database for the tables.
 */
public final class EvolutionCheck extends KvChecks {
    EvolutionCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new EvolutionCheck(arguments[0], arguments[1]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("options", this::options);
        check("refusals", this::refusals);
        for (LogFormat format : new LogFormat[] {LogFormat.ARROW, LogFormat.INDEXED}) {
            check("log " + format, () -> log(format));
        }
        check("scan over a change", this::scanOverAChange);
        check("projection", this::projection);
        check("keyed", this::keyed);
        check("changelog over a change", this::changelogOverAChange);
        for (LogFormat format : new LogFormat[] {LogFormat.ARROW, LogFormat.INDEXED}) {
            check("renamed and dropped in a log " + format, () -> renamedAndDropped(format));
        }
        check("renamed and dropped, keyed", this::renamedAndDroppedKeyed);
    }

    private void addMore(String table) throws Exception {
        TableChange column =
                TableChange.addColumn("more", DataTypes.INT(), null, TableChange.ColumnPosition.last());
        get(admin.alterTable(path(table), Collections.singletonList(column), false));
    }

    private static GenericRow wide(int id) {
        return of(id, "row " + id, id * 10);
    }

    private static List<String> texts(List<ScanRecord> records, RowType type) {
        List<String> texts = new ArrayList<>();
        for (String change : changes(records, type)) {
            texts.add(change.substring(change.indexOf(' ') + 1));
        }
        return texts;
    }

    // --- options ----------------------------------------------------------------------------------

    private void options() throws Exception {
        create("options");
        long created = get(admin.getTableInfo(path("options"))).getCreatedTime();
        List<TableChange> changes =
                Arrays.asList(
                        TableChange.set("table.log.ttl", "3 d"),
                        TableChange.set("owner", "me"),
                        TableChange.reset("absent"));
        get(admin.alterTable(path("options"), changes, false));
        TableInfo info = get(admin.getTableInfo(path("options")));
        equal(Duration.ofDays(3).toMillis(), info.getTableConfig().getLogTTLMs());
        Map<String, String> own = new HashMap<>();
        own.put("owner", "me");
        equal(own, info.getCustomProperties().toMap());
        equal(created, info.getCreatedTime());
        equal(1, info.getSchemaId());
    }

    private void refusals() throws Exception {
        create("refusals");
        List<TableChange> fixed = Collections.singletonList(TableChange.set("table.log.format", "INDEXED"));
        fails(
                InvalidAlterTableException.class,
                () -> get(admin.alterTable(path("refusals"), fixed, false)),
                "table.log.format");
        fails(TableNotExistException.class, () -> get(admin.alterTable(path("missing"), fixed, false)), "missing");
        get(admin.alterTable(path("missing"), fixed, true));
    }

    // --- logs -------------------------------------------------------------------------------------

    private void log(LogFormat format) throws Exception {
        String name = "log_" + format.toString().toLowerCase();
        Table old = create(name, describe(ID_AND_NAME, 1).logFormat(format).build());
        append(old, 0, 3);
        addMore(name);
        Table wide = connect().getTable(path(name));
        append(wide, Arrays.asList(wide(3), wide(4)));
        append(old, 5, 6);
        List<String> expected =
                list(
                        "[0, row 0, null]",
                        "[1, row 1, null]",
                        "[2, row 2, null]",
                        "[3, row 3, 30]",
                        "[4, row 4, 40]",
                        "[5, row 5, null]");
        equal(expected, texts(read(wide, 6), typeOf(wide)));
        List<String> narrow = new ArrayList<>();
        for (int id = 0; id < 6; id++) {
            narrow.add("[" + id + ", row " + id + "]");
        }
        equal(narrow, texts(read(old, 6), typeOf(old)));
    }

    /** The scanner keeps the schema that it began with. */
    private void scanOverAChange() throws Exception {
        Table old = create("scan");
        LogScanner scanner = fromBeginning(old.newScan(), 1);
        append(old, 0, 2);
        List<ScanRecord> records = new ArrayList<>();
        while (records.size() < 2) {
            records.addAll(poll(scanner, POLL));
        }
        addMore("scan");
        append(connect().getTable(path("scan")), Arrays.asList(wide(2), wide(3)));
        records.addAll(read(scanner, 2));
        equal(list("[0, row 0]", "[1, row 1]", "[2, row 2]", "[3, row 3]"), texts(records, typeOf(old)));
    }

    private void projection() throws Exception {
        Table old = create("projection");
        append(old, 0, 2);
        addMore("projection");
        Table wide = connect().getTable(path("projection"));
        append(wide, Arrays.asList(wide(2)));
        append(old, 3, 4);
        int[] both = {2, 0};
        equal(
                list("[null, 0]", "[null, 1]", "[20, 2]", "[null, 3]"),
                texts(read(fromBeginning(wide.newScan().project(both), 1), 4), typeOf(wide).project(both)));
        int[] name = {1};
        equal(
                list("[row 0]", "[row 1]", "[row 2]", "[row 3]"),
                texts(read(fromBeginning(old.newScan().project(name), 1), 4), typeOf(old).project(name)));
    }

    // --- primary-key tables -----------------------------------------------------------------------

    private void keyed() throws Exception {
        Table old = createKeyed("keyed");
        upsert(old, row(1), row(2), row(3));
        addMore("keyed");
        Table wide = connect().getTable(path("keyed"));
        upsert(wide, wide(2), wide(4));
        upsert(old, of(3, "new"), row(5));
        UpsertWriter partial = wide.newUpsert().partialUpdate("id", "more").createWriter();
        upsert(partial, of(1, null, 7));
        equal("[1, row 1, 7]", lookup(wide, 1));
        equal("[2, row 2, 20]", lookup(wide, 2));
        equal("[3, new, null]", lookup(wide, 3));
        equal("[1, row 1]", lookup(old, 1));
        equal("[4, row 4]", lookup(old, 4));
        equal(
                list("[1, row 1, 7]", "[2, row 2, 20]", "[3, new, null]", "[4, row 4, 40]", "[5, row 5, null]"),
                sorted(limited(wide, 100)));
        equal(
                list("[1, row 1]", "[2, row 2]", "[3, new]", "[4, row 4]", "[5, row 5]"),
                sorted(limited(old, 100)));
    }

    private void changelogOverAChange() throws Exception {
        Table old = createKeyed("changes");
        upsert(old, row(1));
        addMore("changes");
        upsert(connect().getTable(path("changes")), wide(1));
        upsert(old, of(1, "new"));
        equal(
                list(
                        "+I [1, row 1]",
                        "-U [1, row 1]",
                        "+U [1, row 1]",
                        "-U [1, row 1]",
                        "+U [1, new]"),
                changes(read(old, 5), typeOf(old)));
        Table wide = connect().getTable(path("changes"));
        equal(
                list(
                        "+I [1, row 1, null]",
                        "-U [1, row 1, null]",
                        "+U [1, row 1, 10]",
                        "-U [1, row 1, 10]",
                        "+U [1, new, null]"),
                changes(read(wide, 5), typeOf(wide)));
    }

    // --- columns renamed and dropped --------------------------------------------------------------

    private void alter(String table, TableChange change) throws Exception {
        get(admin.alterTable(path(table), Collections.singletonList(change), false));
    }

    /** Places and ids stay, so a table that was opened before reads and writes what it did. */
    private void renamedAndDropped(LogFormat format) throws Exception {
        String name = "renamed_" + format.toString().toLowerCase();
        Table old = create(name, describe(ID_AND_NAME, 1).logFormat(format).build());
        append(old, 0, 1);
        alter(name, TableChange.renameColumn("name", "label"));
        Table renamed = connect().getTable(path(name));
        equal(Arrays.asList("id", "label"), typeOf(renamed).getFieldNames());
        append(renamed, 1, 2);
        append(old, 2, 3);
        List<String> rows = list("[0, row 0]", "[1, row 1]", "[2, row 2]");
        equal(rows, texts(read(old, 3), typeOf(old)));
        equal(rows, texts(read(renamed, 3), typeOf(renamed)));
        alter(name, TableChange.dropColumn("label"));
        addMore(name);
        Table dropped = connect().getTable(path(name));
        equal(Arrays.asList("id", "__dropped_1_label", "more"), typeOf(dropped).getFieldNames());
        append(dropped, Arrays.asList(of(3, null, 30)));
        append(old, 4, 5);
        equal(
                list("[0, row 0]", "[1, row 1]", "[2, row 2]", "[3, null]", "[4, row 4]"),
                texts(read(old, 5), typeOf(old)));
        equal("[3, null, 30]", texts(read(dropped, 5), typeOf(dropped)).get(3));
    }

    private void renamedAndDroppedKeyed() throws Exception {
        Table old = createKeyed("renamed");
        upsert(old, row(1), row(2));
        alter("renamed", TableChange.renameColumn("name", "label"));
        Table renamed = connect().getTable(path("renamed"));
        upsert(renamed, of(2, "two"), of(3, "three"));
        upsert(old, of(3, "3"), row(4));
        equal("[1, row 1]", lookup(renamed, 1));
        equal("[2, two]", lookup(old, 2));
        equal(list("[1, row 1]", "[2, two]", "[3, 3]", "[4, row 4]"), sorted(limited(renamed, 100)));
        equal(list("[1, row 1]", "[2, two]", "[3, 3]", "[4, row 4]"), sorted(limited(old, 100)));
        alter("renamed", TableChange.dropColumn("label"));
        addMore("renamed");
        Table dropped = connect().getTable(path("renamed"));
        UpsertWriter partial = dropped.newUpsert().partialUpdate("id", "more").createWriter();
        upsert(partial, of(1, null, 10));
        equal("[1, row 1, 10]", lookup(dropped, 1));
        equal("[1, row 1]", lookup(old, 1));
    }
}
