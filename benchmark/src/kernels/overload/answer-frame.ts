import type { WireError } from "@fanfare/contract";

const DIGIT_0 = 48;
const DIGIT_9 = 57;
const OK = Buffer.from('[{"ok":true,');

/** The answer to a call, as far as a sender needs it. */
export type Answer =
  | { id: number; ok: true }
  | { id: number; ok: false; error: Pick<WireError, "type" | "retryable" | "data"> };

/**
 * Reads a Socket.IO acknowledgement, `43<id>[{"ok":…}]`. The result of a success is not decoded, because a
 * sender of many messages only counts them.
 * @returns undefined if it is something else
 */
export function readAnswer(bytes: Buffer, start: number, end: number): Answer | undefined {
  let at = start + 2;
  let id = 0;
  for (; at < end && bytes[at]! >= DIGIT_0 && bytes[at]! <= DIGIT_9; at++)
    id = id * 10 + bytes[at]! - DIGIT_0;
  if (at === start + 2 || at + OK.length > end) return undefined;
  if (bytes.compare(OK, 0, OK.length, at, at + OK.length) === 0) return { id, ok: true };
  try {
    const [answer] = JSON.parse(bytes.toString("utf8", at, end)) as [{ ok: boolean; error: WireError }];
    return answer.ok ? { id, ok: true } : { id, ok: false, error: answer.error };
  } catch {
    return undefined;
  }
}
