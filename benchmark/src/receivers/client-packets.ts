import { Encoder, PacketType } from "socket.io-msgpack-parser";
import { clientFrame, Opcode } from "@fanfare/fanout/frames";
import type { SocketIoDialect } from "../targets/plugin.ts";

/** The id of a connection's only call. The same for all, so that equal answers have equal bytes. */
const CALL_ID = 0;

/** A Socket.IO client's CONNECT, as a frame. */
export function connectFrame(dialect: SocketIoDialect, credential: string | null): Buffer {
  const auth = credential === null ? undefined : { token: credential };
  if (dialect.parser === "msgpack") return msgpackFrame({ type: PacketType.CONNECT, data: auth });
  return textFrame(`40${auth === undefined ? "" : JSON.stringify(auth)}`);
}

/** A call with an acknowledgement, as a frame. */
export function callFrame(
  dialect: SocketIoDialect,
  { event, payload }: { event: string; payload: unknown },
): Buffer {
  const data = [event, payload];
  if (dialect.parser === "msgpack") return msgpackFrame({ type: PacketType.EVENT, id: CALL_ID, data });
  return textFrame(`42${CALL_ID}${JSON.stringify(data)}`);
}

function textFrame(text: string): Buffer {
  return clientFrame(Opcode.text, Buffer.from(text));
}

function msgpackFrame(packet: { type: PacketType; id?: number; data: unknown }): Buffer {
  // An array of one, despite its types.
  const [bytes] = new Encoder().encode({ ...packet, nsp: "/" }) as unknown as [Uint8Array];
  return clientFrame(Opcode.binary, Buffer.from(bytes));
}
