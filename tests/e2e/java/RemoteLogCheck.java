import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.log.LogScanner;

/**
 * What the official Java client does with a log whose older part is in remote storage; for client 0.9.1 and 1.0.0.
 *
 * <p>Arguments: bootstrap server, a database with the table `t` of id and name that has 300 rows in bucket 0, numbered
 * from 0 on.
 */
public final class RemoteLogCheck extends Checks {
    static final int ROWS = 300;

    RemoteLogCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new RemoteLogCheck(arguments[0], arguments[1]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("from the beginning", () -> rowsFrom(0));
        check("from the middle of a segment", () -> rowsFrom(31));
        check("two at once", this::twoAtOnce);
        check("a projection", this::projection);
    }

    private LogScanner scannerFrom(long offset) throws Exception {
        Table table = connection.getTable(path("t"));
        LogScanner scanner = table.newScan().createLogScanner();
        if (offset == 0) {
            scanner.subscribeFromBeginning(0);
        } else {
            scanner.subscribe(0, offset);
        }
        return scanner;
    }

    private static List<Integer> numbers(int begin) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = begin; i < ROWS; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    private void rowsFrom(int offset) throws Exception {
        equal(numbers(offset), ids(read(scannerFrom(offset), ROWS - offset)));
    }

    private void twoAtOnce() throws Exception {
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    rowsFrom(0);
                                } catch (Throwable e) {
                                    failures.add(e);
                                }
                            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        equal("[]", failures.toString());
    }

    private void projection() throws Exception {
        Table table = connection.getTable(path("t"));
        LogScanner scanner = table.newScan().project(new int[] {1}).createLogScanner();
        scanner.subscribeFromBeginning(0);
        int next = 0;
        for (ScanRecord record : read(scanner, ROWS)) {
            equal("row " + next++, record.getRow().getString(0).toString());
        }
    }
}
