import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type GroupOrigin, importGroup, survey, userId } from "@fanfare/chat-import";
import { createImportedFiles } from "@fanfare/file";
import { must } from "@fanfare/testing";
import { createImportedAccounts } from "@fanfare/user";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withStoppedNode } from "../../src/open-instance.ts";
import {
  configOf,
  fanfare,
  makeOpenInstance,
  newFolder,
  password,
  removeInstances,
  whileRunning,
} from "../temporary-instance.ts";
import { mattermostLines, mattermostPost as post } from "./exports.ts";

let folder: string;
let dataDir: string;
beforeAll(async () => {
  folder = await newFolder();
  dataDir = join(folder, "data");
  await makeOpenInstance(dataDir, "ada");
});
afterAll(() => removeInstances(folder));

const groupFile = () => join(folder, "group.jsonl");

/** Each message has a file, so that the import can be stopped after any of them. */
async function importLines(
  lines: readonly object[],
  into: string | null,
  more: Pick<GroupOrigin, "onProgress" | "signal"> = {},
) {
  const file = join(folder, "export.jsonl");
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await rm(groupFile(), { force: true });
  const converted = await fanfare(dataDir, ["import", file, "--from", "mattermost", "--out", groupFile()]);
  expect(converted).toMatchObject({ code: 0, error: "" });
  return withStoppedNode(configOf(dataDir), async (node) => {
    const storing = createImportedFiles(node);
    const target = {
      db: node.database.db!,
      imported: createImportedAccounts(node),
      storing,
      policy: node.policy,
    };
    const people = new Map([[userId("eve"), { username: "eve", email: null }]]);
    const options = { owner: "ada", matchUsernames: true, emails: new Map(), people };
    const kept = { name: "a.txt", key: "a", bytes: 5, instead: "a.txt" };
    const files = {
      bytes: 5,
      of: async () => [kept],
      open: async () => Readable.from([Buffer.from("hello")]),
    };
    const source = { key: "mattermost core", options: [], sample: null, into };
    try {
      return await importGroup(target, await survey(groupFile(), null), options, {
        files,
        directs: null,
        source,
        ...more,
      });
    } finally {
      await storing.close();
    }
  });
}

const laterLines = () => [
  ...mattermostLines().map((line) => {
    const { post: before } = line as { post?: { message?: string } };
    if (before?.message !== "second @ada.") return line;
    const reply = { user: "eve", message: "a late reply", create_at: 1_600_001_000_000 };
    return { type: "post", post: { ...before, replies: [reply] } };
  }),
  { type: "user", user: { username: "eve", teams: [{ name: "core", channels: [{ name: "town-square" }] }] } },
  post("town-square", "eve", "hello from eve", 1, { reactions: [{ user: "ada", emoji_name: "tada" }] }),
];

test("an import into a group that is stopped leaves nothing that has no owner, also if it never continues", async () => {
  const { groupId } = await importLines(mattermostLines(), null);
  const stop = new AbortController();
  // The files and reactions are stored by then, and the messages aren't.
  const onProgress = ({ files }: { files: number }) => files === 2 && stop.abort(new Error("stopped"));
  const stopped = importLines(laterLines(), groupId, { onProgress, signal: stop.signal });
  await expect(stopped).rejects.toThrow("the import was interrupted");
  const { out } = await fanfare(dataDir, ["check"]);
  expect(out).toMatch(/^reactions \w+ belongs to messages \w+, which does not exist$/m);

  await rm(groupFile());
  await importLines(mattermostLines(), null);
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
  // Its members are complete.
  await whileRunning(dataDir, async (url) => {
    const { accessToken } = await must(url, "user.login", { username: "ada", password });
    const { members } = await must(url, "group.listMembers", { groupId, limit: 10 }, accessToken);
    expect(members).toHaveLength(2);
  });

  expect(await importLines(laterLines(), groupId)).toMatchObject({
    groupId,
    kind: "added",
    messages: 2,
    accounts: 0,
  });
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
});
