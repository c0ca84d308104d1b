import { createHash } from "node:crypto";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { LIMITS } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";
import { createAccount, must, type Person } from "@fanfare/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeFullGroup, type FullGroup } from "./full-group.ts";
import { configOf, makeOpenInstance, newFolder, removeInstances } from "./temporary-instance.ts";

let folder: string;
let instance: Awaited<ReturnType<typeof startFanfare>>;
let url: string;
let root: Person & { username: string };
let full: FullGroup;
let lines: string[];

const as = ({ accessToken }: { accessToken?: string }) => ({
  headers: accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` },
});
const read = async (groupId: string, who: Person): Promise<string> => {
  const response = await fetch(`${url}/api/group.export?groupId=${groupId}`, as(who));
  return response.text();
};
interface Answer {
  ok: boolean;
  data: { group: { id: string; ownerId: string } };
  error: { type: string; data: { issues: { path: string; message: string }[] } };
}
const importAs = async (who: { accessToken?: string }, body: string, query = ""): Promise<Answer> => {
  const response = await fetch(`${url}/api/admin.importGroup${query}`, { method: "POST", body, ...as(who) });
  return (await response.json()) as Answer;
};
/** Adds a correct checksum. */
const sealed = (content: readonly string[]): string => {
  const text = `${content.join("\n")}\n`;
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `${text}${JSON.stringify({ type: "end", lines: content.length, sha256 })}\n`;
};
const of = (type: string, part = "") =>
  lines.findIndex((line) => line.startsWith(`{"type":"${type}"`) && line.includes(part));
const changed = (at: number, change: object) =>
  lines.toSpliced(at, 1, JSON.stringify({ ...JSON.parse(lines[at]!), ...change }));

beforeAll(async () => {
  folder = await newFolder();
  await makeOpenInstance(join(folder, "data"));
  instance = await startFanfare(configOf(join(folder, "data")));
  url = instance.url;
  // The first account is the instance admin.
  root = await createAccount(url);
  full = await makeFullGroup(url);
  // Reaction counts and the order of threads are updated a moment later.
  for (let settled = false; !settled;) {
    await setTimeout(50);
    const text = await read(full.world.group.id, full.world.owner);
    lines = text.trim().split("\n").slice(0, -1);
    const reactions = lines.filter((line) => line.startsWith('{"type":"reaction"')).length;
    const { thread, createdAt } = JSON.parse(lines[of("channel", '"kind":"thread"')]!);
    settled = reactions === 2 && thread.lastActivityAt !== createdAt;
  }
});
afterAll(async () => {
  await instance?.stop();
  await removeInstances(folder);
});

const COLLECTIONS = [
  "groups",
  "roles",
  "channels",
  "members",
  "wordFilters",
  "messages",
  "reactions",
  "channelHeads",
  "users",
];
/** Number of documents by collection. */
const counts = async (): Promise<Record<string, number>> => {
  const { database } = instance.context as NodeContext;
  const entries = COLLECTIONS.map(
    async (name) => [name, await database.collection(name).countDocuments()] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
};

test("an imported group belongs to its owner, and its authors aren't users of this instance", async () => {
  const { ada, world } = full;
  const before = await counts();
  const { data } = await importAs(root, sealed(lines), `?ownerId=${ada.userId}`);
  const { group } = data;
  expect(group).toMatchObject({ ownerId: ada.userId });
  const { groups } = await must(url, "group.listMine", {}, ada.accessToken);
  expect(groups.map(({ id }) => id)).toContain(group.id);
  const { members } = await must(url, "group.listMembers", { groupId: group.id }, ada.accessToken);
  expect(members.map(({ userId }) => userId)).toEqual([ada.userId]);
  const again = await read(group.id, ada);
  const here = [...Object.values(world), ada].flatMap((one) =>
    typeof one === "object" && "userId" in one && one.userId !== ada.userId ? [one.userId] : [],
  );
  for (const id of here) expect(again).not.toContain(id);
  const texts = (all: string[]) =>
    all
      .filter((line) => /^\{"type":"(role|channel|message|reaction)"/.test(line))
      .map((line) => line.replaceAll(/\b[0-9a-f]{24}\b/g, "#"));
  expect(texts(again.split("\n"))).toEqual(texts(lines));

  const { channels } = await must(url, "channel.list", { groupId: group.id }, ada.accessToken);
  const channel = channels.find(({ kind, private: closed }) => kind === "text" && !closed)!;
  const { messages } = await must(url, "message.list", { channelId: channel.id }, ada.accessToken);
  const hello = messages.find(({ content }) => content.startsWith("Hello"))!;
  expect(hello.content).not.toContain(ada.userId);
  const sent = { channelId: channel.id, content: "news", nonce: "n" };
  expect((await must(url, "message.send", sent, ada.accessToken)).message.seq).toBe(messages.length + 1);
  const found = { channelId: channel.id, text: "elephants" };
  expect((await must(url, "message.search", found, ada.accessToken)).messages).toHaveLength(1);
  const inThread = { groupId: group.id, text: "aside" };
  expect((await must(url, "message.search", inThread, ada.accessToken)).messages).toHaveLength(1);
  const { entries } = await must(url, "group.auditLog", { groupId: group.id }, ada.accessToken);
  expect(entries).toMatchObject([
    { action: "group.startExport" },
    { action: "admin.startGroupImport", actorId: root.userId },
  ]);
  // The original group is unchanged.
  expect((await read(world.group.id, world.owner)).trim().split("\n").slice(0, -1)).toEqual(lines);

  // Deleting the group deletes the imported users too.
  expect((await counts())["users"]).toBeGreaterThan(before["users"]!);
  await must(url, "group.delete", { groupId: group.id }, ada.accessToken);
  await expect.poll(counts).toEqual(before);
});

test("only admins can import groups", async () => {
  for (const who of [full.world.owner, full.ada, full.world.member])
    expect((await importAs(who, sealed(lines))).error.type).toBe("FORBIDDEN");
  expect((await importAs({}, sealed(lines))).error.type).toBe("UNAUTHENTICATED");
  expect((await importAs(root, sealed(lines), `?ownerId=${"0".repeat(24)}`)).error.type).toBe(
    "USER_NOT_FOUND",
  );
  expect((await importAs(root, sealed(lines), "?ownerId=x")).error.type).toBe("VALIDATION_FAILED");
});

test("rejects an invalid file with the line number, and leaves nothing", async () => {
  await expect.poll(counts).toMatchObject({ groups: 1 });
  const before = await counts();
  const reason = async (body: string): Promise<string> => {
    const { error } = await importAs(root, body);
    expect(error.type).toBe("VALIDATION_FAILED");
    const [{ path, message }] = error.data.issues as [{ path: string; message: string }];
    return `${path}: ${message}`;
  };
  const message = of("message");
  expect(await reason("")).toContain("line 1: the end line is missing");
  expect(await reason(`${lines.join("\n")}\n`)).toContain("the file is truncated");
  expect(await reason(sealed(lines).slice(0, -30))).toContain("the file is truncated");
  expect(await reason("{")).toContain("line 1: the file is truncated within this line");
  expect(await reason(sealed(["[]", ...lines.slice(1)]))).toContain("line 1: ");
  expect(await reason(sealed(lines).replace("Here is the", "Here is not"))).toContain("the checksum");
  expect(await reason(sealed(["x".repeat(1_100_000)]))).toBe("line 1: the line is too long");
  // In the wrong order, duplicated, or referring to something that isn't in the file.
  expect(await reason(sealed([lines[0]!, lines[of("channel")]!, ...lines.slice(1)]))).toContain(
    "line 2: the group must be first",
  );
  expect(await reason(sealed(lines.toSpliced(2, 0, lines[message]!)))).toContain(
    "line 3: its channel is not on an earlier line",
  );
  expect(await reason(sealed([...lines, lines[1]!]))).toContain("there is more than one group");
  expect(await reason(sealed([...lines, lines[message]!]))).toContain("is in it twice");
  const otherGroup = await must(url, "group.create", { name: "Elsewhere" }, root.accessToken);
  const foreign = otherGroup.channels[0]!.id;
  expect(await reason(sealed(changed(message, { channelId: foreign })))).toContain(
    "its channel is not on an earlier line",
  );
  expect(await reason(sealed(changed(message, { authorId: root.userId })))).toContain(
    "is missing from the file",
  );
  const groupId = otherGroup.group.id;
  expect(await reason(sealed(changed(of("role"), { groupId })))).toMatch(/line \d+: .*groupId/);
  for (const change of [
    { authorId: { $gt: "" } },
    { content: "x".repeat(LIMITS.messageMaxChars + 1) },
    { seq: 1 },
    { id: "../x" },
  ])
    expect(await reason(sealed(changed(message, change)))).toMatch(/^line \d+: /);
  await must(url, "group.delete", { groupId }, root.accessToken);
  await expect.poll(counts).toEqual(before);
  expect(await must(url, "group.listMine", {}, root.accessToken)).toMatchObject({ groups: [] });
});

test("existing ids are replaced, and markup is stored as text", async () => {
  const { world } = full;
  const before = await counts();
  const script = "<script>alert(1)</script>";
  const { group } = (await importAs(root, sealed(changed(of("group"), { name: script })))).data;
  expect(group).toMatchObject({ name: script });
  expect(group.id).not.toBe(world.group.id);
  const response = await fetch(`${url}/api/group.export?groupId=${group.id}`, as(root));
  expect(response.headers.get("content-disposition")).toContain("attachment");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  await response.text();
  const { messages } = await must(
    url,
    "message.list",
    { channelId: world.channel.id },
    world.owner.accessToken,
  );
  expect(messages).toHaveLength(4);
  await must(url, "group.delete", { groupId: group.id }, root.accessToken);
  // The data of the group is removed in the background.
  await expect.poll(counts).toEqual(before);
});

test("a client that disconnects during an import leaves nothing", async () => {
  const before = await counts();
  const message = of("message");
  const many = Array.from({ length: 3000 }, (_, n) =>
    lines[message]!.replace(/"id":"[0-9a-f]{24}"/, `"id":"${n.toString(16).padStart(24, "a")}"`),
  );
  const upload = request(`${url}/api/admin.importGroup`, { method: "POST", ...as(root) });
  upload.on("error", () => undefined);
  upload.write(`${[...lines.slice(0, message), ...many].join("\n")}\n`);
  await expect.poll(async () => (await counts())["messages"]).toBeGreaterThan(before["messages"]!);
  upload.destroy();
  await expect.poll(counts).toEqual(before);
  const { groups } = await must(url, "admin.listGroups", {}, root.accessToken);
  expect(groups.map(({ id }) => id)).toEqual([full.world.group.id]);
});
