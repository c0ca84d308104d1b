import { expect, test } from "vitest";
import { formatPosition, parsePosition, type Position } from "./exports.ts";

const id = "0123456789abcdef01234567";

test.each<Position>([
  { source: "read", at: null },
  { source: "groups", at: `${id}-${id}-${id}` },
  { source: "direct", at: "1-2", channelId: id, nonce: "日本\u0000 '\"" },
])("formats and parses %j", (position) => {
  expect(formatPosition(position)).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(parsePosition(formatPosition(position))).toEqual(position);
});

test.each([
  "",
  "x",
  formatPosition({ source: "elsewhere" as "read", at: null }),
  formatPosition({ source: "read", at: "no id" }),
  formatPosition({ source: "read", at: { $ne: "" } as never }),
  formatPosition({ source: "read", at: null, channelId: id, nonce: { $gt: "" } as never }),
  Buffer.from("null").toString("base64url"),
])("rejects %s", (cursor) => {
  expect(() => parsePosition(cursor)).toThrow(expect.objectContaining({ type: "VALIDATION_FAILED" }));
});
