import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.types.Types;

/**
 * Makes the metadata of a table as Java's Iceberg 1.10.1 writes it in a Hadoop catalog, of data files that are not
 * there: two commits of rows, one of them with deletes of both kinds, and a column.
 *
 * <p>usage: java -cp "build/deps/java-iceberg/*" MakeTable.java WAREHOUSE; then copy WAREHOUSE/db/t/metadata here
 */
public class MakeTable {
  static ByteBuffer number(long value) {
    return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, value);
  }

  static PartitionData partition(PartitionSpec spec, String day, int bucket) {
    PartitionData data = new PartitionData(spec.partitionType());
    data.set(0, day);
    data.set(1, bucket);
    return data;
  }

  static DataFile dataFile(Table table, String name, String day, int bucket, long rows) {
    Metrics metrics =
        new Metrics(
            rows,
            Map.of(1, 40L),
            Map.of(1, rows),
            Map.of(1, 0L),
            null,
            Map.of(1, number(7)),
            Map.of(1, number(6 + rows)));
    return DataFiles.builder(table.spec())
        .withPath(table.location() + "/data/" + name)
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(1000)
        .withPartition(partition(table.spec(), day, bucket))
        .withMetrics(metrics)
        .withSortOrder(table.sortOrder())
        .build();
  }

  static DeleteFile deleteFile(Table table, String name, boolean byKey, String referenced) {
    FileMetadata.Builder made =
        FileMetadata.deleteFileBuilder(table.spec())
            .withPath(table.location() + "/data/" + name)
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(500)
            .withPartition(partition(table.spec(), "2026-11-30", 3))
            .withRecordCount(2);
    if (byKey) return made.ofEqualityDeletes(1).build();
    return made.ofPositionDeletes().withReferencedDataFile(referenced).build();
  }

  public static void main(String[] args) throws Exception {
    Schema schema =
        new Schema(
            java.util.List.of(
                Types.NestedField.required(1, "id", Types.LongType.get()),
                Types.NestedField.required(2, "day", Types.StringType.get()),
                Types.NestedField.required(3, "__bucket", Types.IntegerType.get()),
                Types.NestedField.required(4, "__offset", Types.LongType.get()),
                Types.NestedField.required(5, "__timestamp", Types.TimestampType.withZone())),
            java.util.Set.of(1));
    PartitionSpec spec = PartitionSpec.builderFor(schema).identity("day").bucket("id", 4).build();
    SortOrder order = SortOrder.builderFor(schema).asc("__offset").build();
    try (HadoopCatalog catalog = new HadoopCatalog(new Configuration(), args[0])) {
      catalog.createNamespace(Namespace.of("db"));
      Table table =
          catalog
              .buildTable(TableIdentifier.of("db", "t"), schema)
              .withPartitionSpec(spec)
              .withSortOrder(order)
              .withProperty("format-version", "2")
              .create();
      DataFile first = dataFile(table, "a.parquet", "2026-11-30", 3, 10);
      table
          .newAppend()
          .appendFile(first)
          .appendFile(dataFile(table, "b.parquet", "2026-12-01", 0, 20))
          .set("commit-user", "__fluss_lake_tiering")
          .commit();
      table.updateSchema().addColumn("more", Types.ListType.ofOptional(9, Types.DateType.get())).commit();
      table
          .newRowDelta()
          .addRows(dataFile(table, "c.parquet", "2026-11-30", 3, 5))
          .addDeletes(deleteFile(table, "d-deletes.parquet", true, null))
          .addDeletes(deleteFile(table, "e-deletes.parquet", false, first.location()))
          .commit();
    }
  }
}
