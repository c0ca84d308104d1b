import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBatcher } from "./database.ts";

function recorded() {
  const runs: { key: string; args: number[]; end: (error?: Error) => void }[] = [];
  const ask = createBatcher<number, string>(
    (key, args) =>
      new Promise((resolve, reject) => {
        runs.push({
          key,
          args,
          end: (error) => (error === undefined ? resolve(`${key}:${args.join()}`) : reject(error)),
        });
      }),
  );
  return { runs, ask };
}

test("runs a single call immediately and batches concurrent ones", async () => {
  const { runs, ask } = recorded();
  const answers = [ask("a", 1), ask("a", 2), ask("a", 3), ask("b", 4)];
  expect(runs.map(({ key, args }) => [key, args])).toEqual([
    ["a", [1]],
    ["b", [4]],
  ]);
  runs[0]?.end();
  expect(await answers[0]).toBe("a:1");
  await setImmediate();
  runs[2]?.end();
  runs[1]?.end();
  expect(await Promise.all(answers)).toEqual(["a:1", "a:2,3", "a:2,3", "b:4"]);
});

test("a failed run rejects only its own callers", async () => {
  const { runs, ask } = recorded();
  const answers = [ask("a", 1), ask("a", 2)];
  runs[0]?.end(new Error("no"));
  await expect(answers[0]).rejects.toThrow("no");
  await setImmediate();
  runs[1]?.end();
  expect(await answers[1]).toBe("a:2");
  await setImmediate();
  void ask("a", 3);
  expect(runs[2]?.args).toEqual([3]);
});

test("delays the next batch by crowdMs when calls are waiting", async () => {
  const runs: number[][] = [];
  const ask = createBatcher(async (_key, args: number[]) => runs.push(args), { crowdMs: 200 });
  const first = [ask("a", 1), ask("a", 2)];
  await first[0];
  await setImmediate();
  const more = [ask("a", 3), ask("a", 4)];
  await Promise.all([...first, ...more]);
  await setImmediate();
  await ask("a", 5);
  expect(runs).toEqual([[1], [2, 3, 4], [5]]);
});

test("limits the size of a batch", async () => {
  const { runs, ask } = recorded();
  const answers = Array.from({ length: 1001 }, (_, index) => ask("a", index));
  for (const [index, size] of [1, 500, 500].entries()) {
    expect(runs[index]?.args.length).toBe(size);
    runs[index]?.end();
    await answers[[0, 1, 501][index]!];
    await setImmediate();
  }
  await Promise.all(answers);
});
