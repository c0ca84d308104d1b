import type { WireError } from "@fanfare/contract";
import { clientFrame, Opcode } from "@fanfare/fanout/frames";
import { Decoder, Encoder, PacketType } from "socket.io-msgpack-parser";
import type {
  Dialect,
  Events,
  Frame,
  LongPollDialect,
  PollRequest,
  ServerEvent,
  SocketIoDialect,
} from "../targets/plugin.ts";
import { readCatchUpAnswer, type CatchUpAnswer } from "./catch-up.ts";
import { taggedIndex } from "./message-tag.ts";
import type { ReceiverObserver } from "./receiver.ts";

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

/** A decoded payload from the server. */
export type Packet =
  | { kind: "messages"; indexes: number[]; revs: number[] }
  | { kind: "draining"; withinMs: number }
  | { kind: "answer"; answer: CatchUpAnswer }
  | { kind: "send"; frame: Frame }
  | { kind: "poll"; request: PollRequest }
  | { kind: "several"; packets: Packet[] }
  | { kind: "opened" | "joined" | "ping" | "ready" | "resync" | "other" }
  | { kind: "refused" | "closed" | "invalid"; code: string };

const OTHER: Packet = { kind: "other" };

/** Decodes a complete message: Engine.IO 4 and Socket.IO 5 as text, or what the dialect reads itself. */
export function decodePacket(
  frame: string | Buffer,
  dialect: Exclude<Dialect, LongPollDialect>,
  runId: string,
  credential: string | null = null,
): Packet {
  if (dialect.transport === "websocket") return readPacket(() => dialect.read(frame, credential), runId);
  if (typeof frame !== "string") {
    if (dialect.parser !== "msgpack") return { kind: "invalid", code: "BINARY_MESSAGE" };
    return unlessInvalid("INVALID_MSGPACK", () => {
      const { type, data } = decodeMsgpack(frame);
      return socketIoPacket(String(type), () => data, dialect, runId);
    });
  }
  switch (frame[0]) {
    case "0":
      return { kind: "opened" };
    case "1":
      return { kind: "closed", code: "ENGINE_CLOSE" };
    case "2":
      return { kind: "ping" };
    case "4": {
      // An acknowledgement id can precede the data; the main namespace has no name.
      const data = (): unknown => JSON.parse(frame.slice(frame.search(/\D/)));
      return unlessInvalid("INVALID_JSON", () => socketIoPacket(frame[1], data, dialect, runId));
    }
    default:
      return OTHER;
  }
}

/** @param read what the dialect reads itself */
export function readPacket(read: () => Events, runId: string): Packet {
  return unlessInvalid("INVALID_FRAME", () => packetOf(read(), runId));
}

function unlessInvalid(code: string, decode: () => Packet): Packet {
  try {
    return decode();
  } catch {
    return { kind: "invalid", code };
  }
}

/**
 * @param type the number of its type in either format
 * @param data what it contains
 */
function socketIoPacket(
  type: string | undefined,
  data: () => unknown,
  dialect: SocketIoDialect,
  runId: string,
): Packet {
  switch (type) {
    case "0":
      return { kind: "joined" };
    case "1":
      return { kind: "closed", code: "SERVER_DISCONNECT" };
    case "2": {
      const [event, payload] = asArray(data());
      if (typeof event !== "string") return { kind: "invalid", code: "INVALID_EVENT" };
      return packetOf(dialect.read(event, payload), runId);
    }
    case "3": {
      const [value] = asArray(data());
      if (dialect.hello) return packetOf(dialect.read(dialect.hello.event, value), runId);
      const answer = readCatchUpAnswer(value, runId);
      return answer ? { kind: "answer", answer } : { kind: "invalid", code: "INVALID_ANSWER" };
    }
    case "4":
      return { kind: "refused", code: refusalCode(data()) };
    case "5":
      return { kind: "invalid", code: "BINARY_EVENT" };
    default:
      return OTHER;
  }
}

const asArray = (data: unknown): readonly unknown[] => (Array.isArray(data) ? data : []);

export function packetOf(events: Events, runId: string): Packet {
  if ("kind" in events) return onePacket(events, runId);
  return { kind: "several", packets: events.map((event) => onePacket(event, runId)) };
}

function onePacket(event: ServerEvent, runId: string): Packet {
  if (event.kind !== "messages") return event;
  const { contents, revs } = event;
  return { kind: "messages", indexes: contents.map((content) => taggedIndex(runId, content)), revs };
}

/** @throws {Error} if it is incomplete */
function decodeMsgpack(bytes: Buffer): { type: PacketType; data?: unknown } {
  const decoder = new Decoder();
  let packet: unknown;
  decoder.on("decoded", (decoded) => (packet = decoded));
  decoder.add(bytes);
  return packet as { type: PacketType; data?: unknown };
}

/** The code in a CONNECT_ERROR: `data.type` as the platform sends it, else its message. */
function refusalCode(error: unknown): string {
  const { message, data } = (error ?? {}) as { message?: unknown; data?: { type?: unknown } };
  if (typeof data?.type === "string") return data.type;
  return typeof message === "string" ? message : "CONNECT_ERROR";
}

/** The answer to a call, as far as a sender needs it. */
export type Answer =
  | { id: number; ok: true }
  | { id: number; ok: false; error: Pick<WireError, "type" | "retryable" | "data"> };

const DIGIT = { zero: 0x30, nine: 0x39, message: 0x34 } as const;
/** The kinds of a Socket.IO packet in an Engine.IO message. */
export const PacketKind = { event: 0x32, acknowledgement: 0x33 } as const;
const OK = Buffer.from('[{"ok":true,');

/** undefined: it is no message. */
export function packetKind(bytes: Buffer, start: number): number | undefined {
  return bytes[start] === DIGIT.message ? bytes[start + 1] : undefined;
}

/**
 * Reads a Socket.IO acknowledgement, `43<id>[{"ok":…}]`. The result of a success is not decoded, because a
 * sender of many messages only counts them.
 * @returns undefined if it is something else
 */
export function readAnswer(bytes: Buffer, start: number, end: number): Answer | undefined {
  let at = start + 2;
  let id = 0;
  for (; at < end && bytes[at]! >= DIGIT.zero && bytes[at]! <= DIGIT.nine; at++)
    id = id * 10 + bytes[at]! - DIGIT.zero;
  if (at === start + 2 || at + OK.length > end) return undefined;
  if (bytes.compare(OK, 0, OK.length, at, at + OK.length) === 0) return { id, ok: true };
  try {
    const [answer] = JSON.parse(bytes.toString("utf8", at, end)) as [{ ok: boolean; error: WireError }];
    return answer.ok ? { id, ok: true } : { id, ok: false, error: answer.error };
  } catch {
    return undefined;
  }
}

/** What a receiver does with its connection. */
interface Obeying {
  end(code: string): void;
  send?(frame: Frame): void;
  poll?(request: PollRequest): void;
}

/** Passes on what was received. */
export function obey(
  packet: Packet,
  receiver: number,
  observer: ReceiverObserver,
  connection: Obeying,
): void {
  switch (packet.kind) {
    case "several":
      for (const each of packet.packets) obey(each, receiver, observer, connection);
      break;
    case "messages":
      observer.messages?.(receiver, packet.indexes, "event", packet.revs);
      break;
    case "ready":
      observer.online(receiver);
      break;
    case "resync":
      observer.resync?.(receiver);
      break;
    case "draining":
      observer.draining?.(receiver, packet.withinMs);
      break;
    case "send":
      connection.send?.(packet.frame);
      break;
    case "poll":
      connection.poll?.(packet.request);
      break;
    case "refused":
    case "closed":
    case "invalid":
      connection.end(packet.code);
      break;
    default:
  }
}
