import { expect, onTestFinished, test } from "vitest";
import { connectOwnDatabase } from "../../../test/support/database.ts";
import { createValueRepository } from "../src/value.repository.ts";

test("pages of values fit in a message, and lead to all of them", async () => {
  const { connection, close } = await connectOwnDatabase();
  onTestFinished(close);
  const values = createValueRepository(connection);
  const keys = Array.from({ length: 80 }, (_, index) => `note:${String(index).padStart(3, "0")}`);
  await connection
    .collection<{ _id: string }>("pluginValues")
    .insertMany(keys.map((key) => ({ _id: key, plugin: "notes", key, value: "x".repeat(16_000) })));
  const listed: string[] = [];
  let page = await values.list("notes", "note:");
  while (page.length > 0) {
    expect(JSON.stringify(page).length).toBeLessThan(600_000);
    listed.push(...page.map(({ key }) => key));
    page = await values.list("notes", "note:", listed.at(-1));
  }
  expect(listed).toEqual(keys);
});
