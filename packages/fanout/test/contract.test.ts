import { afterEach, describe, expect, test, vi } from "vitest";
import { type BroadcastStats, slimSocket } from "../src/index.ts";
import { startFanout, type TestClient, type TestServer, until } from "./support.ts";

let server: TestServer;
afterEach(() => server.close());

async function three(): Promise<[TestClient, TestClient, TestClient]> {
  server = await startFanout();
  const clients: [TestClient, TestClient, TestClient] = [
    await server.client(),
    await server.client(),
    await server.client(),
  ];
  const [a, b] = clients;
  await server.socket(a.id).join(["x", "y"]);
  await server.socket(b.id).join("y");
  return clients;
}

const ids = (sockets: readonly { id: string }[]): string[] => sockets.map(({ id }) => id).sort();

describe("Socket.IO's adapter contract", () => {
  test("fetchSockets, allSockets and rooms", async () => {
    const [a, b, c] = await three();
    const { io } = server;
    expect(ids(await io.fetchSockets())).toEqual(ids([a, b, c]));
    expect(ids(await io.in("y").fetchSockets())).toEqual(ids([a, b]));
    expect(ids(await io.in(["x", "y"]).except(a.id).fetchSockets())).toEqual([b.id]);
    expect(await io.in("none").fetchSockets()).toEqual([]);
    expect(await io.of("/").adapter.sockets(new Set(["x"]))).toEqual(new Set([a.id]));
    expect(server.socket(a.id).rooms).toEqual(new Set([a.id, "x", "y"]));
    expect(await io.of("/").adapter.serverCount()).toBe(1);
  });

  test("broadcasts with acknowledgement wait for every receiver", async () => {
    const [a, b] = await three();
    a.socket.on("ask", (n: number, reply: (n: number) => void) => reply(n + 1));
    b.socket.on("ask", (n: number, reply: (n: number) => void) => reply(n + 2));
    const answers = (await server.io.timeout(30_000).to("y").emitWithAck("ask", 1)) as number[];
    expect(new Set(answers)).toEqual(new Set([2, 3]));
  });

  test("volatile broadcasts arrive if the socket is writable", async () => {
    const [a] = await three();
    server.io.volatile.to("x").emit("e", 1);
    await until(() => a.received.length === 1);
    expect(a.received).toEqual([["e", 1]]);
  });

  test("a socket that has left all rooms can join again", async () => {
    const [a] = await three();
    const socket = server.socket(a.id);
    server.fanout.delAll(socket.id);
    server.io.emit("e", 1);
    await socket.join("x");
    server.io.to("x").emit("e", 2);
    await until(() => a.received.length === 1);
    expect(a.received).toEqual([["e", 2]]);
  });

  test("rooms joined before the connection is accepted count", async () => {
    server = await startFanout();
    server.io.use((socket, next) => {
      void socket.join("early");
      server.io.to("early").emit("e", "too early");
      next();
    });
    const client = await server.client();
    server.io.to("early").emit("e", 1);
    await until(() => client.received.length === 1);
    expect(client.received).toEqual([["e", 1]]);
  });

  test("namespaces of one connection are separate", async () => {
    server = await startFanout();
    const other = server.io.of("/other");
    const client = await server.client();
    const second = client.socket.io.socket("/other");
    const received: unknown[][] = [];
    second.onAny((...args: unknown[]) => void received.push(args));
    await until(() => second.connected);
    server.io.emit("e", 1);
    other.emit("e", 2);
    await until(() => client.received.length === 1 && received.length === 1);
    expect([client.received, received]).toEqual([[["e", 1]], [["e", 2]]]);
  });

  test("serverSideEmit does nothing without other servers", async () => {
    await three();
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    server.io.serverSideEmit("e");
    expect(warn.mock.calls[0]?.[0]).toContain("does not support");
    warn.mockRestore();
  });
});

test("a slim socket receives broadcasts, direct packets and disconnects as before", async () => {
  server = await startFanout();
  server.io.on("connection", slimSocket);
  const client = await server.client();
  const socket = server.socket(client.id);
  expect(socket.request).toBeNull();
  expect(socket.handshake.headers["user-agent"]).not.toBe("");
  server.io.emit("e", 1);
  socket.emit("e", 2);
  await until(() => client.received.length === 2);
  const gone = new Promise((resolve) => client.socket.once("disconnect", resolve));
  socket.disconnect(true);
  expect(await gone).toBe("io server disconnect");
});

test("onBroadcast reports the cost of a publication after it was written", async () => {
  const stats: BroadcastStats[] = [];
  server = await startFanout({ onBroadcast: (one) => stats.push(one) });
  const clients = [await server.client(), await server.client()];
  for (const { id } of clients) await server.socket(id).join(["a", "b"]);
  server.io.to("a").emit("e", 1);
  server.io.to("a").emit("e", 2);
  server.io.to(["a", "b"]).emit("e", 3);
  server.io.emit("e", 4);
  await until(() => stats.length === 3);
  const bytes = '2_42["e",1]'.length;
  expect(stats).toMatchObject([
    { room: "a", publications: 2, sockets: 2, bytes: 2 * bytes },
    { room: "a", publications: 1, sockets: 2, bytes },
    { room: "", publications: 1, sockets: 2, bytes },
  ]);
  for (const { durationMs } of stats) expect(durationMs).toBeGreaterThanOrEqual(0);
});
