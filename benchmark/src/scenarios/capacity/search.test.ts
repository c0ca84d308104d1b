import { describe, expect, test } from "vitest";
import { Search, type Attempt } from "./search.ts";

/** A simulated server: the time per message and member, and its failures. */
interface Model {
  msPerMember: number;
  /** From this many members on, one doesn't get the message. */
  losesFrom?: number;
  /** Factors that lengthen attempts, used in turn. */
  noise?: readonly number[];
  /** From this many members on, connections are refused. */
  refusesFrom?: number;
}

const LIMIT_MS = 200;

function attempts({ msPerMember, losesFrom = Infinity, refusesFrom = Infinity, noise = [1] }: Model) {
  let count = 0;
  return (value: number): Promise<Attempt> => {
    const ms = value * msPerMember * noise[count++ % noise.length]!;
    const isFinal = value >= refusesFrom;
    return Promise.resolve({ value, held: !isFinal && ms <= LIMIT_MS && value < losesFrom, isFinal });
  };
}

async function search(model: Model, { from = 100, atMost = 1_000_000, precision = 1.1 } = {}) {
  const found = new Search({ from, atMost, precision, attempt: attempts(model) });
  await found.run();
  return {
    held: found.held?.value ?? null,
    failed: found.failed?.value ?? null,
    tried: found.attempts.map(({ value }) => value),
  };
}

describe("a server with constant speed", () => {
  test.each([0.01, 0.016, 0.13, 1.9, 7, 150])("takes %d ms per member", async (msPerMember) => {
    const capacity = Math.floor(LIMIT_MS / msPerMember);
    const { held, failed, tried } = await search({ msPerMember });
    expect(held).toBeLessThanOrEqual(capacity);
    expect(failed).toBeGreaterThan(capacity);
    expect(failed! <= held! * 1.1 || failed === held! + 1).toBe(true);
    // Doubling and bisecting, not stepping.
    expect(tried.length).toBeLessThan(30);
  });

  test("is searched exactly if requested", async () => {
    expect(await search({ msPerMember: 0.13 }, { precision: 1 })).toMatchObject({ held: 1538, failed: 1539 });
  });

  test("has message loss as a limit too", async () => {
    expect(await search({ msPerMember: 0.01, losesFrom: 777 }, { precision: 1 })).toMatchObject({
      held: 776,
      failed: 777,
    });
  });

  test("can hold nothing at all", async () => {
    expect(await search({ msPerMember: 1000 })).toMatchObject({ held: null, failed: 1 });
  });

  test("can hold more than the upper bound", async () => {
    expect(await search({ msPerMember: 0.01 }, { atMost: 1500 })).toEqual({
      held: 1500,
      failed: null,
      tried: [100, 200, 400, 800, 1500, 1500],
    });
  });
});

describe("a machine with noise", () => {
  test("one bad attempt in three is no limit", async () => {
    const { held, failed } = await search({ msPerMember: 0.1, noise: [1, 1, 30] });
    expect(held).toBeGreaterThan(2000 / 1.1);
    expect(failed).toBeLessThan(2000 * 1.1);
  });

  test("a value that passed by luck is revoked, and the search continues below", async () => {
    // The first time, 800 members take half of their time; 400 and fewer are constant.
    const values: number[] = [];
    const lucky = async (value: number): Promise<Attempt> => {
      values.push(value);
      const isLucky = value === 800 && values.filter((v) => v === 800).length === 1;
      return { value, held: value <= 500 || isLucky, isFinal: false };
    };
    const found = new Search({ from: 100, atMost: 1600, precision: 1.1, attempt: lucky });
    await found.run();
    expect(found.held?.value).toBeGreaterThan(500 / 1.1);
    expect(found.held?.value).toBeLessThanOrEqual(500);
    expect(found.failed?.value).toBeLessThanOrEqual(551);
  });
});

test("a final failure is not retried", async () => {
  const { tried } = await search({ msPerMember: 0.01, refusesFrom: 1000 });
  expect(tried.filter((value) => value === 1600)).toHaveLength(1);
});

test("an interrupted search keeps what it found", async () => {
  let left = 5;
  const model = attempts({ msPerMember: 0.1 });
  const found = new Search({
    from: 100,
    atMost: 10_000,
    precision: 1.1,
    attempt: (value) => (left-- > 0 ? model(value) : Promise.reject(new Error("interrupted"))),
  });
  await expect(found.run()).rejects.toThrow("interrupted");
  expect(found.held?.value).toBe(1600);
  expect(found.attempts).toHaveLength(5);
});
