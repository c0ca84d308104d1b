import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { PERMISSIONS } from "@fanfare/contract";
import type { Actor } from "@fanfare/kernel";
import { Types } from "mongoose";
import { withBenchNode, type BenchNode } from "./bench-node.ts";
import { cpuTimeUs } from "./cpu-time.ts";

/**
 * Shows that frequent operations cost the same in small and large groups: CPU time per operation, of this process and the
 * embedded database together, over many consecutive operations.
 *
 *   node bench/scaling.ts [--sizes 100,1000,10000,100000] [--operations 2000]
 */

interface Cost {
  cpuUs: number;
  operations: number;
}

interface Subject {
  groupId: string;
  channelId: string;
  code: string;
  /** A private channel that the role can see. */
  hiddenId: string;
  roleId: string;
  owner: Actor;
  /** Some of the members. */
  memberIds: string[];
}

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "100,1000,10000,100000" },
    operations: { type: "string", default: "2000" },
  },
});
const sizes = values.sizes.split(",").map(Number);
const operations = Number(values.operations);
const INSERT_BATCH = 10_000;
const SAMPLE = 90;
const QUIET_MS = 200;
/** Maximum of CPU time within QUIET_MS. */
const QUIET_US = 10_000;

await withBenchNode(run);

async function run(bench: BenchNode): Promise<void> {
  const subjects: Subject[] = [];
  for (const size of sizes) subjects.push(await createSubject(bench, size));

  const rows = new Map<string, Cost[]>();
  const rounds = 4;
  for (let round = 0; round <= rounds; round += 1) {
    // Sizes alternate, back and forth, so that other load affects all of them alike; the first round is a warm-up.
    const turns = [...subjects.entries()];
    for (const [index, subject] of round % 2 === 0 ? turns : turns.toReversed()) {
      for (const [name, cost] of await measure(bench, subject, Math.ceil(operations / rounds))) {
        const row = rows.get(name) ?? subjects.map(() => ({ cpuUs: 0, operations: 0 }));
        rows.set(name, row);
        if (round === 0) continue;
        row[index]!.cpuUs += cost.cpuUs;
        row[index]!.operations += cost.operations;
      }
    }
  }
  const table = [...rows].map(([name, bySize]) => ({
    operation: name,
    ...Object.fromEntries(bySize.map((cost, index) => [`${sizes[index]} members`, perOperation(cost)])),
    "last / first": Number((perOperation(bySize.at(-1)!) / perOperation(bySize[0]!)).toFixed(2)),
  }));
  process.stdout.write("Microseconds of processor time per operation, by the size of the group:\n");
  console.table(table);
}

async function createSubject({ node, as, guest }: BenchNode, size: number): Promise<Subject> {
  const owner = await guest();
  const { group, channels } = await as(owner, "group.create", { name: `${size} members` });
  const { invite } = await as(owner, "invite.create", { groupId: group.id });
  const { role } = await as(owner, "role.create", { groupId: group.id, name: "Staff" });
  const hidden = { groupId: group.id, name: "hidden", private: true, roleIds: [role.id] };
  const { channel } = await as(owner, "channel.create", hidden);
  const groupId = new Types.ObjectId(group.id);
  const memberIds: string[] = [];
  for (let filled = 1; filled < size; filled += INSERT_BATCH) {
    const members = Array.from({ length: Math.min(INSERT_BATCH, size - filled) }, () => ({
      groupId,
      userId: new Types.ObjectId(),
      mutedUntil: null,
      joinedAt: new Date(),
    }));
    await node.database.collection("members").insertMany(members);
    memberIds.push(...members.map(({ userId }) => userId.toHexString()));
  }
  await node.database.collection("groups").updateOne({ _id: groupId }, { $set: { memberCount: size } });
  return {
    groupId: group.id,
    channelId: channels[0]!.id,
    code: invite.code,
    hiddenId: channel.id,
    roleId: role.id,
    owner,
    memberIds: spread(memberIds),
  };
}

/** The same number of members from each group, so that no group has more of its entries in the CPU cache. */
function spread(memberIds: string[]): string[] {
  const step = memberIds.length / SAMPLE;
  return Array.from({ length: SAMPLE }, (_, index) => memberIds[Math.floor(index * step)]!);
}

async function measure(
  { node, as, guest }: BenchNode,
  subject: Subject,
  count: number,
): Promise<[string, Cost][]> {
  const { groupId, channelId, hiddenId, roleId, code, owner, memberIds } = subject;
  const newcomers = await Promise.all(Array.from({ length: count }, () => guest()));
  const middle = memberIds[memberIds.length >> 1]!;
  const someone = (index: number): string => memberIds[(index * 7) % memberIds.length]!;
  await node.access.get(owner.userId, { channelId });
  return [
    [
      "login: group.listRooms",
      await each(count, (index) => as(null, "group.listRooms", { userIds: [someone(index)] })),
    ],
    [
      "access: looked up",
      await each(count, (index) => as(null, "group.access", { userId: someone(index), channelId })),
    ],
    [
      "access: remembered",
      await each(count, () => Promise.resolve(node.access.peek(owner.userId, { channelId }))),
    ],
    [
      "send: message.send",
      await each(count, () =>
        as(owner, "message.send", { channelId, content: "Hello, everyone.", nonce: randomUUID() }),
      ),
    ],
    [
      "send: message.send to @everyone",
      await each(count, () =>
        as(owner, "message.send", { channelId, content: "@everyone, look here.", nonce: randomUUID() }),
      ),
    ],
    ["join: invite.accept", await each(count, (index) => as(newcomers[index]!, "invite.accept", { code }))],
    [
      "role.assign, role.unassign",
      await each(count, (index) => {
        const change = { groupId, roleId, userId: someone(Math.floor(index / 2)) };
        return index % 2 === 0 ? as(owner, "role.assign", change) : as(owner, "role.unassign", change);
      }),
    ],
    [
      "role.update, of permissions",
      await each(count, (index) => {
        const permissions = index % 2 === 0 ? PERMISSIONS.manageMessages : 0;
        return as(owner, "role.update", { groupId, roleId, permissions });
      }),
    ],
    [
      "private to public, public to private",
      await each(Math.ceil(count / 5), (index) => {
        const of = { channelId: hiddenId, target: { type: "everyone" as const } };
        return index % 2 === 0
          ? as(owner, "channel.removeOverride", of)
          : as(owner, "channel.setOverride", { ...of, allow: 0, deny: PERMISSIONS.view });
      }),
    ],
    ["group.listMembers, first page", await each(count, () => as(owner, "group.listMembers", { groupId }))],
    [
      "group.listMembers, a page in the middle",
      await each(count, () => as(owner, "group.listMembers", { groupId, afterUserId: middle })),
    ],
    ["leave: group.leave", await each(count, (index) => as(newcomers[index]!, "group.leave", { groupId }))],
  ];
}

/** Waits until deferred work of previous operations, such as counting members, is done. */
async function untilQuiet(): Promise<void> {
  for (let before = cpuTimeUs(), used = Infinity; used > QUIET_US;) {
    await delay(QUIET_MS);
    const now = cpuTimeUs();
    [used, before] = [now - before, now];
  }
}

async function each(count: number, operation: (index: number) => Promise<unknown>): Promise<Cost> {
  await untilQuiet();
  const begin = cpuTimeUs();
  for (let index = 0; index < count; index += 1) await operation(index);
  return { cpuUs: cpuTimeUs() - begin, operations: count };
}

function perOperation({ cpuUs, operations: count }: Cost): number {
  const us = cpuUs / count;
  return us < 10 ? Number(us.toFixed(1)) : Math.round(us);
}
