import { Server } from "socket.io";
import { afterEach, expect, test } from "vitest";
import { Emitter } from "../src/index.ts";
import { startFanout, type TestServer, until } from "./support.ts";

let server: TestServer;
afterEach(() => server.close());

async function start() {
  server = await startFanout();
  const fanout = new Emitter();
  fanout.attach(server.io);
  const client = await server.client();
  await server.socket(client.id).join("user:1");
  return { fanout, client };
}

test("without rooms, there are no receivers", async () => {
  const { fanout, client } = await start();
  fanout.emit([], "none", null);
  fanout.emit("", "none", null);
  fanout.emit("user:1", "user", null);
  await until(() => client.received.length > 0);
  expect(client.received).toEqual([["user", null]]);
});

test("a socket in several of the rooms gets a publication once", async () => {
  const { fanout, client } = await start();
  fanout.socketsJoin("user:1", ["group:1", "group:2"]);
  fanout.emit(["user:1", "group:1", "group:2"], "e", 1);
  fanout.socketsLeave("user:1", ["group:1", "group:2"]);
  fanout.emit(["group:1", "group:2"], "e", 2);
  fanout.emit(["user:1", "group:1"], "e", 3);
  await until(() => client.received.length === 2);
  expect(client.received).toEqual([
    ["e", 1],
    ["e", 3],
  ]);
});

test("sockets in an excepted room neither get a publication nor are moved", async () => {
  const { fanout, client } = await start();
  const other = await server.client();
  await server.socket(other.id).join(["user:2", "staff"]);
  const bothUsers = ["user:1", "user:2"];
  fanout.emit(bothUsers, "e", 1, ["staff"]);
  fanout.socketsJoin(bothUsers, ["room"], ["staff"]);
  fanout.emit("room", "e", 2);
  fanout.socketsJoin(bothUsers, ["room"]);
  fanout.socketsLeave(bothUsers, ["room"], ["staff"]);
  fanout.emit("room", "e", 3);
  await until(() => client.received.length === 2 && other.received.length === 1);
  expect(client.received).toEqual([
    ["e", 1],
    ["e", 2],
  ]);
  expect(other.received).toEqual([["e", 3]]);
});

test("disconnects after earlier publications", async () => {
  const { fanout, client } = await start();
  const gone = new Promise((resolve) => client.socket.once("disconnect", resolve));
  fanout.emit("user:1", "session.ended", { reason: "banned" });
  server.io.in("user:1").disconnectSockets(true);
  await gone;
  expect(client.received).toEqual([["session.ended", { reason: "banned" }]]);
});

test("drops calls without a server; rejects a second server", async () => {
  const { fanout } = await start();
  expect(() => fanout.attach(new Server())).toThrow("detach()");
  fanout.detach();
  fanout.emit("user:1", "e", null);
  fanout.socketsJoin("user:1", ["group:1"]);
  fanout.socketsLeave("user:1", ["user:1"]);
  expect([...server.io.sockets.adapter.rooms.keys()]).toContain("user:1");
});
