import { afterEach, describe, expect, test } from "vitest";
import { joinFresh, Emitter } from "../src/index.ts";
import { startFanout, startServer, type TestServer, until } from "./support.ts";

let server: TestServer;
afterEach(() => server.close());

describe("joinFresh", () => {
  /** A socket in `user:1` whose rooms are being fetched. */
  async function fetching() {
    server = await startFanout();
    const fanout = new Emitter();
    fanout.attach(server.io);
    const client = await server.client();
    const socket = server.socket(client.id);
    await socket.join("user:1");
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    return {
      fanout,
      client,
      socket,
      answer: resolve,
      fail: reject,
      joined: joinFresh(socket, () => promise),
    };
  }

  test("joins the fetched rooms", async () => {
    const { socket, answer, joined } = await fetching();
    answer(["group:1", "group:2"]);
    expect(await joined).toEqual(["group:1", "group:2"]);
    expect([...socket.rooms].sort()).toEqual([socket.id, "group:1", "group:2", "user:1"].sort());
    expect(server.fanout.held.joining).toBe(0);
  });

  test("a leave during the fetch wins", async () => {
    const { fanout, client, socket, answer, joined } = await fetching();
    fanout.socketsLeave("user:1", ["group:1"]);
    answer(["group:1", "group:2"]);
    expect(await joined).toEqual(["group:2"]);
    fanout.emit("group:1", "secret", null);
    fanout.emit("group:2", "news", null);
    await until(() => client.received.length > 0);
    expect(client.received).toEqual([["news", null]]);
    expect(socket.rooms.has("group:1")).toBe(false);
  });

  test("a join after the leave wins", async () => {
    const { fanout, answer, joined } = await fetching();
    fanout.socketsLeave("user:1", ["group:1"]);
    fanout.socketsJoin("user:1", ["group:1"]);
    answer(["group:1"]);
    expect(await joined).toEqual(["group:1"]);
  });

  test("a leave applies to every fetch in progress", async () => {
    const { fanout, socket, answer, joined } = await fetching();
    const again = joinFresh(socket, async () => ["group:1", "group:3"]);
    fanout.socketsLeave("user:1", ["group:1"]);
    expect(await again).toEqual(["group:3"]);
    answer(["group:1"]);
    expect(await joined).toEqual([]);
  });

  test("a socket that has disconnected joins nothing", async () => {
    const { answer, joined } = await fetching();
    server.io.in("user:1").disconnectSockets(true);
    answer(["group:1"]);
    expect(await joined).toEqual([]);
    expect(server.fanout.held).toEqual({ connections: 0, queued: 0, lists: 0, joining: 0 });
  });

  test("rejects with the error of the fetch and leaves no state behind", async () => {
    const { fail, joined } = await fetching();
    fail(new Error("database unavailable"));
    await expect(joined).rejects.toThrow("database unavailable");
    expect(server.fanout.held.joining).toBe(0);
  });

  test("throws if the server uses another adapter", async () => {
    server = await startServer({});
    const client = await server.client();
    await expect(joinFresh(server.socket(client.id), async () => [])).rejects.toThrow("createFanoutAdapter");
  });
});
