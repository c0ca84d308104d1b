import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAccount, must, post, type Person } from "@fanfare/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeFullGroup, shape, type FullGroup } from "./full-group.ts";
import { fanfare, makeOpenInstance, newFolder, removeInstances, whileRunning } from "./temporary-instance.ts";

let folder: string;
let dataDir: string;
let group: FullGroup;
let root: Person;

beforeAll(async () => {
  folder = await newFolder();
  dataDir = join(folder, "data");
  await makeOpenInstance(dataDir);
  await whileRunning(dataDir, async (url) => {
    // The first account is the instance admin.
    root = await createAccount(url);
    group = await makeFullGroup(url);
  });
});
afterAll(() => removeInstances(folder));

const download = (url: string, name: string, groupId: string, { accessToken }: { accessToken?: string }) =>
  fetch(`${url}/api/${name}?groupId=${groupId}`, {
    headers: accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` },
  });

test("an export by HTTP is identical to one by the CLI, and can be imported the same way", async () => {
  const { world, ada } = group;
  const groupId = world.group.id;
  const [owners, admins, stopped] = ["owner", "admin", "stopped"].map((name) =>
    join(folder, `${name}.jsonl`),
  );
  await whileRunning(dataDir, async (url) => {
    const response = await download(url, "group.export", groupId, world.owner);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(response.headers.get("content-disposition")).toContain('attachment; filename="A group.jsonl"');
    expect(response.headers.get("cache-control")).toBe("no-store");
    await writeFile(owners!, await response.text());
    const whole = await download(url, "admin.exportGroup", groupId, root);
    await writeFile(admins!, await whole.text());
    // The owner sees both in the group's log; the one by the admin is also in the instance's log.
    const { entries } = await must(url, "group.auditLog", { groupId, limit: 2 }, world.owner.accessToken);
    expect(entries).toMatchObject([
      { action: "admin.startGroupExport", actorId: root.userId },
      { action: "group.startExport", actorId: world.owner.userId },
    ]);
    const log = await must(url, "admin.auditLog", {}, root.accessToken);
    expect(log.entries[0]).toMatchObject({ action: "admin.startGroupExport", outcome: "done" });
  });
  expect((await fanfare(dataDir, ["export-group", groupId, stopped!])).code).toBe(0);
  const bytes = await readFile(stopped!, "utf8");
  expect(await readFile(owners!, "utf8")).toBe(bytes);
  expect(await readFile(admins!, "utf8")).toBe(bytes);

  const { code, out } = await fanfare(dataDir, ["import-group", owners!, "--owner", ada.username]);
  expect(code).toBe(0);
  const imported = /Imported as group ([0-9a-f]{24})/.exec(out)![1]!;
  const again = join(folder, "again.jsonl");
  await whileRunning(dataDir, async (url) => {
    const response = await download(url, "group.export", imported, ada);
    await writeFile(again, await response.text());
  });
  const texts = async (path: string) =>
    (await shape(path))
      .filter(({ type }) => ["role", "channel", "message", "reaction"].includes(type))
      .map((line) => JSON.stringify(line).replaceAll(/#\d+/g, "#"));
  expect(await texts(again)).toEqual(await texts(owners!));
});

test("only the owner and admins can export a group", async () => {
  const { world } = group;
  const groupId = world.group.id;
  await whileRunning(dataDir, async (url) => {
    const asOwner = world.owner.accessToken;
    const role = { groupId, name: "Moderator", permissions: 0x1ffff & ~(1 << 10) };
    const made = await must(url, "role.create", role, asOwner);
    const ofMember = { groupId, roleId: made.role.id, userId: world.member.userId };
    await must(url, "role.assign", ofMember, asOwner);
    const typeOf = async (name: string, who: { accessToken?: string }): Promise<string> => {
      const answer = (await (await download(url, name, groupId, who)).json()) as { error: { type: string } };
      return answer.error.type;
    };
    expect(await typeOf("group.export", {})).toBe("UNAUTHENTICATED");
    expect(await typeOf("group.export", { accessToken: "made.up" })).toBe("UNAUTHENTICATED");
    expect(await typeOf("group.export", world.stranger)).toBe("GROUP_NOT_FOUND");
    expect(await typeOf("group.export", root)).toBe("GROUP_NOT_FOUND");
    for (const who of [world.member, world.muted, world.target])
      expect(await typeOf("group.export", who)).toBe("FORBIDDEN");
    for (const who of [world.owner, world.member, world.stranger])
      expect(await typeOf("admin.exportGroup", who)).toBe("FORBIDDEN");
    for (const bad of ["", "x", "0".repeat(23)]) {
      const response = await download(url, "group.export", bad, world.owner);
      expect(response.status).toBe(422);
    }
    expect((await download(url, "admin.exportGroup", "0".repeat(24), root)).status).toBe(404);
    for (const name of [
      "group.beginExport",
      "message.exportChannel",
      "user.exportNames",
      "group.exportHead",
    ]) {
      const params = { groupId, channelId: world.channel.id, after: null, userIds: [root.userId] };
      const answer = await post(url, name as "group.startExport", params, root.accessToken);
      expect(answer).toMatchObject({ ok: false, error: { type: "UNKNOWN_ACTION" } });
    }
    // A rejected export isn't recorded.
    const { entries } = await must(url, "group.auditLog", { groupId, action: "group.startExport" }, asOwner);
    expect(entries.every(({ actorId }) => actorId === world.owner.userId)).toBe(true);
  });
});

test("a former owner gets no further pages", async () => {
  await whileRunning(dataDir, async (url) => {
    const [owner, heir] = [await createAccount(url), await createAccount(url)];
    const { group: made, channels } = await must(url, "group.create", { name: "Large" }, owner.accessToken);
    const groupId = made.id;
    const { invite } = await must(url, "invite.create", { groupId }, owner.accessToken);
    await must(url, "invite.accept", { code: invite.code }, heir.accessToken);
    // More than the buffers of sockets and streams, so that most of it is unread when the first bytes arrive. A
    // character has three bytes.
    const message = { channelId: channels[0]!.id, content: "語".repeat(4000) };
    for (let wave = 0; wave < 17; wave += 1)
      await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          must(url, "message.send", { ...message, nonce: `${wave}-${n}` }, owner.accessToken),
        ),
      );
    const response = await download(url, "group.export", groupId, owner);
    const reader = response.body!.getReader();
    await reader.read();
    await must(url, "group.transfer", { groupId, userId: heir.userId }, owner.accessToken);
    const rest = async (): Promise<string> => {
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return text;
        text = Buffer.from(value).toString();
      }
    };
    await expect(rest()).rejects.toThrow("terminated");
  });
});
