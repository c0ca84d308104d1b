import { Decoder, PacketType } from "socket.io-msgpack-parser";
import type { Dialect, ServerEvent } from "../targets/dialect.ts";
import { readCatchUpAnswer, type CatchUpAnswer } from "./catch-up.ts";
import { taggedIndex } from "./message-tag.ts";

/** A decoded payload from the server. */
export type Packet =
  | { kind: "messages"; indexes: number[]; revs: number[] }
  | { kind: "draining"; withinMs: number }
  | { kind: "answer"; answer: CatchUpAnswer }
  /** The answer to the dialect's `login`; no refusal: granted. */
  | { kind: "login"; refusal: string | undefined }
  | { kind: "opened" | "joined" | "ping" | "ready" | "resync" | "other" }
  | { kind: "refused" | "closed" | "invalid"; code: string };

const OTHER: Packet = { kind: "other" };

/** Decodes a complete text message: Engine.IO 4 and Socket.IO 5, or a bare JSON array [event, payload]. */
export function decodePacket(text: string, dialect: Dialect, runId: string): Packet {
  if (dialect.transport === "websocket") return decodeText(text, dialect, runId);
  switch (text[0]) {
    case "0":
      return { kind: "opened" };
    case "1":
      return { kind: "closed", code: "ENGINE_CLOSE" };
    case "2":
      return { kind: "ping" };
    case "4":
      return decodeSocketIo(text, dialect, runId);
    default:
      return OTHER;
  }
}

function decodeText(text: string, dialect: Dialect, runId: string): Packet {
  if (!dialect.readText) return decodeEvent(text, dialect, runId);
  try {
    return packetOf(dialect.readText(text), runId);
  } catch {
    return { kind: "invalid", code: "INVALID_TEXT" };
  }
}

function decodeSocketIo(text: string, dialect: Dialect, runId: string): Packet {
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

function decodeEvent(json: string, dialect: Dialect, runId: string): Packet {
  let array: unknown;
  try {
    array = JSON.parse(json);
  } catch {
    return { kind: "invalid", code: "INVALID_JSON" };
  }
  return readEvent(array, dialect, runId);
}

function readEvent(array: unknown, dialect: Dialect, runId: string): Packet {
  if (!Array.isArray(array) || typeof array[0] !== "string")
    return { kind: "invalid", code: "INVALID_EVENT" };
  return packetOf(dialect.read(array[0], array[1]), runId);
}

function packetOf(event: ServerEvent, runId: string): Packet {
  if (event.kind !== "messages") return event;
  const { contents, revs } = event;
  return { kind: "messages", indexes: contents.map((content) => taggedIndex(runId, content)), revs };
}

/** The answer to a call of ours. */
function decodeAnswer(json: string, dialect: Dialect, runId: string): Packet {
  try {
    return readAnswer(JSON.parse(json), dialect, runId);
  } catch {
    return { kind: "invalid", code: "INVALID_JSON" };
  }
}

function readAnswer(array: unknown, dialect: Dialect, runId: string): Packet {
  const [value] = array as unknown[];
  if (dialect.login) return { kind: "login", refusal: dialect.login.refusal(value) };
  const answer = readCatchUpAnswer(value, runId);
  return answer ? { kind: "answer", answer } : { kind: "invalid", code: "INVALID_ANSWER" };
}

/** Decodes a complete binary message of a server that uses socket.io-msgpack-parser. */
export function decodeMsgpackPacket(bytes: Buffer, dialect: Dialect, runId: string): Packet {
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
        return readAnswer(packet.data, dialect, runId);
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
