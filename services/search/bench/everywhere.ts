// Measures the cost of a search everywhere, compared to one group and one channel, in a whole instance on the embedded database:
//   node services/search/bench/everywhere.ts [--groups 50] [--channels 20] [--directs 100] [--messages 20] [--rounds 100]
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Params } from "@fanfare/contract";
import { boundedMap, loadConfig, type NodeContext } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";
import { createAccount, createGuest, must } from "@fanfare/testing";
import { instanceEnvironment } from "../../../test/support/instance.ts";

const { values } = parseArgs({
  options: {
    groups: { type: "string", default: "50" },
    /** Per group. */
    channels: { type: "string", default: "20" },
    directs: { type: "string", default: "100" },
    /** Per channel, including direct ones. */
    messages: { type: "string", default: "20" },
    rounds: { type: "string", default: "100" },
  },
});
const [groups, channels, directs, messages, rounds] = [
  values.groups,
  values.channels,
  values.directs,
  values.messages,
  values.rounds,
].map(Number) as [number, number, number, number, number];
const WORDS = 20_000;
const WORDS_PER_MESSAGE = 10;
const AT_ONCE = 16;

/** Zipf distribution, as in natural languages: the n-th word is n times rarer than the first. */
const word = (): string => `word${Math.floor(WORDS ** Math.random())}`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const SEARCHES: Record<string, string> = {
  "a common word": "word1",
  "a rare word": `word${WORDS - 5}`,
  "two common words": "word1 word2",
  "the beginning of many words": "word12",
};

const dir = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
const fanfare = await startFanfare(loadConfig(instanceEnvironment(dir)));
const { database } = fanfare.context as NodeContext;

async function retry<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    const result = await call().catch(() => undefined);
    if (result !== undefined) return result;
    await delay(10);
  }
}

/** CPU time in milliseconds: of this process with the server, and of the database. */
async function usedCpu(): Promise<[server: number, database: number]> {
  // Fails while another command has a transaction open.
  const { fanfare: status } = await retry(() => database.db!.command({ serverStatus: 1 }));
  const { user, system } = process.cpuUsage();
  return [(user + system) / 1000, (status as { cpuMicros: number }).cpuMicros / 1000];
}

try {
  const { url } = fanfare;
  const { accessToken } = await createAccount(url);
  const placed = await boundedMap(numbers(groups), AT_ONCE, async (i) => {
    const made = await must(url, "group.create", { name: `Group ${i}` }, accessToken);
    const groupId = made.group.id;
    const more = await boundedMap(numbers(channels - 1), 1, async (n) => {
      const params = { groupId, name: `channel-${n}` };
      return (await must(url, "channel.create", params, accessToken)).channel.id;
    });
    return { groupId, channelIds: [made.channels[0]!.id, ...more] };
  });
  const [first] = placed as [(typeof placed)[0]];
  const { invite } = await must(url, "invite.create", { groupId: first.groupId }, accessToken);
  const directIds = await boundedMap(numbers(directs), AT_ONCE, async () => {
    const guest = await createGuest(url);
    await must(url, "invite.accept", { code: invite.code }, guest.accessToken);
    return (await must(url, "channel.openDirect", { userId: guest.userId }, accessToken)).channel.id;
  });
  const all = [...placed.flatMap(({ channelIds }) => channelIds), ...directIds];
  let nonces = 0;
  for (const _ of numbers(messages)) {
    await boundedMap(all, AT_ONCE, async (channelId) => {
      const content = Array.from({ length: WORDS_PER_MESSAGE }, word).join(" ");
      await must(url, "message.send", { channelId, content, nonce: String((nonces += 1)) }, accessToken);
    });
  }
  const find = (params: Params<"message.search">) => must(url, "message.search", params, accessToken);
  const began = performance.now();
  let searches = 1;
  while (!(await find({ everywhere: true, text: "word1" })).isComplete) searches += 1;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `${all.length} channels, ${all.length * messages} messages; all indexed after ${searches} searches, ${seconds} s`,
  );

  const scopes = {
    channel: { channelId: first.channelIds[0]! },
    group: { groupId: first.groupId },
    everywhere: { everywhere: true },
  } as const;
  const rows: Record<string, Record<string, string>> = {};
  for (const [title, text] of Object.entries(SEARCHES)) {
    const taken = Object.values(scopes).map(() => ({ times: [] as number[], cpu: [0, 0] }));
    // Alternating, so that other load affects all variants alike.
    for (const _ of numbers(rounds)) {
      for (const [index, scope] of Object.values(scopes).entries()) {
        const before = await usedCpu();
        const start = performance.now();
        await find({ ...scope, text });
        taken[index]!.times.push(performance.now() - start);
        const after = await usedCpu();
        for (const part of [0, 1]) taken[index]!.cpu[part]! += after[part]! - before[part]!;
      }
    }
    rows[title] = Object.fromEntries(
      Object.keys(scopes).map((name, index) => {
        const { times, cpu } = taken[index]!;
        times.sort((a, b) => a - b);
        const at = (share: number): string => times[Math.floor(rounds * share)]!.toFixed(1);
        return [name, `${at(0.5)} / ${at(0.99)} · ${cpu.map((ms) => (ms / rounds).toFixed(1)).join(" + ")}`];
      }),
    );
  }
  console.log("Milliseconds per search, p50 / p99 · CPU of the server with this client + of the database:");
  console.table(rows);
} finally {
  await fanfare.stop();
  await rm(dir, { recursive: true });
}
