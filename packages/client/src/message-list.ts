import type { Head, Message } from "@fanfare/contract";

/**
 * `existing` with `incoming` inserted, ordered by seq. Of two versions of a message, the one with the higher
 * rev is kept. Returns `existing` itself if nothing changed.
 */
export function insertMessages(
  existing: readonly Message[],
  incoming: readonly Message[],
): readonly Message[] {
  let result: Message[] | undefined;
  for (const message of incoming) {
    const list = result ?? existing;
    const index = placeOf(list, message.seq);
    const present = list[index];
    if (present?.seq === message.seq) {
      if (present.rev >= message.rev) continue;
      result ??= [...existing];
      result[index] = message;
    } else {
      result ??= [...existing];
      result.splice(index, 0, message);
    }
  }
  return result ?? existing;
}

export function messageAt(messages: readonly Message[], seq: number): Message | undefined {
  const message = messages[placeOf(messages, seq)];
  return message?.seq === seq ? message : undefined;
}

/** The index of the first message whose seq is not below `seq`. Most messages are appended, so the end is checked first. */
function placeOf(messages: readonly Message[], seq: number): number {
  const last = messages.at(-1);
  if (last === undefined || last.seq < seq) return messages.length;
  let low = 0;
  let high = messages.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (messages[middle]!.seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The maximum of each number. */
export function newest(a: Head, b: Head): Head {
  return { seq: Math.max(a.seq, b.seq), rev: Math.max(a.rev, b.rev) };
}
