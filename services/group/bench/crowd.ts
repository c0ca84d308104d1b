import { parseArgs } from "node:util";
import type { Actor } from "@fanfare/kernel";
import { withBenchNode } from "./bench-node.ts";

/**
 * Creates guests and lets them join one group, many concurrently, without HTTP. Measures the CPU time of this process without the
 * database.
 *
 *   node bench/crowd.ts [--users 5000] [--at-once 1,16,64]
 */
const { values } = parseArgs({
  options: {
    users: { type: "string", default: "5000" },
    "at-once": { type: "string", default: "1,16,64" },
  },
});
const users = Number(values.users);

await withBenchNode(async ({ as, guest }) => {
  const owner = await guest();
  const { group } = await as(owner, "group.create", { name: "A crowd" });
  const { invite } = await as(owner, "invite.create", { groupId: group.id });
  const join = (actor: Actor) => as(actor, "invite.accept", { code: invite.code });
  const warm = await timed(500, 16, guest);
  await timed(500, 16, (index) => join(warm.results[index]!));

  const table = [];
  for (const atOnce of values["at-once"].split(",").map(Number)) {
    const count = atOnce === 1 ? Math.ceil(users / 10) : users;
    const created = await timed(count, atOnce, guest);
    const joined = await timed(count, atOnce, (index) => join(created.results[index]!));
    table.push({ "at once": atOnce, operation: "user.createGuest", ...created.figures });
    table.push({ "at once": atOnce, operation: "invite.accept", ...joined.figures });
  }
  console.table(table);
});

async function timed<T>(count: number, atOnce: number, operation: (index: number) => Promise<T>) {
  const results: T[] = [];
  const startedCpu = process.cpuUsage();
  const started = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await operation(index);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(startedCpu);
  const figures = {
    "per second": Math.round(count / seconds),
    "cpu µs each": Math.round((user + system) / count),
  };
  return { results, figures };
}
