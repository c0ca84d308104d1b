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
    if (dialect.parser === "msgpack") return decodeMsgpack(frame, dialect, runId);
    return { kind: "invalid", code: "BINARY_MESSAGE" };
  }
  switch (frame[0]) {
    case "0":
      return { kind: "opened" };
    case "1":
      return { kind: "closed", code: "ENGINE_CLOSE" };
    case "2":
      return { kind: "ping" };
    case "4":
      return decodeSocketIo(frame, dialect, runId);
    default:
      return OTHER;
  }
}

/** @param read what the dialect reads itself */
export function readPacket(read: () => Events, runId: string): Packet {
  try {
    return packetOf(read(), runId);
  } catch {
    return { kind: "invalid", code: "INVALID_FRAME" };
  }
}

function decodeSocketIo(text: string, dialect: SocketIoDialect, runId: string): Packet {
  switch (text[1]) {
    case "0":
      return { kind: "joined" };
    case "1":
      return { kind: "closed", code: "SERVER_DISCONNECT" };
    case "2":
      // An acknowledgement id can precede the array; the main namespace has no name.
      return decodeEvent(text.slice(Math.max(2, text.indexOf("["))), dialect, runId);
    case "3":
      return decodeAnswer(text.slice(Math.max(2, text.indexOf("["))), dialect, runId);
    case "4":
      return { kind: "refused", code: refusalCode(text.slice(2)) };
    case "5":
      return { kind: "invalid", code: "BINARY_EVENT" };
    default:
      return OTHER;
  }
}

function decodeEvent(json: string, dialect: SocketIoDialect, runId: string): Packet {
  let array: unknown;
  try {
    array = JSON.parse(json);
  } catch {
    return { kind: "invalid", code: "INVALID_JSON" };
  }
  return readEvent(array, dialect, runId);
}

function readEvent(array: unknown, dialect: SocketIoDialect, runId: string): Packet {
  if (!Array.isArray(array) || typeof array[0] !== "string")
    return { kind: "invalid", code: "INVALID_EVENT" };
  return packetOf(dialect.read(array[0], array[1]), runId);
}

export function packetOf(events: Events, runId: string): Packet {
  if (!isSeveral(events)) return onePacket(events, runId);
  return { kind: "several", packets: events.map((event) => onePacket(event, runId)) };
}

function isSeveral(events: Events): events is readonly ServerEvent[] {
  return Array.isArray(events);
}

function onePacket(event: ServerEvent, runId: string): Packet {
  if (event.kind !== "messages") return event;
  const { contents, revs } = event;
  return { kind: "messages", indexes: contents.map((content) => taggedIndex(runId, content)), revs };
}

/** The answer to a call of ours. */
function decodeAnswer(json: string, dialect: SocketIoDialect, runId: string): Packet {
  try {
    return answerPacket(JSON.parse(json), dialect, runId);
  } catch {
    return { kind: "invalid", code: "INVALID_JSON" };
  }
}

function answerPacket(array: unknown, dialect: SocketIoDialect, runId: string): Packet {
  const [value] = array as unknown[];
  if (dialect.hello) return packetOf(dialect.read(dialect.hello.event, value), runId);
  const answer = readCatchUpAnswer(value, runId);
  return answer ? { kind: "answer", answer } : { kind: "invalid", code: "INVALID_ANSWER" };
}

function decodeMsgpack(bytes: Buffer, dialect: SocketIoDialect, runId: string): Packet {
  let packet: { type: PacketType; data?: unknown } | undefined;
  try {
    const decoder = new Decoder();
    decoder.on("decoded", (decoded) => (packet = decoded as typeof packet));
    decoder.add(bytes);
    switch (packet?.type) {
      case PacketType.CONNECT:
        return { kind: "joined" };
      case PacketType.DISCONNECT:
        return { kind: "closed", code: "SERVER_DISCONNECT" };
      case PacketType.EVENT:
        return readEvent(packet.data, dialect, runId);
      case PacketType.ACK:
        return answerPacket(packet.data, dialect, runId);
      case PacketType.CONNECT_ERROR:
        return { kind: "refused", code: readRefusal(packet.data) };
      default:
        return OTHER;
    }
  } catch {
    return { kind: "invalid", code: "INVALID_MSGPACK" };
  }
}

/** The code in a CONNECT_ERROR: `data.type` as the platform sends it, else its message. */
function refusalCode(json: string): string {
  try {
    return readRefusal(JSON.parse(json));
  } catch {
    return "CONNECT_ERROR";
  }
}

function readRefusal(error: unknown): string {
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
