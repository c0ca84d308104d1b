import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toExportError } from "./convert.ts";
import type { ImportRefusedError } from "./import-steps.ts";
import { assertFreeSpace, InvalidExportError, jsonItems } from "./inputs.ts";

/** The text in parts of a few bytes each. */
async function* inParts(text: string, bytes: number): AsyncGenerator<Uint8Array> {
  const whole = Buffer.from(text);
  for (let at = 0; at < whole.length; at += bytes) yield whole.subarray(at, at + bytes);
}
const itemsOf = (text: string, property: string | null = null, bytes = 3) =>
  Array.fromAsync(jsonItems(inParts(text, bytes), property));

const items = [{ a: '"],{\\' }, [1, [2]], "é\u2028,]", null, 7, { messages: [1] }];

test.each([1, 2, 3, 7, 1000])("reads the items of a list from parts of %i bytes", async (bytes) => {
  expect(await itemsOf(JSON.stringify(items), null, bytes)).toEqual(items);
  expect(await itemsOf(`\uFEFF\n ${JSON.stringify(items, null, 2)}\n`, null, bytes)).toEqual(items);
});

test("reads a list of an object, after what is before it", async () => {
  const head = { list: [{ messages: [] }], deep: { messages: [8], text: '"messages":[' } };
  const text = JSON.stringify({ ...head, messages: items, messageCount: 6 }, null, 1);
  expect(await itemsOf(text, "messages")).toEqual([{ ...head, messages: null }, ...items]);
});

test.each([
  ["[1, 2", "cut off"],
  ["", "not a list"],
  ['{"a": [1]}', "not a list"],
  ["[1, x]", "not valid JSON"],
  ["[1}", "not valid JSON"],
])("refuses %j", async (text, reason) => {
  await expect(itemsOf(text)).rejects.toThrow(reason);
});

test("the free space of a folder is known before it exists, or the one that it is in", async () => {
  const folder = join(tmpdir(), "fanfare-missing", "files", "uploads");
  await assertFreeSpace(folder, 1);
  const failure = { code: "noSpace" };
  await expect(assertFreeSpace(folder, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({ failure });
});

test("names in the details of a failure are short, and without control characters", () => {
  const names = `a\u001b[31m${"b".repeat(10_000)}`;
  const { failure } = toExportError(
    new InvalidExportError("it has several teams", { code: "chooseTeam", details: { names } }),
  ) as ImportRefusedError;
  expect(failure.details!["names"]).toBe(`a\ufffd[31m${"b".repeat(294)}`);
});
