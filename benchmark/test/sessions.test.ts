import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startStrictServer, type StrictServer } from "./strict-server.ts";
import { CLIENTS, measure, tagged } from "./measure.ts";
import { listen } from "./serve-fake.ts";

const STRICT = fileURLToPath(new URL("./strict-plugin.ts", import.meta.url));
const POLL = fileURLToPath(new URL("./poll-plugin.ts", import.meta.url));

let server: StrictServer;
beforeEach(async () => {
  server = await startStrictServer();
});
afterEach(() => server.close());

/** 14 messages to 40 members. */
const ALL_RECEIVED = {
  counts: { acknowledged: 14, received: 560, lost: 0, duplicates: 0, dropped: 0 },
  errors: [],
};

for (const client of CLIENTS)
  describe(
    `a WebSocket with steps, pings and heartbeats, with ${client.kind} and ${client.probes} probes`,
    tagged(client),
    () => {
      const target = () => ({ name: STRICT, url: server.url });

      test("every member is accepted, and stays online", async () => {
        const result = await measure({ ...client, burst: [10] }, target());
        expect(result).toMatchObject(ALL_RECEIVED);
      });

      test("a rejected step is an error with the server's reason", async () => {
        server.refuse = "room is full";
        await expect(measure(client, target())).rejects.toThrow("room is full");
      });

      test("a connection that the server closes is dropped with the close code", async () => {
        server.closeWith = 3012;
        const { counts, errors } = await measure({ ...client, messages: 1 }, target());
        expect(counts.dropped).toBe(40);
        expect(errors).toContainEqual({ phase: "connection", code: "SERVER_CLOSE_3012", count: 40 });
      });
    },
  );

for (const client of CLIENTS)
  describe(`long polling, with ${client.kind} and ${client.probes} probes`, tagged(client), () => {
    const target = () => ({ name: POLL, url: server.url });

    test("every member gets every message", async () => {
      const result = await measure({ ...client, burst: [10] }, target());
      expect(result).toMatchObject(ALL_RECEIVED);
    });

    test("a request that fails ends the connection, with its status", async () => {
      server.pollStatus = 429;
      await expect(measure(client, target())).rejects.toThrow("HTTP_429");
    });
  });

test("a close frame without a code", async () => {
  server.closeWith = 1005;
  const { errors } = await measure({ messages: 1 }, { name: STRICT, url: server.url });
  expect(errors).toContainEqual({ phase: "connection", code: "SERVER_CLOSE_1005", count: 40 });
});

test("a server that isn't one", async () => {
  const http = createServer((_, response) => response.writeHead(404).end());
  const url = await listen(http);
  await expect(measure({}, { name: STRICT, url })).rejects.toThrow("HTTP_404");
  http.close();
});
