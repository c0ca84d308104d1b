import { afterEach, describe, expect, test } from "vitest";
import { startFakePlatform, type FakePlatform, type FaultPlan } from "./fake-platform.ts";
import { expectedRounds, faultsOf } from "./fault-model.ts";
import { measure } from "./measure.ts";

let platform: FakePlatform;
afterEach(() => platform.close());

async function measured(faults: FaultPlan, plan: Parameters<typeof measure>[0] = {}) {
  platform = await startFakePlatform(faults);
  return measure(plan, { url: platform.url });
}

const KINDS = [
  { kind: "light", probes: 0 },
  { kind: "light", probes: 5 },
  { kind: "official", probes: 0, workers: 2 },
] as const;

/** The short run has one kind in each thread, and the mixture of all faults for both together. */
const inShortRun = ({ probes }: (typeof KINDS)[number]) => ({ tags: probes === 0 ? [] : ["long"] });

for (const client of KINDS)
  describe(`a faulty server, with ${JSON.stringify(client)}`, inShortRun(client), () => {
    test("without faults, nothing is reported", async () => {
      const { counts, cold, rounds, errors } = await measured(() => undefined, client);
      expect(counts).toMatchObject({ sent: 4, acknowledged: 4, stored: 4, expected: 160, received: 160 });
      expect(counts).toMatchObject({
        lost: 0,
        duplicates: 0,
        outOfOrder: 0,
        foreign: 0,
        dropped: 0,
        resyncs: 0,
      });
      expect(rounds.map(({ kind, received }) => [kind, received])).toEqual([
        ["cold", 40],
        ["warm", 40],
        ["warm", 40],
        ["warm", 40],
      ]);
      expect(cold?.p100Ms).toBeGreaterThan(0);
      expect(errors).toEqual([]);
    });

    test("a changed, truncated or padded text counts as corrupted, not as received", async () => {
      const changes = [
        (content: string) => content.replace(/.$/, "-"),
        (content: string) => content.slice(0, -1),
        (content: string) => content.slice(0, 20),
        (content: string) => `${content} `,
        (content: string) => content.replace(/(bench \S+) 1/, "$1 2"),
      ];
      const { counts, rounds } = await measured((member, message) => {
        const content = message === 1 ? changes[member] : undefined;
        return content && { content };
      }, client);
      expect(counts).toMatchObject({ received: 155, lost: 5, corrupted: 5, duplicates: 0, foreign: 0 });
      expect(rounds.map(({ p100Ms }) => p100Ms === null)).toEqual([false, true, false, false]);
    });

    test("a message stored with another text is not stored", async () => {
      platform = await startFakePlatform();
      platform.storedAs = (content) => [content.replace(/z/, "y")];
      const { counts } = await measure(client, { url: platform.url });
      expect(counts).toMatchObject({ acknowledged: 4, stored: 0, received: 160 });
    });

    test("dropped messages count as lost, and a message that did not reach every member has no p100", async () => {
      const dropped = [
        [3, 1],
        [38, 1],
        [39, 3],
      ];
      const { counts, rounds, warm } = await measured(
        (member, message) => (dropped.some(([m, i]) => m === member && i === message) ? "drop" : undefined),
        client,
      );
      expect(counts).toMatchObject({
        acknowledged: 4,
        stored: 4,
        received: 157,
        lost: 3,
        duplicates: 0,
        outOfOrder: 0,
      });
      expect(rounds.map((round) => round.lost)).toEqual([0, 2, 0, 1]);
      expect(rounds.map((round) => round.p100Ms === null)).toEqual([false, true, false, true]);
      // Nor has the headline one, though the other warm message is complete; of 120 deliveries 117 arrived.
      expect(warm.p100Ms).toBeNull();
      expect(warm.latencyMs).toMatchObject({ p95: expect.any(Number), p99: null, p100: null });
      expect(rounds[1]!.latencyMs).toMatchObject({ p90: expect.any(Number), p99: null, p100: null });
    });

    test("duplicates are counted, and not as deliveries", async () => {
      const { counts, rounds } = await measured(
        (member, message) => (message === 2 && member % 10 === 0 ? "duplicate" : undefined),
        client,
      );
      expect(counts).toMatchObject({ received: 160, lost: 0, duplicates: 4, outOfOrder: 0 });
      expect(rounds.map((round) => round.duplicates)).toEqual([0, 0, 4, 0]);
    });

    test("reordered messages are out of order", async () => {
      const { counts, bursts } = await measured(
        (member, message) => (message === 5 && member >= 37 ? "hold until the next" : undefined),
        { ...client, bursts: [4] },
      );
      expect(counts).toMatchObject({ sent: 8, received: 320, lost: 0, duplicates: 0, outOfOrder: 3 });
      expect(bursts).toMatchObject([{ messages: 4, acknowledged: 4, received: 160, lost: 0, outOfOrder: 3 }]);
    });

    for (const seed of [1, 2])
      test(
        `any mixture of these is detected, message by message (${seed})`,
        { tags: seed === 1 ? [] : "long" },
        async () => {
          const plan = { ...client, messages: 11, timeoutMs: 150 };
          const faults = faultsOf(seed);
          const { counts, rounds } = await measured(faults, plan);
          const expected = expectedRounds(faults, { members: 40, messages: 12 });
          expect(
            rounds.map(({ received, lost, duplicates, outOfOrder }) => {
              return { received, lost, duplicates, outOfOrder };
            }),
          ).toEqual(expected);
          for (const what of ["received", "lost", "duplicates", "outOfOrder"] as const)
            expect(counts[what]).toBe(expected.reduce((sum, round) => sum + round[what], 0));
          // The mixture has all kinds of faults.
          expect(counts.lost * counts.duplicates * counts.outOfOrder).toBeGreaterThan(0);
        },
      );

    test("one late member determines the p100", async () => {
      const delayMs = 200;
      const { rounds, counts } = await measured(
        (member, message) => (member === 17 && message === 1 ? { delayMs } : undefined),
        client,
      );
      expect(counts.lost).toBe(0);
      // Node's timers are up to 1 ms early by the monotonic clock.
      expect(rounds[1]?.p100Ms).toBeGreaterThanOrEqual(delayMs - 1);
      expect(rounds[1]?.latencyMs?.p95).toBeLessThan(rounds[1]!.p100Ms!);
    });

    test("arrivals after the timeout are late, not lost", async () => {
      const { counts, rounds } = await measured(
        (member, message) => (member === 0 && message === 1 ? "hold until the next" : undefined),
        { ...client, timeoutMs: 150 },
      );
      expect(counts).toMatchObject({ received: 160, lost: 0, outOfOrder: 1 });
      expect(rounds[1]?.p100Ms).toBeGreaterThanOrEqual(150);
    });
  });

test("acknowledged but not stored messages are counted", async () => {
  platform = await startFakePlatform();
  platform.hideStored = 2;
  const { counts } = await measure({}, { url: platform.url });
  expect(counts).toMatchObject({ acknowledged: 4, stored: 2, received: 160 });
});

test("a rejected connection reports the reason", async () => {
  platform = await startFakePlatform();
  platform.refuseWith = "TOO_MANY_CONNECTIONS";
  await expect(measure({}, { url: platform.url })).rejects.toThrow(
    /40 of 40 connections .* failed: TOO_MANY_CONNECTIONS \(120\)/,
  );
});
