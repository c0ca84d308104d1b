import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FanfareClient } from "@fanfare/client";
import { loadConfig } from "@fanfare/kernel";
import { type Fanfare, startFanfare } from "@fanfare/node";
import { ServerCache } from "../src/data/cache.ts";
import { startLive } from "../src/data/data-provider.tsx";
import { newQueryClient } from "../src/data/data-context.ts";

/** A whole instance, and users whose data is kept as the page keeps it. */
export interface Instance {
  user: (username: string) => Promise<ServerCache>;
  guest: () => Promise<ServerCache>;
  /** Stops the server, and starts it at the same address with the same data. */
  restart: () => Promise<void>;
  stop: () => Promise<void>;
}

export async function startInstance(): Promise<Instance> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-web-"));
  const start = (port: string): Promise<Fanfare> =>
    startFanfare(
      loadConfig({
        NODE_ENV: "test",
        LOG_LEVEL: "error",
        DATA_DIR: folder,
        PORT: port,
        OPS_PORT: "0",
        RATE_LIMIT_FACTOR: "1000",
      }),
    );
  let fanfare = await start("0");
  const { url } = fanfare;
  const ends: (() => void)[] = [];
  const open = async (logIn: (client: FanfareClient) => Promise<unknown>): Promise<ServerCache> => {
    const client = new FanfareClient({ url });
    await logIn(client);
    deafToResync(client);
    const cache = new ServerCache(client, newQueryClient());
    ends.push(
      startLive(cache),
      () => client.close(),
      () => cache.queries.clear(),
    );
    await client.connect();
    return cache;
  };
  return {
    user: (username) => open((client) => client.register({ username, password: "correct horse" })),
    guest: () => open((client) => client.createGuest()),
    async restart() {
      await fanfare.stop();
      fanfare = await start(new URL(url).port);
    },
    async stop() {
      for (const end of ends) end();
      await fanfare.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What is asked for again after `resync` would hide what events do not tell. */
function deafToResync(client: FanfareClient): void {
  const on = client.on.bind(client);
  client.on = (name, listener) => (name === "resync" ? () => undefined : on(name, listener));
}
