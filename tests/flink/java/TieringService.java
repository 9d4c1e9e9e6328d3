import org.apache.fluss.flink.tiering.FlussLakeTieringEntrypoint;

/** The tiering service as its command line starts it; it runs until the process is killed. */
public class TieringService {
  public static void main(String[] args) throws Exception {
    FlussLakeTieringEntrypoint.main(args);
    Thread.sleep(Long.MAX_VALUE);  // a local Flink has no thread that keeps the process
  }
}
