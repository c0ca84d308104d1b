import { expect, test } from "vitest";
import { connect, startGateway, until } from "./support.ts";

test("on shutdown clients are notified, running calls complete, new clients are rejected, and all connections closed", async () => {
  const gateway = await startGateway();
  const { promise: released, resolve: release } = Promise.withResolvers<object>();
  const { promise: called, resolve: call } = Promise.withResolvers<void>();
  gateway.stubs.me = () => {
    call();
    return released;
  };
  const [one, two] = [await connect(gateway), await connect(gateway)];
  const running = one.call("user.me");
  await called;
  expect(await gateway.isReady()).toBe(true);
  const stopped = gateway.stop();
  expect(await one.event("server.draining")).toEqual({ reconnectWithinMs: expect.any(Number) });
  await two.event("server.draining");
  expect(await gateway.isReady()).toBe(false);
  expect(await two.call("user.me")).toMatchObject({
    ok: false,
    error: { type: "UNAVAILABLE", retryable: true },
  });
  await expect(gateway.post("user.createGuest")).rejects.toThrow("fetch failed");
  release({ user: {} });
  expect(await running).toMatchObject({ ok: true });
  // Not Socket.IO's own disconnect packet, after which clients don't reconnect.
  expect(await Promise.all([one.closed, two.closed])).toEqual(["transport close", "transport close"]);
  await stopped;
});

test("a call that never ends doesn't prevent shutdown", { tags: "long" }, async () => {
  const gateway = await startGateway();
  let isCalled = false;
  gateway.stubs.me = () => {
    isCalled = true;
    return new Promise(() => {});
  };
  const client = await connect(gateway);
  client.socket.emit("user.me", {}, () => {});
  await until(() => isCalled);
  await gateway.stop();
  expect(await client.closed).toBe("transport close");
});

test("a client that doesn't close its end doesn't prevent shutdown", async () => {
  const gateway = await startGateway();
  const client = await connect(gateway);
  const raw = (client.socket.io.engine.transport as unknown as { ws: { pause(): void; terminate(): void } })
    .ws;
  raw.pause();
  expect(await gateway.metric("fanfare_connections")).toBe(1);
  await gateway.stop();
  raw.terminate();
});

test("the error for a port in use contains the port", async () => {
  const gateway = await startGateway();
  await expect(startGateway({ PORT: String(gateway.port) })).rejects.toMatchObject({
    code: "EADDRINUSE",
    port: gateway.port,
  });
  await gateway.stop();
});
