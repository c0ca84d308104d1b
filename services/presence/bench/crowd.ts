import { setTimeout as delay } from "node:timers/promises";
import { LIMITS, type Presence } from "@fanfare/contract";
import { must } from "@fanfare/testing";
import { buildServer } from "../../../scripts/build.ts";
import { startCluster, type ClusterNode } from "../../../test/support/cluster.ts";
import { openRawSocket } from "./raw-socket.ts";

// Measures the cost of many users joining a group and coming online while some watch others, and of a gateway crash that
// disconnects half of them. Two gateways and two workers in separate processes, with nats-server and redis-server:
//   USERS=5000 WATCHERS=50 WATCHED=100 node services/presence/bench/crowd.ts

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const USERS = setting("USERS", 5000);
const WATCHERS = setting("WATCHERS", 50);
const WATCHED = setting("WATCHED", 100);

interface User {
  id: string;
  accessToken: string;
  url: string;
}

await buildServer();
const cluster = await startCluster({ gateways: 2, workers: 2 });
try {
  await measure(cluster.gateways, cluster.workers);
} finally {
  await cluster.stop();
}
process.exit(0);

async function measure(gateways: readonly ClusterNode[], workers: readonly ClusterNode[]): Promise<void> {
  const urls = gateways.map(({ url }) => url);
  const startedMs = performance.now();
  const users = await joinGroup(urls);
  console.log(`${USERS} users have joined the group in ${seconds(startedMs)} s`);
  const watchers = users.slice(0, WATCHERS);
  const crowd = users.slice(WATCHERS);

  let delivered = 0;
  let lastOfflineMs = 0;
  const watched = new Set<string>();
  /** Pairs of a watcher at the first gateway and a user at the second: offline events that are expected and not yet received. */
  const expected = new Set<string>();
  const offline = new Set<string>();
  await each(watchers, 20, async (watcher, index) => {
    const socket = await openRawSocket(watcher.url, watcher.accessToken, (name, payload) => {
      if (name !== "presence.changed") return;
      for (const { userId, status } of payload["presences"] as Presence[]) {
        delivered += 1;
        if (status !== "offline") continue;
        offline.add(`${index} ${userId}`);
        lastOfflineMs = performance.now();
      }
    });
    const picked = Array.from(
      { length: WATCHED },
      (_none, i) => crowd[(index * WATCHED + i) % crowd.length]!,
    );
    for (const { id, url } of picked) {
      watched.add(id);
      if (watcher.url === urls[0] && url === urls[1]) expected.add(`${index} ${id}`);
    }
    for (let from = 0; from < picked.length; from += LIMITS.usersPerLookup) {
      const userIds = picked.slice(from, from + LIMITS.usersPerLookup).map(({ id }) => id);
      const answer = await socket.call("presence.watch", { userIds });
      if (!answer.ok) throw new Error(JSON.stringify(answer));
    }
  });
  await delay(4000);

  const figures = async () => ({
    published: await metric(workers, "fanfare_presence_published_total"),
    busIn: await metric(workers, "fanfare_bus_published_total"),
    busOut: await metric(gateways, "fanfare_bus_received_total"),
  });
  const before = await figures();
  delivered = 0;
  const cameMs = performance.now();
  await each(crowd, 100, ({ url, accessToken }) => openRawSocket(url, accessToken));
  console.log(`${crowd.length} of them came online in ${seconds(cameMs)} s`);
  console.log(`${WATCHERS} watch ${WATCHED} each, ${watched.size} users in all`);
  await settle(workers);
  const after = await figures();
  console.log(`  changes published     ${after.published - before.published}`);
  console.log(`  messages into NATS    ${after.busIn - before.busIn}`);
  console.log(`  messages out of NATS  ${after.busOut - before.busOut}`);
  console.log(`  events delivered      ${delivered} (all to all: ${crowd.length * users.length})`);

  const killedMs = performance.now();
  await gateways[1]!.process.kill();
  while ([...expected].some((pair) => !offline.has(pair)) && performance.now() - killedMs < 30_000)
    await delay(100);
  const received = [...expected].filter((pair) => offline.has(pair)).length;
  const lastS = ((lastOfflineMs - killedMs) / 1000).toFixed(1);
  console.log(
    `one gateway killed: ${received} of ${expected.size} received at the other, the last after ${lastS} s`,
  );
}

async function joinGroup(urls: readonly string[]): Promise<User[]> {
  const owner = await must(urls[0]!, "user.createGuest", {});
  const { group } = await must(urls[0]!, "group.create", { name: "A crowd" }, owner.accessToken);
  const { invite } = await must(urls[0]!, "invite.create", { groupId: group.id }, owner.accessToken);
  return each(Array.from({ length: USERS }), 64, async (_none, index) => {
    const url = urls[index % urls.length]!;
    const { user, accessToken } = await must(url, "user.createGuest", {});
    await must(url, "invite.accept", { code: invite.code }, accessToken);
    return { id: user.id, accessToken, url };
  });
}

async function each<T, R>(
  items: readonly T[],
  atOnce: number,
  run: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await run(items[index]!, index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** Sums a metric over processes and labels. */
async function metric(nodes: readonly ClusterNode[], name: string): Promise<number> {
  let sum = 0;
  for (const { opsUrl } of nodes) {
    const text = await (await fetch(`${opsUrl}/metrics`)).text();
    for (const line of text.split("\n")) {
      if (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) sum += Number(line.split(" ").at(-1));
    }
  }
  return sum;
}

/** Waits until nothing has been published for three seconds. */
async function settle(workers: readonly ClusterNode[]): Promise<void> {
  for (let last = -1, now = 0; now !== last;) {
    last = now;
    await delay(3000);
    now = await metric(workers, "fanfare_presence_published_total");
  }
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(1);
}
