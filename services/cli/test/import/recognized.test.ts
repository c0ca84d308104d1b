import { writeFile } from "node:fs/promises";
import { join } from "node:path";
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
import { mattermostLines, mattermostPost as post, slackFiles } from "./exports.ts";

let folder: string;
let dataDir: string;
beforeAll(async () => {
  folder = await newFolder();
  dataDir = join(folder, "data");
  await makeOpenInstance(dataDir, "ada");
});
afterAll(() => removeInstances(folder));

const write = async (lines: readonly object[]): Promise<string> => {
  const file = join(folder, "export.jsonl");
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
};
const run = async (lines: readonly object[], ...more: string[]) => {
  const file = await write(lines);
  return fanfare(dataDir, [
    "import",
    file,
    "--from",
    "mattermost",
    "--owner",
    "ada",
    "--create-accounts",
    ...more,
  ]);
};
const reportOf = async (...args: Parameters<typeof run>) => {
  const { code, out, error } = await run(...args);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  return JSON.parse(out);
};

/** Adds to a group, which has an owner. */
const into = async (groupId: string, lines: readonly object[], ...more: string[]) => {
  const file = await write(lines);
  const args = ["--from", "mattermost", "--into", groupId, "--create-accounts", "--json", ...more];
  const { code, out, error } = await fanfare(dataDir, ["import", file, ...args]);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  return JSON.parse(out);
};

/** Without the oldest posts, as after retention there. */
const withoutOldest = () =>
  mattermostLines().filter((line) => {
    const { create_at: time = Number.POSITIVE_INFINITY } =
      (line as { post?: { create_at: number } }).post ?? {};
    return time > 1_600_000_150_000;
  });
/** Another server with a team of the same name, and channels and users with the same names. */
const ofOther = () =>
  mattermostLines().map((line) => {
    const { post: said } = line as { post?: { create_at: number; replies?: { create_at: number }[] } };
    if (said === undefined) return line;
    const replies = (said.replies ?? []).map((one) => ({ ...one, create_at: one.create_at + 7 }));
    return { type: "post", post: { ...said, create_at: said.create_at + 7, replies } };
  });

test("an export without the oldest messages is of the same origin, and the dry run says to which group it adds", async () => {
  const makes = { groupId: null, name: "Core Team" };
  // There is no database yet.
  const elsewhere = { DATA_DIR: join(folder, "nothing") };
  const file = join(folder, "first.jsonl");
  await writeFile(
    file,
    mattermostLines()
      .map((line) => JSON.stringify(line))
      .join("\n"),
  );
  const dry = await fanfare(
    dataDir,
    ["import", file, "--from", "mattermost", "--dry-run", "--json", "--owner", "ada"],
    elsewhere,
  );
  expect(JSON.parse(dry.out).destination).toEqual(makes);
  expect((await reportOf(mattermostLines(), "--dry-run", "--json")).destination).toEqual(makes);
  const first = await reportOf(mattermostLines(), "--json");
  expect(first.destination).toEqual(makes);
  const { groupId } = first.group;

  await withStoppedInstance(configOf(dataDir), ({ db }) =>
    db.collection("groups").updateOne({}, { $set: { name: "Renamed\u001b[31m" } }),
  );
  const later = [...withoutOldest(), post("town-square", "grace", "hello again", 5)];
  const named = `group ${groupId}: Renamed\ufffd[31m`;
  expect((await run(later, "--dry-run")).out).toContain(`Adds to ${named} (with --into ${groupId})\n`);
  await whileRunning(dataDir, async () => {
    const beside = await reportOf(later, "--dry-run", "--json");
    expect(beside.destination).toMatchObject({ groupId });
  });
  expect((await reportOf(later, "--dry-run", "--json", "--again")).destination).toEqual(makes);
  // No group is changed that the operator hasn't named.
  const unnamed = await run(later);
  expect(unnamed).toMatchObject({ code: 1, out: "" });
  expect(unnamed.error).toContain(`It would add to ${named}. Name it with --into ${groupId}`);
  const wrong = await fanfare(dataDir, [
    "import",
    await write(later),
    "--from",
    "mattermost",
    "--into",
    "0".repeat(24),
  ]);
  expect(wrong.error).toContain(`Group ${"0".repeat(24)} isn't of an earlier export of the same origin.`);
  expect((await run(later, "--into", groupId)).error).toContain("--into and --owner can't be used together");
  const added = await into(groupId, later);
  expect(added).toMatchObject({ destination: { groupId }, group: { kind: "added", groupId, messages: 1 } });
  expect((await reportOf(ofOther(), "--dry-run", "--json")).destination).toEqual(makes);
  const second = await reportOf(ofOther(), "--json");
  expect(second.group).toMatchObject({ kind: "new" });
  expect(second.group.groupId).not.toBe(groupId);
});

test("a later export can be added to each group of the same export", async () => {
  const said = (message: string, time: number) => ({
    type: "post",
    post: { team: "twice", channel: "own", user: "ada", message, create_at: 1_600_000_000_000 + time },
  });
  const lines = [
    { type: "team", team: { name: "twice", display_name: "Twice", type: "O" } },
    { type: "channel", channel: { team: "twice", name: "own", type: "O" } },
    said("before", 0),
  ];
  const first = await reportOf(lines, "--json");
  const second = await reportOf(lines, "--again", "--json");
  const third = await reportOf(lines, "--again", "--json");
  const ids = [first, second, third].map(({ group }) => group.groupId as string);
  expect(new Set(ids).size).toBe(3);
  const later = [...lines, said("later", 1)];
  for (const groupId of ids.toReversed())
    expect(await into(groupId, later)).toMatchObject({ group: { kind: "added", groupId, messages: 1 } });
  for (const groupId of ids)
    expect(await into(groupId, later)).toMatchObject({ group: { kind: "added", groupId, messages: 0 } });
  // Without a name, the export is still of the first group.
  expect((await reportOf(later, "--dry-run", "--json")).destination).toEqual({
    groupId: ids[0],
    name: "Twice",
  });
});

test("a channel that was moved to another team doesn't take that team along", async () => {
  const shared = {
    channel: "moved",
    user: "grace",
    message: "before the move",
    create_at: 1_600_000_000_000,
  };
  const team = (name: string, own: object) => [
    { type: "team", team: { name, display_name: name, type: "O" } },
    ...["own", "moved"].map((of) => ({ type: "channel", channel: { team: name, name: of, type: "O" } })),
    ...[own, shared].map((said) => ({ type: "post", post: { ...said, team: name } })),
  ];
  const own = { channel: "own", user: "ada", message: "confidential" };
  const first = await reportOf(team("first", { ...own, create_at: 1_600_000_001_000 }), "--json");
  // The owner isn't in the export.
  expect(first.imported).toMatchObject({ users: 2 });
  const other = team("second", { ...own, create_at: 1_600_000_002_000 });
  const makes = { groupId: null, name: "second" };
  const ownerless = ["import", await write(other), "--from", "mattermost", "--owner", "none", "--dry-run"];
  expect(await fanfare(dataDir, ownerless)).toMatchObject({
    code: 1,
    out: "",
    error: "User none does not exist. Nothing was changed.\n",
  });
  expect((await reportOf(other, "--dry-run", "--json")).destination).toEqual(makes);
  const second = await reportOf(other, "--json");
  expect(second).toMatchObject({ destination: makes, group: { kind: "new" } });
  expect(second.group.groupId).not.toBe(first.group.groupId);
});

test("a channel that two Slack workspaces share doesn't make one group of them", async () => {
  const shared = { id: "C0", name: "shared", created: 1_500_000_000 };
  const said = { type: "message", user: "U2", ts: "1500000020.000100", text: "to both" };
  const workspace = async (name: string, own: string) => {
    const file = join(folder, `${name}.zip`);
    const files = {
      "users.json": slackFiles()["users.json"],
      "channels.json": [shared, { id: own, name: own, created: 1_500_000_000 }],
      "shared/2017-07-14.json": [said],
      [`${own}/2017-07-14.json`]: [{ ...said, text: `only in ${own}` }],
    };
    await writeFile(file, zipOf(files));
    const args = ["import", file, "--from", "slack", "--owner", "ada", "--json"];
    const { code, out, error } = await fanfare(dataDir, args);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    return JSON.parse(out);
  };
  const first = await workspace("Club", "C1");
  const second = await workspace("Firm", "C2");
  expect(second).toMatchObject({ destination: { groupId: null, name: "Firm" }, group: { kind: "new" } });
  expect(second.group.groupId).not.toBe(first.group.groupId);
});
