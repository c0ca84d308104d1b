import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { rawClients } from "./raw-client.ts";
import { startFanout, type TestServer, until } from "./support.ts";

const MAX_BUFFERED = 256 * 1024;
/** More than the kernel buffers of a connection hold. */
const ENOUGH = 1000;
const PAYLOAD = "x".repeat(32 * 1024);

let server: TestServer;
afterEach(() => server.close());

test("a socket that stops reading is skipped, gets one resync, and then receives again", async () => {
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
  server.io.to("a").except("none").emit("e", published++, PAYLOAD);
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
  // Before the gap, no event is missing, repeated or out of order.
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

test("limits the buffer of a stuck socket even if Engine.IO sends packets in between", async () => {
  const slow: string[] = [];
  server = await startFanout({ maxBufferedBytes: MAX_BUFFERED, onSlow: (socket) => slow.push(socket.id) });
  const [stuck] = await rawClients(server.port, 1);
  const socket = server.socket(stuck!.id);
  stuck!.ws.pause();
  let published = 0;
  // Fills the kernel buffers first, then the user-space buffer up to the limit.
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

test("a socket that calls without reading is paused, buffers little, and is closed", async () => {
  const stalled: string[] = [];
  server = await startFanout({
    maxBufferedBytes: MAX_BUFFERED,
    stallTimeoutMs: 300,
    onStalled: (socket) => stalled.push(socket.id),
  });
  const [stuck] = await rawClients(server.port, 1);
  const socket = server.socket(stuck!.id);
  let calls = 0;
  let most = 0;
  const { request, conn } = socket;
  const net = request.socket;
  socket.onAny((_name: string, answer: (text: string) => void) => {
    calls += 1;
    answer(PAYLOAD);
    const held = (conn as unknown as { writeBuffer: { data?: string }[] }).writeBuffer;
    const heldBytes = held.reduce((sum, { data = "" }) => sum + data.length, 0);
    most = Math.max(most, net.writableLength + heldBytes);
  });
  stuck!.ws.pause();
  // It keeps calling and answering pings as long as it is connected.
  for (let n = 0; stalled.length === 0; n++) {
    if (n < 20 * ENOUGH) stuck!.ws.send(`42${n}["call"]`);
    if (n % 100 === 0) stuck!.ws.send("3");
    if (n % 10 === 0) await turn();
  }
  expect(stalled).toEqual([stuck!.id]);
  await until(() => server.fanout.held.connections === 0);
  expect(calls).toBeLessThan(20 * ENOUGH);
  // Calls received before reading was paused are still answered: one read of the connection, 64 KiB of small calls.
  expect(most).toBeLessThan(MAX_BUFFERED + ((64 * 1024) / 11) * PAYLOAD.length);
  stuck!.ws.terminate();
});

test("a slow client that reads is not closed, gets every response, and no resync if it missed nothing", async () => {
  const stalled: string[] = [];
  const slow: string[] = [];
  server = await startFanout({
    maxBufferedBytes: MAX_BUFFERED,
    stallTimeoutMs: 5000,
    onSlow: (socket) => slow.push(socket.id),
    onStalled: (socket) => stalled.push(socket.id),
  });
  const [client] = await rawClients(server.port, 1);
  server.socket(client!.id).onAny((_name: string, answer: (text: string) => void) => answer(PAYLOAD));
  let answered = 0;
  client!.ws.on("message", (data: Buffer) => {
    if (!data.toString().startsWith("43")) return;
    answered += 1;
    // Resumes reading only a turn later each time.
    client!.ws.pause();
    setTimeout(() => client!.ws.resume(), 1);
  });
  client!.ws.pause();
  for (let n = 0; n < ENOUGH; n++) client!.ws.send(`42${n}["call"]`);
  await until(() => slow.length > 0);
  client!.ws.resume();
  await until(() => answered === ENOUGH);
  expect(stalled).toEqual([]);
  expect(client!.received).toEqual([]);
});
