import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

/** Serves on a free loopback port, which it prints, until its standard input ends. */
final class Main {
    public static void main(String[] arguments) throws Exception {
        MongoServer server = new MongoServer(new MemoryBackend());
        System.out.println("port " + server.bind().getPort());
        while (System.in.read() != -1) {
        }
        server.shutdownNow();
        System.exit(0);
    }
}
