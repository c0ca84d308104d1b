import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { must } from "@fanfare/testing";
import type { Cluster } from "../../support/cluster.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

// Users added to a group DM receive its events and removed users do not, even if a process has cached the old members.

interface Person {
  id: string;
  client: FanfareClient;
  /** The texts received as events, by channel. */
  received: { channelId: string; content: string }[];
  gone: string[];
}

export function testDirectChannels(shared: () => Cluster): void {
  let people: [Person, Person, Person];
  const clients: FanfareClient[] = [];

  async function connectPerson(gateway: number): Promise<Person> {
    const url = shared().gateways[gateway]!.clientUrl;
    const tokens: SessionTokens = await must(url, "user.createGuest", {});
    const client = new FanfareClient({ url });
    clients.push(client);
    client.useTokens(tokens);
    const person: Person = { id: tokens.user.id, client, received: [], gone: [] };
    client.on("message.created", ({ channelId, messages }) => {
      for (const { content } of messages) person.received.push({ channelId, content });
    });
    client.on("channel.deleted", ({ channelId }) => person.gone.push(channelId));
    await client.connect();
    return person;
  }

  beforeEach(async () => {
    people = [await connectPerson(0), await connectPerson(1), await connectPerson(1)];
    const { group } = await people[0].client.call("group.create", { name: "A group" });
    const { invite } = await people[0].client.call("invite.create", { groupId: group.id });
    for (const { client } of people.slice(1)) await client.call("invite.accept", { code: invite.code });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  let sent = 0;
  const send = (from: Person, channelId: string, content: string) =>
    from.client.call("message.send", { channelId, content, nonce: String((sent += 1)) });
  const textsOf = ({ received }: Person, channelId: string) =>
    received.filter((one) => one.channelId === channelId).map(({ content }) => content);

  for (const round of [0, 1, 2, 3, 4])
    test(
      `added members receive events and removed ones don't (round ${round})`,
      { tags: round === 0 ? [] : "long" },
      async () => {
        const [ann, ben, cat] = people;
        const made = await ann.client.call("channel.createGroupDirect", { userIds: [ben.id] });
        const channelId = made.channel.id;
        // So that both workers and gateways cache the members.
        for (let warm = 0; warm < 4; warm += 1) await send(ben, channelId, `before ${warm}`);
        await ann.client.call("channel.addToDirect", { channelId, userId: cat.id });
        await expect
          .poll(async () => {
            await send(ben, channelId, "for three");
            return textsOf(cat, channelId);
          })
          .toContain("for three");
        const { messages } = await cat.client.call("message.list", { channelId });
        expect(messages.map(({ content }) => content)).toContain("before 0");

        await ann.client.call("channel.removeFromDirect", { channelId, userId: cat.id });
        await expect.poll(() => cat.gone).toContain(channelId);
        for (let secret = 0; secret < 4; secret += 1)
          await send(secret % 2 === 0 ? ann : ben, channelId, "for two");
        await expect.poll(() => textsOf(ben, channelId).filter((text) => text === "for two")).toHaveLength(4);
        // Each answer comes after the events that were published before it.
        await cat.client.call("user.me", {});
        expect(textsOf(cat, channelId)).not.toContain("for two");
        await expect(cat.client.call("message.list", { channelId })).rejects.toMatchObject({
          type: "CHANNEL_NOT_FOUND",
        });
      },
    );

  test("a private channel's thread is received only by users who see the channel, and only while they do", async () => {
    const [ann, ben, cat] = people;
    const [group] = (await ann.client.call("group.listMine", {})).groups;
    const { channel } = await ann.client.call("channel.create", {
      groupId: group!.id,
      name: "private",
      private: true,
      memberIds: [ben.id],
    });
    const { message } = await send(ann, channel.id, "the root");
    const root = { channelId: channel.id, messageId: message.id };
    const thread = (await ben.client.call("channel.openThread", root)).channel;
    await send(ann, thread.id, "for two");
    await expect.poll(() => textsOf(ben, thread.id)).toEqual(["for two"]);
    const target = { type: "member", id: cat.id } as const;
    await ann.client.call("channel.setOverride", { channelId: channel.id, target, allow: 1, deny: 0 });
    await expect
      .poll(async () => {
        await send(ben, thread.id, "for three");
        return textsOf(cat, thread.id);
      })
      .toContain("for three");
    await ann.client.call("channel.removeOverride", { channelId: channel.id, target });
    await expect.poll(() => cat.gone).toContain(channel.id);
    for (const from of [ann, ben]) await send(from, thread.id, "no longer");
    await expect.poll(() => textsOf(ben, thread.id).filter((text) => text === "no longer")).toHaveLength(2);
    await cat.client.call("user.me", {});
    expect(textsOf(cat, thread.id)).not.toContain("no longer");
    expect(textsOf(cat, thread.id)).not.toContain("for two");
  });
}
