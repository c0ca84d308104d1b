import { connect, type Socket } from "node:net";
import { clientFrame, FrameParser, Opcode } from "../src/frames.ts";
import type { FromReceiver, ToReceiver } from "./protocol.ts";

/** Lightweight receivers: plain TCP sockets that share one buffer and only count frames. */

const SOCKETS_PER_SOURCE = 5000;
const CONNECTING_AT_ONCE = 200;
const NAP_MS = 1;

const [OPEN, MESSAGE, PING] = ["0", "4", "2"].map((type) => type.charCodeAt(0));
const [CONNECT, EVENT] = ["0", "2"].map((type) => type.charCodeAt(0));

const send = (message: FromReceiver): void => void process.send!(message);

const CONNECT_FRAME = clientFrame(Opcode.text, Buffer.from("40"));
const PONG_FRAME = clientFrame(Opcode.text, Buffer.from("3"));

const shared = Buffer.allocUnsafe(256 * 1024);
const napping = new Int32Array(new SharedArrayBuffer(4));
const sockets: Socket[] = [];
let outstanding = 0;
let expecting = false;

function countEvent(): void {
  if (--outstanding > 0) return;
  expecting = false;
  send({ kind: "complete", at: String(process.hrtime.bigint()) });
}

/** Reads in batches, because remote receivers wouldn't use the server's CPU for every frame. */
function nap(): void {
  if (!expecting) return;
  Atomics.wait(napping, 0, 0, NAP_MS);
  setImmediate(nap);
}

function open(port: number, network: number, index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let upgraded = false;
    const parser = new FrameParser();
    const onMessage = (_opcode: number, bytes: Buffer, at: number): void => {
      const [first, second] = [bytes[at], bytes[at + 1]];
      if (first === MESSAGE && second === EVENT) countEvent();
      else if (first === MESSAGE && second === CONNECT) resolve();
      else if (first === OPEN) socket.write(CONNECT_FRAME);
      else if (first === PING) socket.write(PONG_FRAME);
    };
    const onData = (length: number): void => {
      let start = 0;
      if (!upgraded) {
        // The upgrade response is short enough to arrive in one chunk.
        start = shared.indexOf("\r\n\r\n") + 4;
        if (start < 4 || start > length) reject(new Error("no upgrade response"));
        upgraded = true;
        if (shared.subarray(0, start).includes("X-Bare: 1")) resolve();
      }
      parser.push(shared, start, length, onMessage);
    };
    const socket = connect({
      port,
      host: "127.0.0.1",
      localAddress: `127.0.${network}.${2 + Math.floor(index / SOCKETS_PER_SOURCE)}`,
      onread: { buffer: shared, callback: (length) => (onData(length), true) },
    });
    socket.once("error", reject);
    socket.once("close", () => process.exit(1));
    socket.write(
      `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\n` +
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    sockets.push(socket);
  });
}

async function openAll(port: number, network: number, count: number): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await open(port, network, next++);
  };
  await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, worker));
}

process.on("message", (message: ToReceiver) => {
  if (message.kind === "connect") {
    void openAll(message.port, message.network, message.sockets).then(() => send({ kind: "ready" }));
  } else {
    outstanding = message.messages * sockets.length;
    expecting = true;
    setImmediate(nap);
    send({ kind: "expecting" });
  }
});
process.on("disconnect", () => process.exit());
