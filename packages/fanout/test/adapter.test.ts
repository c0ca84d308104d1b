import { afterEach, describe, expect, test } from "vitest";
import { createFanoutAdapter, LocalFanout } from "../src/index.ts";
import { startServer, type TestServer, until } from "./support.ts";

let server: TestServer;
afterEach(() => server.close());

const start = async (): Promise<TestServer> =>
  (server = await startServer({ adapter: createFanoutAdapter() }));

describe("order", () => {
  test("broadcasts, direct packets and acknowledgements arrive as they were sent", async () => {
    const { io } = await start();
    const client = await server.client();
    const socket = io.sockets.sockets.get(client.id)!;
    await socket.join(["a", "b"]);
    io.to("a").emit("e", 1);
    io.to("b").emit("e", 2);
    io.to(["a", "b"]).emit("e", 3);
    socket.emit("e", 4);
    io.to("a").emit("e", 5);
    io.emit("e", 6);
    io.to(client.id).emit("e", 7);
    io.to("b").emit("e", Buffer.from("8"));
    io.to("b").emit("e", 9);
    await until(() => client.received.length === 9);
    expect(client.received.map(([, n]) => (Buffer.isBuffer(n) ? 8 : n))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("publishing to no rooms reaches nobody", async () => {
    const { io } = await start();
    const fanout = new LocalFanout();
    fanout.attach(io);
    const client = await server.client();
    fanout.emit([], "nobody", null);
    fanout.emit(client.id, "somebody", null);
    await until(() => client.received.length > 0);
    expect(client.received).toEqual([["somebody", null]]);
  });
});
