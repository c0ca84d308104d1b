import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { must } from "@fanfare/testing";
import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withStoppedInstance } from "../../src/open-instance.ts";
import {
  configOf,
  fanfare,
  makeOpenInstance,
  newFolder,
  removeInstances,
  whileRunning,
} from "../temporary-instance.ts";
import { zipOf } from "./convert.ts";
import { slackFiles } from "./exports.ts";

const password = "correct horse";
const user = (id: string, name: string, email: string, more: object = {}) => ({
  id,
  name,
  profile: { real_name: name, email },
  ...more,
});
const slackUsers = [
  user("U1", "ada", "ada@example.org", { is_primary_owner: true }),
  user("U2", "grace", "Grace@example.org"),
  user("U3", "left.user", "left@example.org", { deleted: true }),
  user("U4", "Zoë B.", "other@example.org"),
  user("U5", "zo.b", "not an address"),
  user("U6", "robot", "robot@example.org", { is_bot: true }),
];

let folder: string;
let dataDir: string;
let file: string;

beforeAll(async () => {
  folder = await newFolder();
  dataDir = join(folder, "data");
  file = join(folder, "Club.zip");
  await writeFile(file, zipOf({ ...slackFiles(), "users.json": slackUsers }));
  await makeOpenInstance(dataDir);
  await whileRunning(dataDir, async (url) => {
    for (const username of ["ada", "other"])
      await must(url, "user.register", { username, email: `${username}@example.org`, password });
  });
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    await db
      .collection("users")
      .updateOne({ usernameLower: "ada" }, { $set: { emailVerifiedAt: new Date() } });
  });
});
afterAll(() => removeInstances(folder));

const run = (...args: string[]) => fanfare(dataDir, ["import", file, "--from", "slack", ...args]);
const createAccounts = (...args: string[]) =>
  run("--owner", "ada", "--match-usernames", "--create-accounts", ...args);
const countUsers = () =>
  withStoppedInstance(configOf(dataDir), ({ db }) => db.collection("users").countDocuments());

test("members of the export get accounts, which they claim with a link from the admin page", async () => {
  expect((await run("--create-accounts", "--dry-run")).out).toMatch(/4 {2}users who get an account/);
  const { code, out, error } = await createAccounts("--json");
  expect({ code, error }).toEqual({ code: 0, error: "" });
  const { group, imported, notes } = JSON.parse(out);
  expect(group).toMatchObject({ members: 4, accounts: 3 });
  expect(imported).toMatchObject({ "new accounts": 3 });
  expect(notes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ what: "usernames of new accounts", count: 1 }),
      expect.objectContaining({ what: "addresses of new accounts", count: 2 }),
    ]),
  );
  expect(group.renamed).toEqual([{ from: "Zoë B.", to: "ZoB." }]);
  await whileRunning(dataDir, async (url) => {
    const { accessToken } = await must(url, "user.login", { username: "ada", password });
    const { users } = await must(url, "admin.listUsers", { query: "grace" }, accessToken);
    expect(users).toMatchObject([
      { username: "grace", nickname: "grace", email: "Grace@example.org", kind: "member", admin: false },
    ]);
    const { link } = await must(url, "admin.sendPasswordReset", { userId: users[0]!.id }, accessToken);
    const token = link!.split("token=")[1]!;
    expect(await must(url, "user.inspectPasswordReset", { token })).toMatchObject({ isNew: true });
    await must(url, "user.resetPassword", { token, newPassword: password });
    const grace = await must(url, "user.login", { username: "grace", password });
    expect(grace.user).toMatchObject({ id: users[0]!.id, emailVerified: false });
    const { groups } = await must(url, "group.listMine", {}, grace.accessToken);
    const { channels } = await must(url, "channel.list", { groupId: groups[0]!.id }, grace.accessToken);
    const { id: channelId } = channels.find(({ name }) => name === "secret")!;
    const { messages } = await must(url, "message.list", { channelId }, grace.accessToken);
    expect(messages).toMatchObject([{ content: "between us", authorId: grace.user.id }]);
  });
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
});

test("addresses don't get into group files", async () => {
  const refused = await run("--create-accounts", "--out", join(folder, "refused.jsonl"));
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining("--out") });
  const out = join(folder, "group.jsonl");
  expect((await run("--out", out)).code).toBe(0);
  expect(await readFile(out, "utf8")).not.toMatch(/@example\.org/i);
});

test("no accounts are created over the limit of the instance", async () => {
  const set = (policy: object) =>
    whileRunning(dataDir, async (url) => {
      const { accessToken } = await must(url, "user.login", { username: "ada", password });
      await must(url, "admin.setPolicy", policy, accessToken);
    });
  await set({ usersPerInstance: 3 });
  const before = await countUsers();
  expect(await createAccounts("--again")).toMatchObject({
    code: 1,
    out: "",
    error: expect.stringMatching(/limit/i),
  });
  expect(await countUsers()).toBe(before);
  await set({ usersPerInstance: null });
});

test("the remains of an interrupted import are removed, except accounts that someone has claimed", async () => {
  const userIds = [new mongo.ObjectId(), new mongo.ObjectId(), new mongo.ObjectId()];
  const [unclaimed, withPassword, verified] = userIds;
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const account = { kind: "member", nickname: "left", avatarUrl: null, createdAt: new Date() };
    await db.collection("users").insertMany([
      { ...account, _id: unclaimed, username: "l1", usernameLower: "l1" },
      { ...account, _id: withPassword, username: "l2", usernameLower: "l2", passwordHash: "x" },
      { ...account, _id: verified, username: "l3", usernameLower: "l3", emailVerifiedAt: new Date() },
    ]);
    await db
      .collection("unfinishedImports")
      .insertOne({ groupId: new mongo.ObjectId(), channelIds: [], userIds });
  });
  expect((await run("--again", "--owner", "unknown-user")).code).toBe(1);
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const left = await db
      .collection("users")
      .find({ _id: { $in: userIds } })
      .toArray();
    expect(left.map(({ username }) => username)).toEqual(["l2", "l3"]);
  });
});
