import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBatcher } from "./batcher.ts";
import { currentScope, runForRequest } from "./request-scope.ts";

const nextTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

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

test("batches the calls of one turn, and those made while a batch is running", async () => {
  const { runs, ask } = recorded();
  const first = [ask("a", 1), ask("b", 2), Promise.resolve().then(() => ask("a", 3))];
  expect(runs).toEqual([]);
  await setImmediate();
  const second = [ask("a", 4), ask("a", 5)];
  await setImmediate();
  expect(runs.map(({ key, args }) => [key, args])).toEqual([
    ["a", [1, 3]],
    ["b", [2]],
  ]);
  runs[0]?.end();
  expect(await first[0]).toBe("a:1,3");
  await setImmediate();
  runs[2]?.end();
  runs[1]?.end();
  expect(await Promise.all([...first, ...second])).toEqual(["a:1,3", "b:2", "a:1,3", "a:4,5", "a:4,5"]);
});

test("a batch has the latest deadline of its callers, and none if one of them has none", async () => {
  const deadlines: (number | undefined)[] = [];
  const ask = createBatcher(async (_key, _args: number[]) => {
    deadlines.push(currentScope()?.deadline?.atMs);
  });
  const until = (atMs: number): Promise<void> =>
    runForRequest("r", "a", (value) => ask("a", value), atMs, { atMs, isAnswered: false });
  await Promise.all([until(1), until(3), until(2)]);
  await Promise.all([until(1), runForRequest("r", "a", (value) => ask("a", value), 0), until(2)]);
  expect(deadlines).toEqual([3, undefined]);
});

test("a failed run rejects only its own callers", async () => {
  const { runs, ask } = recorded();
  const failed = ask("a", 1);
  await setImmediate();
  const next = ask("a", 2);
  runs[0]?.end(new Error("no"));
  await expect(failed).rejects.toThrow("no");
  await setImmediate();
  runs[1]?.end();
  expect(await next).toBe("a:2");
  void ask("a", 3);
  await setImmediate();
  expect(runs[2]?.args).toEqual([3]);
});

test("delays the next batch by crowdMs when calls are waiting", async () => {
  const runs: number[][] = [];
  const ask = createBatcher(
    async (_key, args: number[]) => {
      runs.push(args);
      await setImmediate();
    },
    { crowdMs: 200 },
  );
  const first = ask("a", 1);
  await nextTick();
  const second = ask("a", 2);
  await first;
  const more = [ask("a", 3), ask("a", 4)];
  await Promise.all([second, ...more]);
  await ask("a", 5);
  expect(runs).toEqual([[1], [2, 3, 4], [5]]);
});

test("limits the size of a batch", async () => {
  const { runs, ask } = recorded();
  const answers = Array.from({ length: 1001 }, (_, index) => ask("a", index));
  for (const [index, size] of [500, 500, 1].entries()) {
    await setImmediate();
    expect(runs[index]?.args.length).toBe(size);
    runs[index]?.end();
    await answers[500 * index];
  }
  await Promise.all(answers);
});
