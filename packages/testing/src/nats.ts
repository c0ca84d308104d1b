import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface NatsServer {
  url: string;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 10_000;

/**
 * Starts a real nats-server on a free port, which it tells through a file.
 * @throws {Error} when it does not start within ten seconds
 */
export async function startNats(): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-nats-"));
  const server = spawn("nats-server", ["-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", folder], {
    stdio: "ignore",
  });
  const exited = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const stop = async (): Promise<void> => {
    server.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const file = (await readdir(folder)).find((name) => name.endsWith(".ports"));
    const text = file === undefined ? "" : await readFile(join(folder, file), "utf8");
    if (text !== "") return { url: (JSON.parse(text) as { nats: [string] }).nats[0], stop };
    await delay(20);
  }
  await stop();
  throw new Error("nats-server did not start within ten seconds.");
}
