import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { nowMs } from "../src/kernels/broadcast/clock.ts";
import { Audience } from "../src/receivers/audience.ts";
import { taggedContent } from "../src/receivers/message-tag.ts";
import { allocateTally, Tally } from "../src/receivers/tally.ts";
import { openFanfareSender } from "../src/targets/fanfare/api.ts";
import type { Sender } from "../src/targets/target.ts";
import { startFakePlatform, type FakePlatform } from "./fake-platform.ts";
import type { FaultPlan } from "./fault-proxy.ts";

const MEMBERS = 8;
const MESSAGES = 6;
const RUN = "exact";
const CHANNEL = "0123456789abcdef01234567";

let platform: FakePlatform;
let audience: Audience;
let sender: Sender;
afterEach(async () => {
  sender.close();
  await audience.close();
  await platform.close();
});

/** Members that keep the channel exact, on a platform with faults. */
async function open(faults: FaultPlan): Promise<void> {
  platform = await startFakePlatform(faults);
  sender = await openFanfareSender(platform.url, "owner", CHANNEL);
  audience = await Audience.start({
    kind: "light",
    urls: [platform.url],
    dialect: "fanfare",
    runId: RUN,
    tally: new Tally(allocateTally(MEMBERS, MESSAGES, nowMs())),
    probes: 0,
    threads: 1,
    connecting: MEMBERS,
    connectTimeoutMs: 60_000,
    napMs: 0,
    exactChannel: CHANNEL,
  });
  await audience.connect(Array.from({ length: MEMBERS }, (_, i) => `guest-${i}`));
}

async function send(...indexes: number[]): Promise<void> {
  for (const index of indexes) await sender.send(taggedContent(RUN, index, 50));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5);
}

const received = () => [...audience.tally.memory.received];
const recovered = () => Array.from({ length: MESSAGES }, (_, i) => audience.tally.recovered(i));

test("a lost event is fetched as soon as the next one shows the gap", async () => {
  await open((member, message) => (message === 1 && member < 3 ? "drop" : undefined));
  await send(0, 1);
  await until(() => received()[1] === 5);
  expect(platform.syncs).toBe(0);
  await send(2);
  await until(() => received()[1] === MEMBERS);
  expect(received()).toEqual([8, 8, 8, 0, 0, 0]);
  expect(recovered()).toEqual([0, 3, 0, 0, 0, 0]);
  expect(audience.tally.memory.duplicates.every((count) => count === 0)).toBe(true);
});

test("a member that loses its connection reconnects, and gets what was sent meanwhile", async () => {
  await open(() => undefined);
  await send(0, 1);
  await until(() => received()[1] === MEMBERS);
  platform.cutAll();
  await until(() => audience.away === MEMBERS);
  await send(2, 3);
  await until(() => audience.away === 0);
  expect(received()).toEqual([8, 8, 8, 8, 0, 0]);
  expect(recovered()).toEqual([0, 0, 8, 8, 0, 0]);
  await send(4);
  await until(() => received()[4] === MEMBERS);
  expect(audience.dropped).toBe(MEMBERS);
});

test("what the server has forgotten is missing, however often it is requested", async () => {
  await open((member, message) => (message === 1 && member < 3 ? "drop" : undefined));
  platform.forgotten.add(1);
  await send(0, 1, 2, 3);
  await until(() => platform.syncs >= 3);
  // Each member has its answer before this one.
  await send(4);
  await until(() => received()[4] === MEMBERS);
  expect(received()).toEqual([8, 5, 8, 8, 8, 0]);
  expect(audience.tally.untilLast(1, nowMs())).toBeNull();
});
