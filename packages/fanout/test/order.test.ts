import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { rawClient, rawClients } from "./raw-client.ts";
import { createFanoutAdapter } from "../src/index.ts";
import { startFanout, startServer, type TestServer, until } from "./support.ts";

let server: TestServer;
afterEach(() => server.close());

describe("order", () => {
  test("publications, direct packets and acknowledgements arrive in the order they were sent", async () => {
    server = await startFanout();
    const { io } = server;
    const client = await server.client();
    const socket = server.socket(client.id);
    await socket.join(["a", "b"]);
    socket.on("ask", (reply: () => void) => {
      io.to("a").emit("e", 1);
      io.to("b").emit("e", 2);
      io.to(["a", "b"]).emit("e", 3);
      socket.emit("e", 4);
      io.to("a").emit("e", 5);
      reply();
      io.emit("e", 7);
      io.to(client.id).emit("e", 8);
    });
    client.socket.emit("ask", () => client.received.push(["e", 6]));
    await until(() => client.received.length === 8);
    expect(client.received.map(([, n]) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  for (const transport of ["websocket", "polling"]) {
    test(`${transport}: an outgoing listener is called for each packet, and its own publications arrive later`, async () => {
      server = await startServer({ transports: ["polling", "websocket"], adapter: createFanoutAdapter() });
      const { io } = server;
      const client = await server.client([transport]);
      const socket = server.socket(client.id);
      await socket.join("a");
      const seen: unknown[][] = [];
      socket.onAnyOutgoing((...args: unknown[]) => {
        seen.push(args);
        if (args[1] === 1) io.to("a").emit("e", 3);
      });
      io.to("a").emit("e", 1);
      io.to("a").emit("e", 2);
      await until(() => client.received.length === 3);
      expect(client.received.map(([, n]) => n)).toEqual([1, 2, 3]);
      expect(seen).toEqual(client.received);
    });
  }
});

describe("writes", () => {
  test("all publications of one turn are sent in one write per socket, regardless of rooms", async () => {
    server = await startFanout();
    const { io } = server;
    const clients = await rawClients(server.port, 3);
    for (const { id } of clients) await server.socket(id).join(["a", "b"]);
    await turn();
    const writes = clients.map(({ id }) => vi.spyOn(server.socket(id).request.socket, "write"));
    for (let n = 0; n < 50; n++) io.to(["a", "b", ["a", "b"]][n % 3]!).emit("e", n);
    await until(() => clients.every(({ received }) => received.length === 50));
    expect(writes.map((write) => write.mock.calls.length)).toEqual([1, 1, 1]);
    const [first, ...others] = writes.map((write) => write.mock.calls[0]![0]);
    for (const other of others) expect(other).toBe(first);
    for (const { received } of clients) expect(received.map(([, n]) => n)).toEqual([...Array(50).keys()]);
  });

  test("a long flush yields to the event loop, while sockets connect and disconnect", async () => {
    server = await startFanout({ socketsPerSlice: 10 });
    const { io } = server;
    const clients = await rawClients(server.port, 100);
    const sockets = clients.map(({ id }) => server.socket(id));
    const late = await rawClient(server.port);
    for (const socket of sockets) await socket.join("a");
    io.to("a").emit("e", 1);
    await turn();
    await turn();
    const { queued } = server.fanout.held;
    expect(queued).toBeGreaterThan(50);
    expect(queued).toBeLessThan(100);
    await server.socket(late.id).join("a");
    io.in(clients[0]!.id).socketsLeave("a");
    io.in(clients[98]!.id).socketsLeave("a");
    clients[99]!.ws.terminate();
    sockets[97]!.disconnect(true);
    io.to("a").emit("e", 2);
    sockets[96]!.emit("e", 3);
    io.to("a").emit("e", 4);
    const numbers = (index: number): unknown[] => clients[index]!.received.map(([, n]) => n);
    await until(
      () => numbers(95).length === 3 && late.received.length === 2 && server.fanout.held.queued === 0,
    );
    await until(() => numbers(96).length === 4);
    expect(late.received.map(([, n]) => n)).toEqual([2, 4]);
    for (const index of [1, 50, 95]) expect(numbers(index)).toEqual([1, 2, 4]);
    expect(numbers(96)).toEqual([1, 2, 3, 4]);
    // They must receive publications before their leave, and none after it.
    for (const index of [0, 97, 98]) expect(numbers(index)).toEqual([1]);
  });
});

describe("closing", () => {
  test("a disconnected socket has received all earlier publications", async () => {
    server = await startFanout();
    const clients = await Promise.all([server.client(), server.client()]);
    for (const { id } of clients) await server.socket(id).join("a");
    const gone = clients.map(({ socket }) => new Promise((resolve) => socket.once("disconnect", resolve)));
    for (let n = 0; n < 20; n++) server.io.to("a").emit("e", n);
    server.io.in("a").disconnectSockets(true);
    expect(await Promise.all(gone)).toEqual(["io server disconnect", "io server disconnect"]);
    for (const { received } of clients) expect(received).toHaveLength(20);
  });

  test("closing the server sends earlier publications", async () => {
    server = await startFanout();
    const client = await server.client();
    const gone = new Promise((resolve) => client.socket.once("disconnect", resolve));
    server.io.emit("e", 1);
    await server.io.close();
    await gone;
    expect(client.received).toEqual([["e", 1]]);
  });
});
