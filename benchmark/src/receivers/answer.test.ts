import { expect, test } from "vitest";
import { readAnswer } from "./packet.ts";

const read = (text: string) => {
  const bytes = Buffer.from(`..${text}..`);
  return readAnswer(bytes, 2, bytes.length - 2);
};

test("a success is recognized by its first bytes, in any field order", () => {
  expect(read('4317[{"ok":true,"data":{"message":{}}}]')).toEqual({ id: 17, ok: true });
  expect(read('4317[{"data":{"message":{}},"ok":true}]')).toEqual({ id: 17, ok: true });
});

test("a rejection is parsed with everything a client needs", () => {
  const error = { type: "OVERLOADED", message: "wait", data: { retryAfterMs: 1000 }, retryable: true };
  expect(read(`430[${JSON.stringify({ ok: false, error })}]`)).toEqual({ id: 0, ok: false, error });
});

test.each(["43[]", "43", "431", '431[{"ok":', '431[{"nothing":true}'])("ignores %s", (text) => {
  expect(read(text)).toBeUndefined();
});
