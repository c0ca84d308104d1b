import type { Call, StoredPolicy } from "@fanfare/contract";
import { expect, test } from "vitest";
import type { Config } from "./config.ts";
import { PolicyCache } from "./instance-policy.ts";

const config = { defaults: { guests: true }, fixed: {} } as unknown as Config["policy"];
const stored = (revision: number, guests: boolean) => ({ revision, values: { guests } }) as StoredPolicy;

test("reads again if events may have been lost during a read", async () => {
  const before = Promise.withResolvers<StoredPolicy>();
  const reads = [before.promise, Promise.resolve(stored(2, false))];
  const cache = new PolicyCache((async () => reads.shift()) as Call, config);
  const pending = cache.get();
  cache.invalidate();
  before.resolve(stored(1, true));
  await pending;
  expect((await cache.get()).guests).toBe(false);
});

test("a reload fails unless the values were read after it was asked for", async () => {
  const before = Promise.withResolvers<StoredPolicy>();
  const reads = [Promise.resolve(stored(1, true)), before.promise, Promise.reject(new Error("gone"))];
  const cache = new PolicyCache((async () => reads.shift() ?? stored(2, false)) as Call, config);
  await cache.get();
  cache.invalidate();
  const pending = cache.get();
  const reload = cache.reload();
  before.resolve(stored(1, true));
  await pending;
  await expect(reload).rejects.toThrow("gone");
  await cache.reload();
  expect((await cache.get()).guests).toBe(false);
});
