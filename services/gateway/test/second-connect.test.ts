import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isHealthy, startGateway, until, type Gateway } from "./support.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const PATH = "/socket.io/?EIO=4&transport=websocket";
const connectPacket = (): string => `40${JSON.stringify({ token: gateway.signIn().accessToken })}`;

/** Encodes a client frame with a mask of zeros. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const header = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]);
  return Buffer.concat([header, payload]);
}

test("several CONNECT packets in one burst close the connection", async () => {
  const tcp = connectTcp(gateway.port, "127.0.0.1");
  tcp.write(
    `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  await once(tcp, "data");
  let received = "";
  tcp.on("data", (bytes) => (received += bytes.toString("latin1")));
  tcp.write(Buffer.concat(Array.from({ length: 15 }, () => frame(connectPacket()))));
  // The first byte of the WebSocket close frame.
  await until(() => received.includes("\x88"));
  tcp.destroy();
  expect(received.match(/40\{"sid"/g) ?? []).toHaveLength(0);
  await until(async () => (await gateway.metric("fanfare_connections")) === 0);
  expect(await isHealthy(gateway)).toBe(true);
});

test("after a disconnect, another user can log in on the same connection", async () => {
  const ws = new WebSocket(`ws://127.0.0.1:${gateway.port}${PATH}`);
  let ready = Promise.withResolvers<string>();
  ws.addEventListener("message", ({ data }) => {
    if (String(data).startsWith('42["ready"')) ready.resolve(String(data));
  });
  await once(ws, "message");
  for (let n = 0; n < 2; n++) {
    const me = gateway.signIn();
    ready = Promise.withResolvers();
    ws.send(`40${JSON.stringify({ token: me.accessToken })}`);
    expect(await ready.promise).toContain(me.userId);
    ws.send("41");
    await until(async () => (await gateway.metric("fanfare_connections")) === 0);
  }
  ws.close();
});
