import { expect, test } from "vitest";
import { unreadReplies } from "./threads-panel.tsx";

test("counts unread replies only in threads that were opened", () => {
  const head = { seq: 7, rev: 9 };
  expect(unreadReplies({ head, lastReadSeq: 5 })).toBe(2);
  expect(unreadReplies({ head, lastReadSeq: 7 })).toBe(0);
  expect(unreadReplies({ head, lastReadSeq: 8 })).toBe(0);
  expect(unreadReplies({ head, lastReadSeq: 0 })).toBe(0);
});
