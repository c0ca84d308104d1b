import type { Connection } from "mongoose";
import { Gauge, type Registry } from "prom-client";

/** What the embedded database says of itself in `serverStatus.fanfare`. */
interface Filling {
  dataBytes: number;
  maxDataBytes: number;
}

/**
 * Says how full the embedded database is, which keeps everything in memory up to a bound; of a MongoDB it says nothing, whose own exporter
 * does. It is asked when somebody looks at the metrics.
 * @param database is connected, to an embedded database here or behind MONGO_URL, or to a MongoDB
 */
export async function watchEmbeddedDatabase(registry: Registry, database: Connection): Promise<void> {
  const admin = database.getClient().db("admin");
  const { modules } = await admin.command({ buildInfo: 1 });
  if (!Array.isArray(modules) || !modules.includes("fanfare-embedded-mongo")) return;
  const read = async (): Promise<Filling> => (await admin.command({ serverStatus: 1 }))["fanfare"];

  new Gauge({
    name: "fanfare_database_data_max_bytes",
    help: "What the documents and indexes of the embedded database may take.",
    registers: [registry],
  }).set((await read()).maxDataBytes);
  const data = new Gauge({
    name: "fanfare_database_data_bytes",
    help: "What the documents and indexes of the embedded database take. With MongoDB there is none.",
    registers: [],
    async collect() {
      // Whether it answers is told by others; a look at the metrics never fails for it.
      const filling = await read().catch(() => undefined);
      if (filling !== undefined) data.set(filling.dataBytes);
    },
  });
  registry.registerMetric(data);
}
