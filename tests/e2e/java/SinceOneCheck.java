import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.fluss.client.admin.ClusterHealth;
import org.apache.fluss.client.admin.ClusterHealthStatus;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.log.LogScanner;
import org.apache.fluss.exception.DatabaseNotExistException;
import org.apache.fluss.metadata.DatabaseChange;
import org.apache.fluss.metadata.DatabaseDescriptor;
import org.apache.fluss.metadata.DatabaseInfo;
import org.apache.fluss.predicate.PredicateBuilder;

/** What only the Java client 1.0.0 can ask for. */
public final class SinceOneCheck extends Checks {
    public SinceOneCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    @Override
    void runAll() throws Exception {
        check("alter database", this::alterDatabase);
        check("cluster health", this::clusterHealth);
        check("statistics columns", () -> statistics("statistics", "*"));
        check("statistics of one column", () -> statistics("statistics_id", "id"));
    }

    private void alterDatabase() throws Exception {
        String name = database + "_alter";
        DatabaseDescriptor descriptor =
                DatabaseDescriptor.builder().comment("old").customProperty("a", "1").customProperty("b", "2").build();
        get(admin.createDatabase(name, descriptor, false));
        long created = get(admin.getDatabaseInfo(name)).getCreatedTime();
        get(
                admin.alterDatabase(
                        name,
                        Arrays.asList(
                                DatabaseChange.set("a", "3"),
                                DatabaseChange.set("c", "4"),
                                DatabaseChange.reset("b"),
                                DatabaseChange.updateComment("new")),
                        false));
        DatabaseInfo info = get(admin.getDatabaseInfo(name));
        equal("new", info.getDatabaseDescriptor().getComment().get());
        Map<String, String> properties = new HashMap<>();
        properties.put("a", "3");
        properties.put("c", "4");
        equal(properties, info.getDatabaseDescriptor().getCustomProperties());
        equal(created, info.getCreatedTime());
        that(info.getModifiedTime() >= created, "modified at " + info.getModifiedTime());
        List<DatabaseChange> one = Collections.singletonList(DatabaseChange.set("x", "y"));
        fails(DatabaseNotExistException.class, () -> get(admin.alterDatabase("missing", one, false)), "missing");
        get(admin.alterDatabase("missing", one, true));
        get(admin.dropDatabase(name, false, true));
    }

    private void clusterHealth() throws Exception {
        create("healthy", describe(ID_AND_NAME, 2).build());
        ClusterHealth health = get(admin.getClusterHealth());
        equal(ClusterHealthStatus.GREEN, health.getStatus());
        that(health.getNumLeaderReplicas() >= 2, "leaders: " + health.getNumLeaderReplicas());
        equal(health.getNumLeaderReplicas(), health.getActiveLeaderReplicas());
        equal(health.getNumReplicas(), health.getInSyncReplicas());
    }

    /** Batches with statistics are stored, read, projected, and filtered without losing a match. */
    private void statistics(String name, String columns) throws Exception {
        Table table =
                create(name, describe(ID_AND_NAME, 1).property("table.statistics.columns", columns).build());
        for (int i = 0; i < 100; i += 10) {
            append(table, i, i + 10);
        }
        equal(range(0, 100), ids(read(table, 100)));
        List<ScanRecord> names = read(fromBeginning(table.newScan().project(new int[] {1}), 1), 100);
        equal("row 42", names.get(42).getRow().getString(0).toString());
        PredicateBuilder builder = new PredicateBuilder(table.getTableInfo().getRowType());
        LogScanner scanner = fromBeginning(table.newScan().filter(builder.greaterOrEqual(0, 95)), 1);
        List<Integer> seen = new ArrayList<>();
        long deadline = System.currentTimeMillis() + READ_TIMEOUT_MS;
        while (!seen.contains(99)) {
            that(System.currentTimeMillis() < deadline, "only " + seen + " came");
            seen.addAll(ids(poll(scanner, POLL)));
        }
        // Whole batches, but no other than the last one: each append was a batch.
        equal(range(90, 100), seen);
        // Nothing of what comes next can match; then something does.
        append(table, 0, 10);
        equal(0, poll(scanner, Duration.ofMillis(200)).size());
        append(table, 200, 201);
        while (!seen.contains(200)) {
            that(System.currentTimeMillis() < deadline, "only " + seen + " came");
            seen.addAll(ids(poll(scanner, POLL)));
        }
        equal(11, seen.size());
        scanner.close();
        // Up to 20 literals become as many conditions, one nested in the other.
        List<Object> literals = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            literals.add(40 + i);
        }
        scanner = fromBeginning(table.newScan().filter(builder.in(0, literals)), 1);
        seen.clear();
        while (seen.size() < 20) {
            that(System.currentTimeMillis() < deadline, "only " + seen + " came");
            seen.addAll(ids(poll(scanner, POLL)));
        }
        equal(range(40, 60), seen);
        scanner.close();
    }
}
