import type { Message, MessageExcerpt } from "@fanfare/contract";
import { expect, test } from "vitest";
import { withNeighbors } from "./search-results.tsx";

const message = (seq: number, channelId = "c") => ({ id: `${channelId}${seq}`, channelId, seq }) as Message;
const excerpt = (seq: number) => message(seq) as MessageExcerpt;

/** The ids of each result with its neighbors, where every message of the channel exists. */
function shown(...messages: Message[]) {
  const context = messages.map(({ id, seq }) => ({
    messageId: id,
    before: excerpt(seq - 1),
    after: excerpt(seq + 1),
  }));
  return withNeighbors(messages, context).map((one) => [one.before?.id, one.message.id, one.after?.id]);
}

test("no message is shown twice in neighboring results", () => {
  expect(shown(message(9), message(5))).toEqual([
    ["c8", "c9", "c10"],
    ["c4", "c5", "c6"],
  ]);
  expect(shown(message(9), message(8))).toEqual([
    [undefined, "c9", "c10"],
    ["c7", "c8", undefined],
  ]);
  expect(shown(message(9), message(7))).toEqual([
    ["c8", "c9", "c10"],
    ["c6", "c7", undefined],
  ]);
});

test("a result further down is also shown as a neighbor, and one without context stands alone", () => {
  expect(shown(message(9), message(3, "d"), message(8))[0]).toEqual(["c8", "c9", "c10"]);
  expect(withNeighbors([message(1)], [])).toEqual([{ message: message(1), before: null, after: null }]);
});
