import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLogger } from "@fanfare/kernel";
import { connectNats, createBus } from "@fanfare/kernel/nats";
import { Registry } from "../../packages/kernel/src/metrics.ts";
import { freePort, isInstalled, ServerProcess } from "@fanfare/testing";

const WITHIN = { timeout: 20_000, interval: 50 };

describe.skipIf(!isInstalled("nats-server"))("a nats-server with a password", () => {
  let folder: string;
  let port: number;
  const open: { close: () => Promise<void> }[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "fanfare-nats-"));
    port = await freePort();
  });

  afterEach(async () => {
    for (const part of open.splice(0).toReversed()) await part.close();
    await rm(folder, { recursive: true });
  });

  async function serve(password: string): Promise<ServerProcess> {
    const server = new ServerProcess({
      name: "nats",
      command: "nats-server",
      args: ["-a", "127.0.0.1", "-p", String(port), "--user", "fanfare", "--pass", password],
      folder,
      temporary: false,
      port,
      url: `nats://fanfare:${password}@127.0.0.1:${port}`,
      isReady: (printed) => printed.includes("Server is ready"),
    });
    open.push({ close: () => server.stop() });
    await server.start();
    return server;
  }

  test("a client rejected many times reconnects as soon as the password is right, and the log has the reason", async () => {
    const first = await serve("right");
    const lines: Record<string, unknown>[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
        done();
      },
    });
    const connection = await connectNats(first.url, "tried");
    open.push({ close: () => connection.close() });
    const metrics = new Registry();
    createBus(connection, { logger: createLogger("warn", { stream }), metrics }, () => {});
    const said = (): unknown[] => lines.map(({ msg, reason }) => reason ?? msg);

    await first.stop();
    const wrong = await serve("wrong");
    await vi.waitFor(() => expect(said()).toContain("AUTHORIZATION_VIOLATION"), WITHIN);
    // The client gives up at the second rejection by default.
    const refusals = async (): Promise<number> =>
      (await readFile(wrong.logFile, "utf8")).split("authentication error").length;
    await vi.waitFor(async () => expect(await refusals()).toBeGreaterThan(4), WITHIN);
    expect(await metrics.metrics()).toContain("fanfare_nats_connected 0");
    await wrong.stop();
    await serve("right");

    await vi.waitFor(
      async () => expect(await metrics.metrics()).toContain("fanfare_nats_connected 1"),
      WITHIN,
    );
    expect(said().filter((text) => text === "AUTHORIZATION_VIOLATION")).toHaveLength(1);
    expect(said()).toContain("disconnected");
  });

  test("a process with a wrong password reports it at startup", async () => {
    const server = await serve("right");
    const url = server.url.replace("right", "wrong");
    await expect(connectNats(url, "tried")).rejects.toThrow(/cannot be reached: .*Authorization Violation/);
  });
});
