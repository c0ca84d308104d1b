import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SortedItems } from "./temporary-lines.ts";

test("sorts more than it holds in memory", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-sorted-"));
  try {
    const items = new SortedItems(folder);
    const padding = "x".repeat(1024 * 1024);
    const numbers = Array.from({ length: 80 }, (_, n) => String((n * 37) % 80).padStart(3, "0"));
    for (const number of numbers) await items.add(number, `${number}\u2028${padding}`);
    expect((await readdir(folder)).length).toBe(2);
    const read: string[] = [];
    for await (const text of items.read()) read.push(text.slice(0, 4));
    expect(read).toEqual(numbers.toSorted().map((number) => `${number}\u2028`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
