import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { rawClients } from "./raw-client.ts";
import { startFanout, type TestServer, until } from "./support.ts";

const MAX_BUFFERED = 256 * 1024;
/** More than the kernel buffers of one connection take. */
const ENOUGH = 1000;
const PAYLOAD = "x".repeat(32 * 1024);

let server: TestServer;
afterEach(() => server.close());

test("a socket that stops reading is left out, told once to resync, and then receives again", async () => {
  const slow: string[] = [];
  server = await startFanout({
    maxBufferedBytes: MAX_BUFFERED,
    resyncEvent: "behind",
    onSlow: (socket) => slow.push(socket.id),
  });
  const [stuck, healthy] = await rawClients(server.port, 2);
  const socket = server.socket(stuck!.id);
  for (const { id } of [stuck!, healthy!]) await server.socket(id).join("a");
  const buffered = (): number => socket.request.socket.writableLength;

  stuck!.ws.pause();
  let published = 0;
  const publish = async (): Promise<void> => {
    server.io.to("a").emit("e", published++, PAYLOAD);
    await turn();
    await until(() => healthy!.received.length === published);
  };
  for (let n = 0; n < ENOUGH && slow.length === 0; n++) await publish();
  expect(slow).toEqual([socket.id]);
  const whenSlow = buffered();
  expect(whenSlow).toBeGreaterThan(MAX_BUFFERED);
  expect(whenSlow).toBeLessThan(MAX_BUFFERED + 3 * PAYLOAD.length);
  for (let i = 0; i < 50; i++) await publish();
  server.io.to("a").except("nobody").emit("e", published++, PAYLOAD);
  server.io.emit("e", published++, PAYLOAD);
  await until(() => healthy!.received.length === published);
  expect(buffered()).toBe(whenSlow);
  expect(slow).toEqual([socket.id]);

  stuck!.ws.resume();
  await until(() => stuck!.received.some(([event]) => event === "behind"));
  await publish();
  await until(() => stuck!.received.at(-1)?.[1] === published - 1);
  const events = stuck!.received.map(([event]) => event);
  expect(events.filter((event) => event === "behind")).toHaveLength(1);
  expect(events.slice(-2)).toEqual(["behind", "e"]);
  expect(stuck!.received.length).toBeLessThan(published - 50);
  // Nothing is missing, twice or out of order before the gap.
  const before = stuck!.received.slice(0, -2).map(([, n]) => n);
  expect(before).toEqual([...before.keys()]);
});

test("a slow socket can be disconnected", async () => {
  const slow: string[] = [];
  server = await startFanout({ maxBufferedBytes: 1, onSlow: (socket) => slow.push(socket.id) });
  const [stuck] = await rawClients(server.port, 1);
  stuck!.ws.pause();
  for (let n = 0; n < ENOUGH && slow.length === 0; n++) {
    server.io.emit("e", PAYLOAD);
    await turn();
  }
  expect(slow).toHaveLength(1);
  stuck!.ws.terminate();
  await until(() => server.fanout.held.connections === 0);
  server.io.emit("e", PAYLOAD);
  await turn();
  expect(server.fanout.held).toEqual({ connections: 0, queued: 0, lists: 0, joining: 0 });
});

test("packets of Engine.IO's own in between do not let a stuck socket buffer without end", async () => {
  const slow: string[] = [];
  server = await startFanout({ maxBufferedBytes: MAX_BUFFERED, onSlow: (socket) => slow.push(socket.id) });
  const [stuck] = await rawClients(server.port, 1);
  const socket = server.socket(stuck!.id);
  stuck!.ws.pause();
  let published = 0;
  // Until the kernel takes no more, and then as much again as the limit allows.
  while (socket.request.socket.writableLength === 0) {
    server.io.emit("e", published++, PAYLOAD);
    await turn();
  }
  const enough = published + 3 * (MAX_BUFFERED / PAYLOAD.length);
  while (slow.length === 0 && published < enough) {
    socket.emit("direct");
    socket.emit("direct");
    server.io.emit("e", published++, PAYLOAD);
    await turn();
  }
  expect(slow).toEqual([socket.id]);
  for (let i = 0; i < 10; i++) server.io.emit("e", "skipped", PAYLOAD);
  await turn();
  stuck!.ws.resume();
  await until(() => stuck!.received.some(([event]) => event === "resync"));
  server.io.emit("e", "after");
  await until(() => stuck!.received.at(-1)?.[1] === "after");
  const broadcasts = stuck!.received.filter(([event]) => event === "e").map(([, n]) => n);
  expect(broadcasts).toEqual([...broadcasts.slice(0, -1).keys(), "after"]);
  expect(stuck!.received.filter(([event]) => event === "resync")).toHaveLength(1);
});
