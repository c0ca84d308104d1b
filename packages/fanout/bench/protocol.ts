/** Messages between the processes of the benchmark. Times are `process.hrtime` nanoseconds, one clock per machine. */

export const CANDIDATES = {
  "ws send": "bare ws, send() per socket",
  "ws frame": "bare ws, one shared frame written to each TCP socket",
  default: "Socket.IO, its own adapter",
  coalesced: "own adapter, one write per socket and turn, not sliced",
  sliced: "own adapter, one write per socket and turn, 500 sockets per turn: @fanfare/fanout as it comes",
  slim: "the same with slimSocket() and --max-semi-space-size=16",
} as const;

export type Candidate = keyof typeof CANDIDATES;

/** Node options of a candidate's server. */
export const nodeOptions = (candidate: Candidate): string[] =>
  candidate === "slim" ? ["--max-semi-space-size=16"] : [];

export type ToServer = { kind: "broadcast"; messages: number } | { kind: "report" };

export type FromServer =
  | { kind: "listening"; port: number }
  | { kind: "started"; at: string }
  | { kind: "report"; cpuMs: number; longestBlockMs: number; rssBytes: number };

/** `network`: the receivers connect from 127.0.`network`.x. */
export type ToReceiver =
  | { kind: "connect"; port: number; sockets: number; network: number }
  | { kind: "expect"; messages: number };

export type FromReceiver = { kind: "ready" } | { kind: "expecting" } | { kind: "complete"; at: string };

/** A text frame of about 300 bytes, like that of a chat message. */
export const EVENT = "message.created";
export const PAYLOAD = [
  {
    id: "6740b7c2f1d2a90012ab34cd",
    channelId: "6740b7c2f1d2a90012ab0001",
    authorId: "6740b7c2f1d2a90012ab0042",
    seq: 1042,
    rev: 2044,
    content: "The quick brown fox jumps over the lazy dog, and all of the channel gets to read all about it.",
    createdAt: "2026-11-20T12:00:00.000Z",
  },
];
