import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeZip, must } from "@fanfare/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withStoppedInstance } from "../../src/open-instance.ts";
import {
  configOf,
  fanfare,
  makeOpenInstance,
  newFolder,
  password,
  removeInstances,
  whileRunning,
} from "../temporary-instance.ts";
import { zipOf } from "./convert.ts";
import { mattermostExport, slackFiles } from "./exports.ts";

const user = (id: string, name: string, email?: string) => ({
  id,
  name,
  profile: { real_name: name, ...(email !== undefined && { email }) },
});

let folder: string;
beforeAll(async () => {
  folder = await newFolder();
});
afterAll(() => removeInstances(folder));

/** Gives accounts these fields. */
const change = (dataDir: string, changes: Record<string, object>) =>
  withStoppedInstance(configOf(dataDir), async ({ db }) => {
    for (const [usernameLower, $set] of Object.entries(changes))
      await db.collection("users").updateOne({ usernameLower }, { $set });
  });
const email = (address: string) => ({ email: address, emailLower: address });
const verified = (address: string) => ({ ...email(address), emailVerifiedAt: new Date() });

async function imported(dataDir: string, users: object[], more: object, ...options: string[]) {
  const file = join(folder, "Club.zip");
  await writeFile(file, zipOf({ ...slackFiles(), ...more, "users.json": users }));
  const args = ["import", file, "--from", "slack", "--match-usernames", "--json", ...options];
  const { code, out, error } = await fanfare(dataDir, args);
  if (code !== 0) throw new Error(error);
  return JSON.parse(out);
}

async function whatIsSeenBy(url: string, username: string) {
  const { accessToken } = await must(url, "user.login", { username, password });
  const { channels: directs } = await must(url, "channel.listDirect", { limit: 20 }, accessToken);
  const { groups } = await must(url, "group.listMine", {}, accessToken);
  const read = async (channelId: string) =>
    (await must(url, "message.list", { channelId }, accessToken)).messages.map(({ content }) => content);
  const direct = directs.find(({ kind }) => kind === "direct");
  const [group] = groups;
  if (direct === undefined || group === undefined) return { directs, groups };
  const { channels } = await must(url, "channel.list", { groupId: group.id }, accessToken);
  const secret = channels.find(({ name }) => name === "secret");
  return { direct: await read(direct.id), secret: secret && (await read(secret.id)) };
}
type Seen = Awaited<ReturnType<typeof whatIsSeenBy>>;

const seenBy = (dataDir: string, username: string) =>
  whileRunning(dataDir, (url) => whatIsSeenBy(url, username));

/** By username. */
const seenByAll = (dataDir: string, ...usernames: readonly string[]) =>
  whileRunning(dataDir, async (url) => {
    const seen: Record<string, Seen> = {};
    for (const username of usernames) seen[username] = await whatIsSeenBy(url, username);
    return seen;
  });

describe("an export with addresses", () => {
  let dataDir: string;
  let preview: { matches: object };
  let report: { matches: object; group: object };
  let seen: Record<string, Seen>;

  beforeAll(async () => {
    dataDir = join(folder, "addresses");
    await makeOpenInstance(dataDir, "ada", "grace", "hopper", "eve", "left", "robot");
    await change(dataDir, {
      ada: verified("ada@example.org"),
      hopper: verified("grace@example.org"),
      eve: email("eve@example.org"),
      left: { ...verified("left@example.org"), disabledAt: new Date() },
    });
    const users = [
      { ...user("U1", "ada", "ada@example.org"), is_primary_owner: true },
      user("U2", "grace", " Grace@example.org"),
      user("U3", "eve", "eve@example.org"),
      user("U4", "left", "left@example.org"),
      { ...user("U5", "robot"), is_bot: true },
    ];
    const withRobot = {
      "dms.json": [
        { id: "D1", members: ["U1", "U2"] },
        { id: "D2", members: ["U5", "U2"] },
      ],
    };
    const more = {
      ...withRobot,
      "D2/2017-07-14.json": [
        { type: "message", user: "U5", ts: "1500000024.000100", text: "your code is 7" },
      ],
    };
    preview = await imported(dataDir, users, more, "--owner", "ada", "--dry-run");
    report = await imported(dataDir, users, more, "--owner", "ada");
    seen = await seenByAll(dataDir, "hopper", "grace", "eve", "robot");
  });

  test("makes a user the account that has verified the address", () => {
    const { direct, secret } = seen["hopper"]!;
    expect(direct).toEqual(expect.arrayContaining(["your code is 7"]));
    expect(secret).toEqual(["between us"]);
  });

  test("can make two users the same account, with one reaction of theirs", async () => {
    const data = join(folder, "same-address");
    await makeOpenInstance(data, "ada", "grace");
    await change(data, { ada: verified("ada@example.org"), grace: verified("grace@example.org") });
    const users = [
      { ...user("U1", "ada", "ada@example.org"), is_primary_owner: true },
      user("U2", "grace", "grace@example.org"),
      user("U3", "grace2", "grace@example.org"),
    ];
    const reactions = [{ name: "thumbsup", users: ["U2", "U3"], count: 2 }];
    const more = {
      "general/2017-07-16.json": [
        { type: "message", user: "U1", ts: "1500200000.000100", text: "who agrees?", reactions },
      ],
    };
    await imported(data, users, more, "--owner", "ada");
    await withStoppedInstance(configOf(data), async ({ db }) => {
      const asked = await db.collection("messages").findOne({ content: "who agrees?" });
      expect(asked?.["reactions"]).toMatchObject([{ count: 1 }]);
      expect(await db.collection("reactions").countDocuments({ messageId: asked!._id })).toBe(1);
    });
  });

  test.each([
    ["has only the username", "grace"],
    ["hasn't verified the address", "eve"],
    ["has the username of a user without an address, such as a bot", "robot"],
  ])("shows nothing to an account that %s", (_, username) => {
    expect(seen[username]).toEqual({ directs: [], groups: [] });
  });

  test("has a report of the matched accounts, also before the import; disabled ones aren't", () => {
    const matches = {
      by: "address",
      count: 2,
      accounts: [
        { name: "ada", username: "ada" },
        { name: "grace", username: "hopper" },
      ],
    };
    expect(preview.matches).toEqual(matches);
    expect(report.matches).toEqual(matches);
    expect(report.group).toMatchObject({ members: 2 });
  });
});

describe("an export without addresses", () => {
  let dataDir: string;
  const users = (withAddresses: boolean) =>
    ["ada", "grace", "left"].map((name, index) =>
      user(`U${index + 1}`, name, withAddresses ? `${name}@example.org` : undefined),
    );
  let groupId: string;

  beforeAll(async () => {
    dataDir = join(folder, "usernames");
    await makeOpenInstance(dataDir, "ada", "grace", "left");
    await change(dataDir, { ada: verified("ada@example.org"), left: { disabledAt: new Date() } });
  });

  test("matches usernames, and says so", async () => {
    const { group, matches } = await imported(dataDir, users(false), {}, "--owner", "ada");
    ({ groupId } = group);
    expect(matches).toEqual({
      by: "username",
      count: 2,
      accounts: ["ada", "grace"].map((name) => ({ name, username: name })),
    });
    expect(await seenBy(dataDir, "grace")).toMatchObject({
      direct: expect.arrayContaining(["private words"]),
      secret: ["between us"],
    });
  });

  test("doesn't match them in a later export that has other addresses for them", async () => {
    const late = (by: string, text: string, n: number) => [
      { type: "message", user: by, ts: `150000002${n}.000900`, text },
    ];
    const more = {
      "D1/2017-07-15.json": late("U1", "private and late", 1),
      "secret/2017-07-15.json": late("U2", "secret and late", 2),
      "general/2017-07-16.json": late("U2", "public and late", 3),
    };
    const options = ["--into", groupId];
    const preview = await imported(dataDir, users(true), more, "--dry-run", ...options);
    const { matches, notes, group } = await imported(dataDir, users(true), more, ...options);
    expect(matches).toEqual({ by: "address", count: 1, accounts: [{ name: "ada", username: "ada" }] });
    expect(preview.matches).toEqual(matches);
    expect(group).toMatchObject({ messages: 1 });
    for (const all of [preview.notes, notes])
      expect(all).toContainEqual(expect.objectContaining({ code: "unverifiedMatches", count: 1 }));
    const seen = await seenBy(dataDir, "grace");
    expect(seen.direct).not.toContain("private and late");
    expect(seen.secret).toEqual(["between us"]);
  });

  test(
    "keeps an account that was matched by its address, when it has another one",
    { tags: "long" },
    async () => {
      const file = join(dataDir, "..", "kept");
      await makeOpenInstance(file, "ada", "grace");
      await change(file, { grace: verified("grace@example.org") });
      const first = await imported(file, users(true), {}, "--owner", "ada");
      await change(file, { grace: verified("grace@example.com") });
      const more = {
        "D1/2017-07-15.json": [{ type: "message", user: "U2", ts: "1500000029.000100", text: "late" }],
      };
      const { matches } = await imported(file, users(true), more, "--into", first.group.groupId);
      expect(matches.accounts).toEqual([{ name: "grace", username: "grace" }]);
      expect((await seenBy(file, "grace")).direct).toContain("late");
    },
  );

  test("isn't continued with addresses after an interruption", { tags: "long" }, async () => {
    const data = join(folder, "interrupted");
    await makeOpenInstance(data, "ada", "grace");
    const file = join(folder, "interrupted.zip");
    const store = (lines: string) =>
      writeFile(
        file,
        makeZip([
          { name: "import.jsonl", content: Buffer.from(lines) },
          { name: "data/20200913/x/plan.pdf", content: Buffer.from("the plan") },
        ]),
      );
    const run = () =>
      fanfare(data, [
        "import",
        file,
        "--from",
        "mattermost",
        "--owner",
        "ada",
        "--match-usernames",
        "--json",
      ]);
    await store(mattermostExport());
    // A file where the folder of files has to be.
    const { filesDir } = configOf(data);
    await rm(filesDir, { recursive: true, force: true });
    await writeFile(filesDir, "");
    expect((await run()).error).toContain("Run the same command again to continue it.");
    await rm(filesDir);
    await store(mattermostExport().replace('"username":"grace",', '$&"email":"grace@example.org",'));
    const { out } = await run();
    expect(JSON.parse(out)).toMatchObject({ group: { kind: "new" }, matches: { count: 0 } });
  });
});
