import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { expect, test } from "vitest";
import { HTTP_CONNECTIONS_PER_ADDRESS } from "../src/constants.ts";
import { isHealthy, startGateway, until, type Gateway } from "./support.ts";

const EXTRA = 20;

/** Opens more connections than allowed per address and counts those closed immediately. */
async function openTooMany(gateway: Gateway): Promise<{ sockets: Socket[]; refused: () => number }> {
  const count = 1 + HTTP_CONNECTIONS_PER_ADDRESS + EXTRA;
  const sockets = Array.from({ length: count }, () => connectTcp(gateway.port, "127.0.0.1"));
  let refused = 0;
  for (const socket of sockets) socket.on("error", () => {}).on("close", () => refused++);
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  return { sockets, refused: () => refused };
}

test("limits connections per address, even when nothing is sent on them", async () => {
  const gateway = await startGateway({ MAX_CONNECTIONS_PER_ADDRESS: "1" });
  const { sockets, refused } = await openTooMany(gateway);
  await until(() => refused() === EXTRA);
  const otherSocket = connectTcp({ port: gateway.port, host: "127.0.0.1", localAddress: "127.0.0.2" });
  otherSocket.write("GET /api/meta HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(String(await once(otherSocket, "data"))).toContain("200 OK");
  expect(await gateway.metric('fanfare_refused_total{reason="too_many_connections"}')).toBe(EXTRA);
  expect(refused()).toBe(EXTRA);
  for (const socket of [...sockets, otherSocket]) socket.destroy();
  await until(() => isHealthy(gateway).catch(() => false));
  await gateway.stop();
});

test("doesn't limit connections of a proxy", async () => {
  const gateway = await startGateway({ MAX_CONNECTIONS_PER_ADDRESS: "1", TRUST_PROXY: "true" });
  const { sockets, refused } = await openTooMany(gateway);
  expect((await gateway.post("user.createGuest")).status).toBe(200);
  expect(refused()).toBe(0);
  for (const socket of sockets) socket.destroy();
  await gateway.stop();
});

test("closes a connection without a request", { tags: "long" }, async () => {
  const gateway = await startGateway();
  const silent = connectTcp(gateway.port, "127.0.0.1");
  const stuck = connectTcp(gateway.port, "127.0.0.1");
  stuck.write("GET / HTTP/1.1\r\nHost: loc");
  await Promise.all([silent, stuck].map((socket) => once(socket.resume(), "close")));
  expect(await isHealthy(gateway)).toBe(true);
  await gateway.stop();
});
