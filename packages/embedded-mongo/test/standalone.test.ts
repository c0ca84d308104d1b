import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { freePort } from "@fanfare/testing";
import mongoose, { Schema } from "mongoose";
import { MongoClient } from "mongodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ClientReport } from "./client-process.ts";
import { type ServerProcess, spawnServer } from "./spawn-server.ts";
import { temporaryFolder } from "./targets.ts";
import { WireClient } from "./wire-client.ts";

const CLIENT = fileURLToPath(new URL("client-process.ts", import.meta.url));
const CLIENTS = 3;
const RESTARTS = 3;
const FREEZE_MS = 2_000;
const CONNECTIONS = 1_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function ask<T>(client: ChildProcess, question: string): Promise<T> {
  const answer = once(client, "message");
  client.send(question);
  return (await answer)[0] as T;
}

/** Runs the server and its clients as separate processes. */
describe("src/main.ts as the database of several processes", () => {
  let dir: string;
  let port: number;
  let server: ServerProcess;
  let clients: ChildProcess[];

  const start = async () => {
    server = await spawnServer(dir, {}, "--port", String(port));
  };
  const count = async () => {
    const counts = await Promise.all(clients.map((client) => ask<number>(client, "count")));
    return counts.reduce((sum, n) => sum + n, 0);
  };
  const everyClientWrites = async () => {
    for (const client of clients) {
      const before = await ask<number>(client, "count");
      await expect.poll(() => ask<number>(client, "count")).toBeGreaterThan(before);
    }
  };
  const startClients = (uri = server.uri) => {
    clients = Array.from({ length: CLIENTS }, (_, i) => fork(CLIENT, [uri, `client${i}`]));
  };
  /** Stops the clients and checks that all acknowledged documents exist. @returns the errors of the clients */
  const settle = async (): Promise<string[]> => {
    const reports = await Promise.all(clients.map((client) => ask<ClientReport>(client, "stop")));
    const admin = await new MongoClient(server.uri).connect();
    const found = await admin.db("clients").collection("notes").distinct("_id");
    await admin.close();
    const all = new Set(found.map(String));
    for (const { acknowledged } of reports) {
      expect(acknowledged.length).toBeGreaterThan(0);
      expect(acknowledged.filter((id) => !all.has(id))).toEqual([]);
    }
    return [...new Set(reports.flatMap(({ errors }) => errors))];
  };

  beforeEach(async () => {
    dir = temporaryFolder();
    port = await freePort();
    clients = [];
    await start();
  });
  afterEach(async () => {
    for (const client of clients) client.kill("SIGKILL");
    server.process.kill("SIGCONT");
    await server.stop();
    fs.rmSync(dir, { recursive: true });
  });

  it("restarts on its port right after SIGKILL, and mongoose clients that retry lose nothing", async () => {
    // A connection string without options, so with the driver's own retries.
    startClients(`mongodb://127.0.0.1:${port}`);
    const idle = await mongoose.createConnection(server.uri).asPromise();
    const Thing = idle.model("Thing", new Schema({ n: Number }));
    await Thing.create({ n: 0 });
    for (let restart = 1; restart <= RESTARTS; restart++) {
      await everyClientWrites();
      await server.kill();
      await start();
      await everyClientWrites();
      await Thing.create({ n: restart });
    }
    expect(await Thing.countDocuments()).toBe(RESTARTS + 1);
    await idle.close();
    const errors = await settle();
    expect(errors.every((name) => name.startsWith("MongoNetwork") || name.startsWith("MongoPool"))).toBe(
      true,
    );
  });

  it("answers all waiting clients after it was suspended", { tags: "long" }, async () => {
    startClients();
    await everyClientWrites();
    server.process.kill("SIGSTOP");
    await pause(1_000);
    const before = await count();
    const late = WireClient.connect(port).then((client) =>
      client.command("clients", { count: "notes" }).finally(() => client.close()),
    );
    await pause(FREEZE_MS);
    expect(await count()).toBe(before);
    await expect(spawnServer(dir)).rejects.toThrow(`The data folder ${dir} is in use by another process.`);
    server.process.kill("SIGCONT");
    expect(await late).toMatchObject({ ok: { value: 1 } });
    await everyClientWrites();
    expect(await settle()).toEqual([]);
  });

  it(`serves ${CONNECTIONS} connections at once`, async () => {
    const wires = await Promise.all(Array.from({ length: CONNECTIONS }, () => WireClient.connect(port)));
    const insert = (n: number) => ({ insert: "things", documents: [{ _id: n }], writeConcern: { j: true } });
    const replies = await Promise.all(wires.map((wire, n) => wire.command("many", insert(n))));
    expect(replies.filter(({ ok }) => Number(ok) !== 1)).toEqual([]);
    const [first] = await Promise.all(wires.map((wire) => wire.command("many", { count: "things" })));
    expect(Number(first!["n"])).toBe(CONNECTIONS);
    for (const wire of wires) wire.close();
  });
});
