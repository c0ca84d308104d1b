import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { PERMISSIONS } from "@fanfare/contract";
import { createAccount, must, post } from "@fanfare/testing";
import type { Cluster } from "../../support/cluster.ts";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Listener } from "../listener.ts";

// Users who are kicked or lose access to a channel through one gateway receive nothing more at the other.

const { view, kickMembers, banMembers } = PERMISSIONS;
const EVERYONE = { type: "everyone" as const };

export function testPrivateChannels(shared: () => Cluster): void {
  let here: string;
  let there: string;
  let owner: Listener;
  let moderator: Listener;
  let insider: Listener;
  let outsider: Listener;
  let groupId: string;
  let roleId: string;

  beforeAll(() => {
    [here, there] = shared().gateways.map(({ url }) => url) as [string, string];
  });

  beforeEach(async () => {
    const urls = [here, there, there, there];
    const people = await Promise.all(urls.map((url) => createAccount(url)));
    const { accessToken } = people[0]!;
    groupId = (await must(here, "group.create", { name: "A group" }, accessToken)).group.id;
    const { invite } = await must(here, "invite.create", { groupId }, accessToken);
    for (const person of people.slice(1)) {
      await must(there, "invite.accept", { code: invite.code }, person.accessToken);
    }
    const listening = people.map((person, index) => new Listener(urls[index]!, person));
    await Promise.all(listening.map(({ ready }) => ready));
    [owner, moderator, insider, outsider] = listening as [Listener, Listener, Listener, Listener];
    const permissions = kickMembers | banMembers;
    roleId = (await owner.do("role.create", { groupId, name: "Staff", permissions })).role.id;
    await owner.do("role.assign", { groupId, userId: moderator.person.userId, roleId });
  });
  afterEach(() => {
    for (const { socket } of [owner, moderator, insider, outsider]) socket.disconnect();
  });

  let nonces = 0;
  const send = (from: Listener, channelId: string, content: string) =>
    from.do("message.send", { channelId, content, nonce: String((nonces += 1)) });
  const general = async () => (await owner.do("channel.list", { groupId })).channels[0]!.id;
  /** Fetches what was missed after a resync, as a client does. */
  const expectReceived = async (who: Listener, channelId: string, content: string): Promise<void> => {
    while (!who.contents().includes(content)) {
      await delay(5);
      if (!who.received.some(({ name }) => name === "resync")) continue;
      const { channels } = await who.do("channel.sync", { cursors: [{ channelId, afterRev: 0 }] });
      if (channels[0]!.messages.some((message) => message.content === content)) return;
    }
  };

  for (const name of ["group.kick", "group.ban"] as const)
    test(
      `a member removed by ${name}, with a role and a private channel, receives nothing after the response`,
      { tags: name === "group.ban" ? [] : "long" },
      async () => {
        const channelId = await general();
        const { role } = await owner.do("role.create", { groupId, name: "Friends" });
        const userId = insider.person.userId;
        // Ranked below the moderator's own role, because it was created later.
        await owner.do("role.assign", { groupId, userId, roleId: role.id });
        const given = { groupId, name: "private", private: true, roleIds: [role.id, roleId] };
        const hidden = (await owner.do("channel.create", given)).channel.id;
        await send(owner, hidden, "before");
        await expectReceived(insider, hidden, "before");
        await moderator.do(name, { groupId, userId, reason: "spam" });
        await Promise.all([send(owner, channelId, "to all"), send(owner, hidden, "to friends")]);
        const typing = { channelId: hidden };
        await owner.do("channel.typing", typing);
        await Promise.all([
          expectReceived(moderator, channelId, "to all"),
          expectReceived(moderator, hidden, "to friends"),
        ]);
        await insider.settle();
        expect(insider.contents().filter((content) => content !== "before")).toEqual([]);
        expect(insider.received.at(-1)?.name).toBe("group.left");
        for (const url of [here, there]) {
          const answer = await post(url, "message.list", { channelId: hidden }, insider.person.accessToken);
          expect(answer).toMatchObject({ ok: false, error: { type: "CHANNEL_NOT_FOUND" } });
        }
        const refused = { groupId, userId: owner.person.userId };
        const answer = await post(there, name, refused, moderator.person.accessToken);
        expect(answer).toMatchObject({ ok: false, error: { type: "FORBIDDEN" } });
      },
    );

  test("users who join after the first private channel of a group was created receive its events, whichever worker is asked", async () => {
    // Their first logins make both workers cache that the group has no private channel.
    const given = { groupId, name: "private", private: true, roleIds: [roleId] };
    const hidden = (await owner.do("channel.create", given)).channel.id;
    const again = [here, there, here, there].map((url) => new Listener(url, moderator.person));
    const stranger = new Listener(here, outsider.person);
    await Promise.all([...again, stranger].map(({ ready }) => ready));
    await send(owner, hidden, "psst");
    for (const listener of again) await expectReceived(listener, hidden, "psst");
    await stranger.settle();
    expect(stranger.of(hidden)).toEqual([]);
    for (const { socket } of [...again, stranger]) socket.disconnect();
  });

  test("assigning and unassigning a role through one gateway opens and closes a channel at the other", async () => {
    const given = { groupId, name: "private", private: true, roleIds: [roleId] };
    const channelId = (await owner.do("channel.create", given)).channel.id;
    const who = { groupId, userId: insider.person.userId, roleId };
    for (let round = 0; round < 5; round += 1) {
      await owner.do("role.assign", who);
      await send(owner, channelId, `with ${round}`);
      await expectReceived(insider, channelId, `with ${round}`);
      await owner.do("role.unassign", who);
      await send(owner, channelId, `without ${round}`);
      await expectReceived(moderator, channelId, `without ${round}`);
    }
    await insider.settle();
    expect(insider.contents().filter((content) => !content.startsWith("with "))).toEqual([]);
    expect(outsider.of(channelId)).toEqual([]);
  });

  test("switching between public and private, with both workers writing, leaks nothing and loses nothing", async () => {
    const channelId = await general();
    const staff = { type: "role" as const, id: roleId };
    await owner.do("channel.setOverride", { channelId, target: staff, allow: view, deny: 0 });
    const talk = { goesOn: true };
    let sent = 0;
    const chatter = (async () => {
      while (talk.goesOn) {
        const both = [owner, moderator].map((from) => send(from, channelId, `m${(sent += 1)}`));
        await Promise.all(both);
      }
    })();
    const privately: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      await owner.do("channel.setOverride", { channelId, target: EVERYONE, allow: 0, deny: view });
      for (const from of [owner, moderator]) {
        const content = `private ${round} of ${from.person.userId}`;
        privately.push(content);
        await send(from, channelId, content);
      }
      const params = { cursors: [{ channelId, afterRev: 0 }] };
      const synced = await outsider.do("channel.sync", params);
      expect(synced.channels).toMatchObject([{ status: "gone", messages: [] }]);
      await owner.do("channel.removeOverride", { channelId, target: EVERYONE });
    }
    talk.goesOn = false;
    await chatter;
    await send(owner, channelId, "the end");
    await Promise.all([owner, moderator, outsider].map((who) => expectReceived(who, channelId, "the end")));
    expect(outsider.contents().filter((content) => privately.includes(content))).toEqual([]);
    for (const who of [owner, moderator]) {
      expect(new Set(who.contents()).size).toBe(who.contents().length);
      // A gateway that must first subscribe to a room requests a resync, and what was missed is fetched.
      const wasResynced = who.received.some(({ name }) => name === "resync");
      expect(wasResynced || who.contents().length === sent + privately.length + 1).toBe(true);
    }
  });

  test("a file uploaded at one gateway can be read at the other, until the reader is kicked", async () => {
    const { person: reader } = insider;
    const hidden = { groupId, name: "hidden", private: true, memberIds: [reader.userId] };
    const channelId = (await owner.do("channel.create", hidden)).channel.id;
    const bytes = randomBytes(500_000);
    const query = new URLSearchParams({ channelId, name: "data.bin" });
    const response = await fetch(`${here}/api/file.upload?${query.toString()}`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.person.accessToken}` },
      body: bytes,
    });
    const { data } = (await response.json()) as { data: { file: { fileId: string } } };
    const { fileId } = data.file;
    const sent = { channelId, content: "here", nonce: "file", attachmentIds: [fileId] };
    const { message } = await must(there, "message.send", sent, owner.person.accessToken);

    const { url } = await must(there, "file.getUrl", { fileId }, reader.accessToken);
    for (const gateway of [here, there]) {
      const read = await fetch(gateway + url);
      expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
    }
    await owner.do("group.kick", { groupId, userId: reader.userId });
    for (const gateway of [here, there]) {
      const refused = await post(gateway, "file.getUrl", { fileId }, reader.accessToken);
      expect(refused).toMatchObject({ ok: false, error: { type: "FILE_NOT_FOUND" } });
    }
    const removed = { channelId, messageId: message.id };
    await must(there, "message.delete", removed, owner.person.accessToken);
    for (const gateway of [here, there]) expect((await fetch(gateway + url)).status).toBe(404);
  });
}
