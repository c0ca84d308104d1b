import { PERMISSIONS } from "@fanfare/contract";
import { createAccount, must, post, type Person } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Listener } from "./listener.ts";

// Users without access to a channel receive nothing of it, however access changes; users with access miss
// nothing.

const { view, sendMessages, manageChannels } = PERMISSIONS;
const EVERYONE = { type: "everyone" as const };

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance?.stop());

let listeners: Listener[] = [];
async function listen(person: Person): Promise<Listener> {
  const listener = new Listener(instance.url, person);
  listeners.push(listener);
  await listener.ready;
  return listener;
}

let groupId: string;
let owner: Listener;
let insider: Listener;
let outsider: Listener;

beforeEach(async () => {
  const people: Person[] = await Promise.all(Array.from({ length: 3 }, () => createAccount(instance.url)));
  const [first, ...others] = people as [Person, Person, Person];
  const { group } = await must(instance.url, "group.create", { name: "A group" }, first.accessToken);
  groupId = group.id;
  const { invite } = await must(instance.url, "invite.create", { groupId }, first.accessToken);
  for (const { accessToken } of others) {
    await must(instance.url, "invite.accept", { code: invite.code }, accessToken);
  }
  [owner, insider, outsider] = (await Promise.all(people.map(listen))) as [Listener, Listener, Listener];
});

afterEach(async () => {
  for (const { socket } of listeners) socket.disconnect();
  listeners = [];
});

let nonces = 0;
const send = (from: Listener, channelId: string, content: string) =>
  from.do("message.send", { channelId, content, nonce: String((nonces += 1)) });

const settleAll = () => Promise.all(listeners.map((listener) => listener.settle()));

async function createPrivate(memberIds: string[] = [], roleIds: string[] = []): Promise<string> {
  const given = { groupId, name: "private", private: true, memberIds, roleIds };
  return (await owner.do("channel.create", given)).channel.id;
}

async function createRole(permissions = 0): Promise<string> {
  return (await owner.do("role.create", { groupId, name: "Staff", permissions })).role.id;
}

const assign = (who: Listener, roleId: string) =>
  owner.do("role.assign", { groupId, userId: who.person.userId, roleId });
const unassign = (who: Listener, roleId: string) =>
  owner.do("role.unassign", { groupId, userId: who.person.userId, roleId });

async function expectBlind(who: Listener, channelId: string): Promise<void> {
  const calls = [
    post(instance.url, "message.list", { channelId }, who.person.accessToken),
    post(instance.url, "channel.typing", { channelId }, who.person.accessToken),
    post(instance.url, "channel.listOverrides", { channelId }, who.person.accessToken),
    post(instance.url, "message.send", { channelId, content: "x", nonce: "x" }, who.person.accessToken),
  ];
  for (const answer of await Promise.all(calls)) {
    expect(answer).toMatchObject({ ok: false, error: { type: "CHANNEL_NOT_FOUND" } });
  }
  const { channels } = await who.do("channel.list", { groupId });
  expect(channels.map(({ id }) => id)).not.toContain(channelId);
  const synced = await who.do("channel.sync", { cursors: [{ channelId, afterRev: 0 }] });
  expect(synced.channels).toMatchObject([{ status: "gone", messages: [] }]);
}

describe("a private channel", () => {
  test("sends nothing to users without access from creation to deletion, including later sockets", async () => {
    const channelId = await createPrivate([insider.person.userId]);
    const late = await listen(outsider.person);
    const lateInsider = await listen(insider.person);
    await send(insider, channelId, "secret");
    await insider.do("channel.typing", { channelId });
    await owner.do("channel.update", { channelId, name: "renamed" });
    await owner.do("channel.reorder", { groupId, places: [{ channelId, sectionId: null, position: 9 }] });
    await expectBlind(outsider, channelId);
    await owner.do("channel.delete", { channelId });
    await settleAll();
    expect([...outsider.of(channelId), ...late.of(channelId)]).toEqual([]);
    expect(insider.of(channelId)).toEqual([
      "channel.created",
      "message.created",
      "typing.started",
      "channel.updated",
      "channel.reordered",
      "channel.deleted",
    ]);
    expect(lateInsider.of(channelId)).toEqual(insider.of(channelId).slice(1));
  });

  test("opens and closes at once with a role, with an event for each", async () => {
    const roleId = await createRole();
    const channelId = await createPrivate([], [roleId]);
    await expectBlind(insider, channelId);
    await assign(insider, roleId);
    await send(owner, channelId, "with the role");
    await unassign(insider, roleId);
    await send(owner, channelId, "without the role");
    await settleAll();
    await expectBlind(insider, channelId);
    expect(insider.of(channelId)).toEqual(["channel.created", "message.created", "channel.deleted"]);
    expect(insider.contents()).toEqual(["with the role"]);
    expect(outsider.of(channelId)).toEqual([]);
  });

  test("closes for everyone when its role is deleted", async () => {
    const roleId = await createRole();
    const channelId = await createPrivate([], [roleId]);
    await assign(insider, roleId);
    await owner.do("role.delete", { groupId, roleId });
    await send(owner, channelId, "after the role");
    const late = await listen(insider.person);
    await send(owner, channelId, "later still");
    await settleAll();
    await expectBlind(insider, channelId);
    expect([...insider.contents(), ...late.contents()]).toEqual([]);
    expect(insider.of(channelId)).toEqual(["channel.created", "channel.deleted"]);
    await vi.waitFor(async () => {
      const userId = insider.person.userId;
      expect((await owner.do("group.getMember", { groupId, userId })).member.roleIds).toEqual([]);
    });
  });

  test("opens for a new member only by their own override or the permissions of everyone", async () => {
    const hidden = await createPrivate();
    const roleId = await createRole();
    const { channels } = await owner.do("channel.list", { groupId });
    const almostOpen = channels.find(({ name }) => name === "general")!.id;
    const withoutStaff = {
      channelId: almostOpen,
      target: { type: "role" as const, id: roleId },
      allow: 0,
      deny: view,
    };
    await owner.do("channel.setOverride", withoutStaff);
    const newcomer = await listen(await createAccount(instance.url));
    const { invite } = await owner.do("invite.create", { groupId });
    const joined = await newcomer.do("invite.accept", { code: invite.code });
    expect(joined.channels.map(({ id }) => id)).toEqual([almostOpen]);
    await send(owner, hidden, "hidden");
    await send(owner, almostOpen, "open to newcomers");
    await assign(insider, roleId);
    await send(owner, almostOpen, "without staff");
    await settleAll();
    expect(newcomer.contents()).toEqual(["open to newcomers", "without staff"]);
    expect(insider.contents()).toEqual(["open to newcomers"]);
    await expectBlind(insider, almostOpen);

    // Nor by reconnecting, or by leaving and rejoining.
    const late = await listen(insider.person);
    await send(owner, almostOpen, "while coming again");
    const target = { type: "member" as const, id: outsider.person.userId };
    await owner.do("channel.setOverride", { channelId: almostOpen, target, allow: 0, deny: view });
    await outsider.do("group.leave", { groupId });
    await outsider.do("invite.accept", { code: invite.code });
    await send(owner, almostOpen, "without two");
    await settleAll();
    expect(newcomer.contents()).toContain("without two");
    expect(late.contents()).toEqual([]);
    expect(outsider.contents()).not.toContain("without two");
    await expectBlind(outsider, almostOpen);
  });

  test("sends nothing more to users who leave or are kicked or banned", async () => {
    const roleId = await createRole();
    await assign(insider, roleId);
    const channelId = await createPrivate([outsider.person.userId], [roleId]);
    await owner.do("group.kick", { groupId, userId: insider.person.userId });
    await owner.do("group.ban", { groupId, userId: outsider.person.userId });
    await send(owner, channelId, "among ourselves");
    // A new room for users with access must not let them back in.
    await owner.do("channel.setOverride", {
      channelId,
      target: EVERYONE,
      allow: 0,
      deny: view | sendMessages,
    });
    await send(owner, channelId, "still");
    await settleAll();
    expect([...insider.contents(), ...outsider.contents()]).toEqual([]);
    expect(owner.contents()).toEqual(["among ourselves", "still"]);
  });

  test("changes owner with the group: the new owner sees it, the former one only as a member", async () => {
    const channelId = await createPrivate([outsider.person.userId]);
    await owner.do("channel.removeOverride", {
      channelId,
      target: { type: "member", id: owner.person.userId },
    });
    await owner.do("group.transfer", { groupId, userId: insider.person.userId });
    await send(insider, channelId, "mine now");
    await settleAll();
    await expectBlind(owner, channelId);
    expect(owner.contents()).toEqual([]);
    expect(insider.contents()).toEqual(["mine now"]);
    expect(insider.of(channelId)[0]).toBe("channel.created");
    expect(owner.of(channelId).at(-1)).toBe("channel.deleted");
  });
});

describe("a channel that switches between public and private", () => {
  test("sends no message to users without access that was sent while it was private", async () => {
    const { channel } = await owner.do("channel.create", { groupId, name: "public" });
    const channelId = channel.id;
    const roleId = await createRole();
    await assign(insider, roleId);
    const staff = { type: "role" as const, id: roleId };
    await owner.do("channel.setOverride", { channelId, target: staff, allow: view, deny: 0 });
    const talk = { goesOn: true };
    let sent = 0;
    const chatter = (async () => {
      while (talk.goesOn) {
        await Promise.all([1, 2, 3].map(() => send(owner, channelId, `m${(sent += 1)}`)));
      }
    })();
    const privately: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      await owner.do("channel.setOverride", { channelId, target: EVERYONE, allow: 0, deny: view });
      const content = `private ${round}`;
      privately.push(content);
      await send(owner, channelId, content);
      await expectBlind(outsider, channelId);
      await owner.do("channel.removeOverride", { channelId, target: EVERYONE });
      await send(owner, channelId, `public ${round}`);
    }
    talk.goesOn = false;
    await chatter;
    await settleAll();
    expect(outsider.contents().filter((content) => privately.includes(content))).toEqual([]);
    expect(outsider.contents().filter((content) => content.startsWith("public"))).toHaveLength(5);
    // No duplicates and no gaps.
    const expected = owner.contents().toSorted();
    expect(new Set(expected).size).toBe(sent + 10);
    expect(insider.contents().toSorted()).toEqual(expected);
    expect(outsider.of(channelId).filter((name) => name === "channel.deleted")).toHaveLength(5);
    expect(insider.of(channelId)).not.toContain("channel.deleted");
    expect(insider.of(channelId).filter((name) => name === "channel.created")).toHaveLength(1);
  });

  test("two concurrent changes both hold, and the rooms follow", async () => {
    const channelId = await createPrivate();
    const allow = (who: Listener) =>
      owner.do("channel.setOverride", {
        channelId,
        target: { type: "member", id: who.person.userId },
        allow: view,
        deny: 0,
      });
    await Promise.all([allow(insider), allow(outsider)]);
    await send(owner, channelId, "for both");
    await settleAll();
    expect(insider.contents()).toEqual(["for both"]);
    expect(outsider.contents()).toEqual(["for both"]);
    const { overrides } = await owner.do("channel.listOverrides", { channelId });
    expect(overrides).toHaveLength(4);
  });

  test("concurrent changes of roles and overrides: the last state decides who receives", async () => {
    const roleId = await createRole();
    const channelId = await createPrivate();
    const staff = { type: "role" as const, id: roleId };
    for (let round = 0; round < 10; round += 1) {
      const isAllowed = round % 2 === 0;
      await Promise.all([
        isAllowed
          ? owner.do("channel.setOverride", { channelId, target: staff, allow: view, deny: 0 })
          : owner.do("channel.removeOverride", { channelId, target: staff }),
        assign(insider, roleId),
        unassign(outsider, roleId),
      ]);
      await send(owner, channelId, `round ${round}`);
      await Promise.all([unassign(insider, roleId), assign(outsider, roleId)]);
      await send(owner, channelId, `then ${round}`);
    }
    await settleAll();
    const rounds = [0, 2, 4, 6, 8];
    expect(insider.contents()).toEqual(rounds.map((round) => `round ${round}`));
    expect(outsider.contents()).toEqual(rounds.map((round) => `then ${round}`));
  });
});

test("a section holds channels but no messages; deleting it keeps its channels", async () => {
  const { channel: section } = await owner.do("channel.create", {
    groupId,
    name: "A section",
    kind: "section",
  });
  const { channel } = await owner.do("channel.create", { groupId, name: "inside", sectionId: section.id });
  expect(channel.sectionId).toBe(section.id);
  const message = { channelId: section.id, content: "x", nonce: "x" };
  const answer = await post(instance.url, "message.send", message, owner.person.accessToken);
  expect(answer).toMatchObject({ ok: false, error: { type: "FORBIDDEN" } });
  await owner.do("channel.delete", { channelId: section.id });
  const { channels } = await outsider.do("channel.list", { groupId });
  expect(channels.find(({ id }) => id === channel.id)?.sectionId).toBeNull();
  await settleAll();
  expect(outsider.of(channel.id)).toContain("channel.reordered");
});

test("a hidden section can't be moved into and sends no events", async () => {
  const roleId = await createRole(manageChannels);
  await assign(insider, roleId);
  const given = { groupId, name: "hidden section", kind: "section" as const, private: true };
  const { channel: section } = await owner.do("channel.create", given);
  const { channel } = await insider.do("channel.create", { groupId, name: "mine" });
  const answer = await post(
    instance.url,
    "channel.update",
    { channelId: channel.id, sectionId: section.id },
    insider.person.accessToken,
  );
  expect(answer).toMatchObject({ ok: false, error: { type: "CHANNEL_NOT_FOUND" } });
  await settleAll();
  expect(insider.of(section.id)).toEqual([]);
});
