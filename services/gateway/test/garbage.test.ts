import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAX_PACKETS_PER_SECOND, PACKETS_PER_CONTROL_FRAME } from "../src/constants.ts";
import { isHealthy, startGateway, type Gateway } from "./support.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const PATH = "/socket.io/?EIO=4&transport=websocket";

/** A WebSocket after Engine.IO's handshake, and with a token also after Socket.IO's. */
async function openWebSocket(token?: string): Promise<{ ws: WebSocket; closed: Promise<unknown> }> {
  const ws = new WebSocket(`ws://127.0.0.1:${gateway.port}${PATH}`);
  const closed = once(ws, "close");
  await once(ws, "message");
  if (token === undefined) return { ws, closed };
  const ready = new Promise<void>((resolve) => {
    ws.addEventListener("message", ({ data }) => {
      if (String(data).startsWith('42["ready"')) resolve();
    });
  });
  ws.send(`40${JSON.stringify({ token })}`);
  await ready;
  return { ws, closed };
}

describe("invalid Engine.IO and Socket.IO packets close the connection", () => {
  test.each([
    ["an unknown packet type", "9"],
    ["nothing", ""],
    ["a ping in the wrong direction", "2"],
    ["an unknown Socket.IO packet type", "49"],
    ["broken JSON", '42["user.me",{'],
    ["no JSON", "42hello"],
    ["a packet without a name", "42[]"],
    ["an object for an event", '42{"user.me":1}'],
    ["a reserved event", '42["disconnect",{}]'],
    ["a connect that is not an object", '40"token"'],
    ["a second connect", "40{}"],
    ["a connect error from the client", '44{"message":"no"}'],
    ["an event in a namespace it is not in", '42/admin,["user.me",{}]'],
    ["unannounced binary data", Buffer.from([1, 2, 3])],
    ["more announced attachments than sent", '451-["user.me",{"_placeholder":true,"num":7}]'],
  ])("%s", async (_, packet) => {
    const { ws, closed } = await openWebSocket(gateway.signIn().accessToken);
    ws.send(packet);
    if (typeof packet === "string" && packet.startsWith("451-")) ws.send(Buffer.from([1]));
    await closed;
    expect(await isHealthy(gateway)).toBe(true);
  });

  test.each([
    ["an event", '420["user.me",{}]'],
    ["an acknowledgement", "430[]"],
    ["a connect that is a list", "40[]"],
  ])("%s before login", async (_, packet) => {
    const { ws, closed } = await openWebSocket();
    ws.send(packet);
    await closed;
    expect(await isHealthy(gateway)).toBe(true);
  });

  test("rejects other namespaces", async () => {
    const { ws, closed } = await openWebSocket(gateway.signIn().accessToken);
    const answered = once(ws, "message") as unknown as Promise<[MessageEvent]>;
    ws.send("40/admin,{}");
    expect(String((await answered)[0].data)).toContain("Invalid namespace");
    ws.close();
    await closed;
  });

  test("unexpected acknowledgements and prototype names have no effect", async () => {
    const { ws, closed } = await openWebSocket(gateway.signIn().accessToken);
    ws.send("4399[1,2]");
    ws.send('42["__proto__"]');
    ws.send('4299["user.me",{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}]');
    const answered = once(ws, "message") as unknown as Promise<[MessageEvent]>;
    expect(String((await answered)[0].data)).toMatch(/^4399\[\{"ok":true/);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    ws.close();
    await closed;
  });
});

describe("invalid WebSocket frames", () => {
  const upgrade = [
    `GET ${PATH} HTTP/1.1`,
    "Host: localhost",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "\r\n",
  ].join("\r\n");

  async function openRaw({ port } = gateway): Promise<Socket> {
    const socket = connectTcp(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(upgrade);
    await once(socket, "data");
    return socket;
  }

  test.each([
    ["not masked", [0x81, 0x01, 0x32]],
    ["with an unknown opcode", [0x8b, 0x80, 0, 0, 0, 0]],
    ["with a reserved bit", [0xf1, 0x80, 0, 0, 0, 0]],
    ["longer than allowed", [0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]],
    ["a continuation without a first frame", [0x80, 0x80, 0, 0, 0, 0]],
    ["not UTF-8", [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]],
  ])("%s", async (_, bytes) => {
    const socket = await openRaw();
    const closed = once(socket, "close");
    socket.write(Buffer.from(bytes));
    socket.resume();
    await closed;
    expect(await isHealthy(gateway)).toBe(true);
  });

  test.each([
    ["pings", 0x89],
    ["pongs", 0x8a],
  ])("too many %s close the connection", async (_, opcode) => {
    const limited = await startGateway({ RATE_LIMIT_FACTOR: "1" });
    const socket = await openRaw(limited);
    const closed = once(socket, "close");
    const frames = Math.ceil(MAX_PACKETS_PER_SECOND / PACKETS_PER_CONTROL_FRAME) + 1;
    const frame = Buffer.from([opcode, 0x80, 0, 0, 0, 0]);
    const flood = setInterval(() => {
      socket.write(Buffer.concat(Array.from({ length: frames }, () => frame)));
    }, 50);
    socket.resume();
    await closed;
    clearInterval(flood);
    expect(await isHealthy(limited)).toBe(true);
    await limited.stop();
  });

  test("disconnects a client that ignores the close frame", async () => {
    const limited = await startGateway({ RATE_LIMIT_FACTOR: "1" });
    const socket = await openRaw(limited);
    const closed = once(socket, "close");
    const pong = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x33]);
    socket.write(Buffer.concat(Array.from({ length: MAX_PACKETS_PER_SECOND + 1 }, () => pong)));
    socket.resume();
    await closed;
    expect(await limited.metric('fanfare_refused_total{reason="flood"}')).toBeGreaterThan(0);
    await limited.stop();
  });

  test("handles a connection closed in the middle of a frame", async () => {
    const socket = await openRaw();
    socket.write(Buffer.from([0x81, 0xfe, 0x10]));
    socket.destroy();
    expect(await isHealthy(gateway)).toBe(true);
  });
});

describe("invalid handshakes", () => {
  test.each([
    ["/socket.io/?EIO=4&transport=polling", 400],
    ["/socket.io/?EIO=3&transport=websocket", 400],
    ["/socket.io/?EIO=4&transport=websocket", 400],
    ["/socket.io/?EIO=4&transport=websocket&sid=__proto__", 400],
    ["/socket.io/", 400],
    ["/socket.io/socket.io.js", 400],
  ])("%s returns %i", async (path, status) => {
    expect((await fetch(`${gateway.url}${path}`)).status).toBe(status);
    expect(await isHealthy(gateway)).toBe(true);
  });
});
