import java.io.File;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Paths s3://bucket/key that are read from a copy of the store: files below the folder "copied.store". */
public final class CopiedStore extends RawLocalFileSystem {
    private URI uri;
    private File folder;

    @Override
    public void initialize(URI uri, Configuration configuration) throws IOException {
        super.initialize(uri, configuration);
        this.uri = URI.create(uri.getScheme() + "://" + uri.getAuthority());
        folder = new File(configuration.get("copied.store"), uri.getAuthority());
    }

    @Override
    public URI getUri() {
        return uri == null ? super.getUri() : uri; // the constructor asks, too
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        FileStatus status = super.getFileStatus(path);
        status.setPath(makeQualified(path)); // it names the file
        return status;
    }

    @Override
    public File pathToFile(Path path) {
        return new File(folder, path.toUri().getPath());
    }
}
