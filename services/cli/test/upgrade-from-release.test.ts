import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Message, SessionTokens } from "@fanfare/contract";
import { MEMBER_PERMISSIONS, PERMISSIONS } from "@fanfare/contract/permissions";
import { must, PROJECT_FOLDER } from "@fanfare/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "./temporary-instance.ts";
import { installVersion, previousRelease, runVersion, startVersion } from "./upgrade/earlier-version.ts";
import { fill, type Known, PASSWORD } from "./upgrade/fill.ts";
import { expectedFindings, readAsClient } from "./upgrade/read-as-client.ts";

// As in docs/run/upgrades.md, with real programs: back up, stop, start the new version on the same folder, and go back.

describe("from the previous release", { tags: "long" }, () => {
  let folder: string;
  let clone: string;
  let dataDir: string;
  let backup: string;
  let known: Known;
  let session: SessionTokens;
  let hookPath: string;
  let channelId: string;

  const whileRunning = async <T>(version: string, data: string, work: (url: string) => Promise<T>) => {
    const program = await startVersion(version, folder, data);
    return work(program.url).finally(() => program.stop());
  };
  const list = async (url: string): Promise<Message[]> =>
    (await must(url, "message.list", { channelId, limit: 100 }, session.accessToken)).messages;
  const postToHook = (url: string, content: string) =>
    fetch(`${url}${hookPath}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ content }),
    });

  beforeAll(async () => {
    folder = await newFolder();
    [clone, dataDir, backup] = [join(folder, "clone"), join(folder, "data"), join(folder, "before.backup")];
    installVersion(previousRelease(), clone);
    await whileRunning(clone, dataDir, async (url) => {
      known = await fill(url);
      channelId = known.channels["general"]!.id;
      session = await must(url, "user.login", { username: "ann", password: PASSWORD });
      const { accessToken } = session;
      const hook = { channelId: known.channels["news"]!.id, name: "Builds" };
      hookPath = (await must(url, "webhook.create", hook, accessToken)).path;
      await must(url, "notification.set", { channelId, level: "all" }, accessToken);
      await must(url, "channel.update", { channelId, topic: "Old times" }, accessToken);
      const { group } = await must(url, "group.get", { groupId: known.groupId }, accessToken);
      const permissions = group.defaultPermissions & ~PERMISSIONS.createInvites;
      await must(url, "role.setDefault", { groupId: known.groupId, permissions }, accessToken);
    });
    runVersion(clone, dataDir, "backup", backup);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("everything is there, sessions stay valid, and new messages work", async () => {
    await whileRunning(PROJECT_FOLDER, dataDir, async (url) => {
      const { accessToken } = session;
      expect((await must(url, "user.me", {}, accessToken)).user.id).toBe(known.users.ann.id);
      const { channels } = await must(url, "channel.list", { groupId: known.groupId }, accessToken);
      expect(channels.find(({ id }) => id === channelId)).toMatchObject({ topic: "Old times" });
      const { group } = await must(url, "group.get", { groupId: known.groupId }, accessToken);
      // With what members of new groups can do, except for the one permission that was taken from them.
      expect(group.defaultPermissions).toBe(MEMBER_PERMISSIONS & ~PERMISSIONS.createInvites);
      const { settings } = await must(url, "notification.list", {}, accessToken);
      expect(settings).toMatchObject([{ channelId, level: "all" }]);
      expect(await readAsClient(url, known)).toEqual(expectedFindings(known));
      expect((await postToHook(url, "Built")).status).toBe(200);
      session = await must(url, "user.refresh", { refreshToken: session.refreshToken });
    });
    expect(runVersion(PROJECT_FOLDER, dataDir, "check")).toBe("No problems found.\n");
  });

  test("it can go back without losing what was written since, or says why not", async () => {
    const worked = {
      last: [known.channels["general"]!.messages.at(-1)!.content, "Today"],
      hook: 200,
      sent: true,
    };
    // The error when a migration since then rules it out.
    const refused = expect.stringMatching(/requires version .* restore a backup from before the upgrade/);
    const outcome = await whileRunning(clone, dataDir, async (url) => {
      const last = (await list(url)).slice(-2).map(({ content }) => content);
      const hook = (await postToHook(url, "Built again")).status;
      const params = { channelId, content: "Back again", nonce: "back" };
      const { message } = await must(url, "message.send", params, session.accessToken);
      return { last, hook, sent: message.content === "Back again" };
    }).catch(String);
    expect([worked, refused]).toContainEqual(outcome);
  });

  test("the backup from before brings back the version, with everything as it was", async () => {
    const restored = join(folder, "restored");
    runVersion(clone, restored, "restore", backup);
    const found = await whileRunning(clone, restored, (url) => readAsClient(url, known));
    expect(found).toEqual(expectedFindings(known));
  });
});
