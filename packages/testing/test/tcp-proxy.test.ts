import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { TcpProxy } from "@fanfare/testing";
import { afterEach, beforeEach, expect, test } from "vitest";

let server: Server;
let proxy: TcpProxy;
let socket: Socket;
let received: string;

beforeEach(async () => {
  server = createServer((peer) => {
    peer.on("error", () => undefined);
    peer.pipe(peer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy = await TcpProxy.start((server.address() as AddressInfo).port);
  received = "";
  socket = dial();
  await once(socket, "connect");
});

afterEach(async () => {
  socket.destroy();
  await proxy.stop();
  server.close();
});

function dial(): Socket {
  const dialed = connect(proxy.port, "127.0.0.1");
  dialed.on("data", (data) => (received += data.toString()));
  dialed.on("error", () => undefined);
  return dialed;
}

/** A round trip through two other proxies, during which data through one proxy would have arrived. */
async function waitLongerThanRoundTrip(): Promise<void> {
  const inner = await TcpProxy.start((server.address() as AddressInfo).port);
  const outer = await TcpProxy.start(inner.port);
  const other = connect(outer.port, "127.0.0.1");
  other.write("x");
  await once(other, "data");
  other.destroy();
  await outer.stop();
  await inner.stop();
}

test("forwards data in both directions and in order, even with a delay", async () => {
  socket.write("one");
  await expect.poll(() => received).toBe("one");
  proxy.setDelay(100);
  socket.write(" two");
  socket.write(" three");
  await expect.poll(() => received).toBe("one two three");
});

test("cut: closes connections and refuses new ones until restored", async () => {
  await proxy.cut();
  if (!socket.closed) await once(socket, "close");
  await expect(once(dial(), "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  await proxy.restore();
  socket = dial();
  socket.write("again");
  await expect.poll(() => received).toBe("again");
});

test("held: nothing arrives and neither side gets an error; data arrives after restoring", async () => {
  proxy.hold();
  socket.write("late");
  const other = dial();
  other.write(" later");
  await once(other, "connect");
  await waitLongerThanRoundTrip();
  expect(received).toBe("");
  await proxy.restore();
  await expect.poll(() => received.length).toBe("late later".length);
  other.destroy();
});

test("held: a connection closed by one side is closed after restoring", async () => {
  socket.write("x");
  await expect.poll(() => received).toBe("x");
  proxy.hold();
  socket.destroy();
  await waitLongerThanRoundTrip();
  expect(proxy.connections).toBe(1);
  await proxy.restore();
  await expect.poll(() => proxy.connections).toBe(0);
});
