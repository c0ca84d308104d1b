import type { Dialect } from "../targets/dialect.ts";
import { readCatchUpAnswer, type CatchUpAnswer } from "./catch-up.ts";
import { taggedIndex } from "./message-tag.ts";

/** A text payload from the server, understood. */
export type Packet =
  | { kind: "messages"; indexes: number[]; revs: number[] }
  | { kind: "draining"; withinMs: number }
  | { kind: "answer"; answer: CatchUpAnswer }
  | { kind: "opened" | "joined" | "ping" | "ready" | "resync" | "other" }
  | { kind: "refused" | "closed" | "invalid"; code: string };

const OTHER: Packet = { kind: "other" };

/** Decodes one whole text message: Engine.IO 4 and Socket.IO 5, or a bare JSON array [event, payload]. */
export function decodePacket(text: string, dialect: Dialect, runId: string): Packet {
  if (dialect.transport === "websocket") return decodeEvent(text, dialect, runId);
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

function decodeSocketIo(text: string, dialect: Dialect, runId: string): Packet {
  switch (text[1]) {
    case "0":
      return { kind: "joined" };
    case "1":
      return { kind: "closed", code: "SERVER_DISCONNECT" };
    case "2":
      // An acknowledgement id may stand before the array; the main namespace has no name.
      return decodeEvent(text.slice(Math.max(2, text.indexOf("["))), dialect, runId);
    case "3":
      return decodeAnswer(text.slice(Math.max(2, text.indexOf("["))), runId);
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
  if (!Array.isArray(array) || typeof array[0] !== "string")
    return { kind: "invalid", code: "INVALID_EVENT" };
  const event = dialect.read(array[0], array[1]);
  if (event.kind !== "messages") return event;
  const { contents, revs } = event;
  return { kind: "messages", indexes: contents.map((content) => taggedIndex(runId, content)), revs };
}

/** The answer to a call of ours. */
function decodeAnswer(json: string, runId: string): Packet {
  try {
    const [value] = JSON.parse(json) as unknown[];
    const answer = readCatchUpAnswer(value, runId);
    return answer ? { kind: "answer", answer } : { kind: "invalid", code: "INVALID_ANSWER" };
  } catch {
    return { kind: "invalid", code: "INVALID_JSON" };
  }
}

/** The code in a CONNECT_ERROR: `data.type` as the platform sends it, else its message. */
function refusalCode(json: string): string {
  try {
    const { message, data } = JSON.parse(json) as { message?: unknown; data?: { type?: unknown } };
    if (typeof data?.type === "string") return data.type;
    return typeof message === "string" ? message : "CONNECT_ERROR";
  } catch {
    return "CONNECT_ERROR";
  }
}
