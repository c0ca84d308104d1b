import { FanfareClient } from "@fanfare/client";
import type { Channel, Message } from "@fanfare/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChannelHistory } from "../../web/src/data/channel-history.ts";
import { joinLive } from "../../web/src/data/history-window.ts";
import { type Instance, startInstance } from "../support/instance.ts";

const COUNT = 260;

describe("channel history", () => {
  let instance: Instance;
  let ada: FanfareClient;
  let bob: FanfareClient;
  let channel: Channel;
  let sent: Message[];

  async function register(username: string): Promise<FanfareClient> {
    const client = new FanfareClient({ url: instance.url });
    await client.register({ username, password: "correct horse" });
    await client.connect();
    return client;
  }

  beforeAll(async () => {
    instance = await startInstance();
    [ada, bob] = await Promise.all([register("ada"), register("bob")]);
    const made = await ada.call("group.create", { name: "Rockets" });
    channel = made.channels[0]!;
    const { invite } = await ada.call("invite.create", { groupId: made.group.id });
    await bob.call("invite.accept", { code: invite.code });
    const view = ada.channel(channel.id);
    sent = [];
    for (let index = 0; index < COUNT; index++) sent.push(await view.send(`message ${index + 1}`));
  });

  afterAll(async () => {
    ada?.close();
    bob?.close();
    await instance?.stop();
  });

  /** The server's messages in a range of seqs. */
  async function stored(from: number, to: number): Promise<Message[]> {
    const messages: Message[] = [];
    for (let after = from - 1; after < to; after += 100) {
      const page = await ada.call("message.list", { channelId: channel.id, after, limit: 100 });
      messages.push(...page.messages);
    }
    return messages.filter(({ seq }) => seq <= to);
  }

  const expectExact = (history: ChannelHistory): Promise<void> =>
    expect
      .poll(async () => {
        const messages = history.get()!.messages;
        const server = await stored(messages[0]!.seq, messages.at(-1)!.seq);
        return JSON.stringify(server) === JSON.stringify(messages);
      })
      .toBe(true);

  test("opens at a message, seq or time, grows, follows events and joins the live copy", async () => {
    const history = new ChannelHistory(bob, channel.id);
    const view = bob.channel(channel.id);
    await view.load();
    expect(await history.open({ atTime: sent[79]!.createdAt })).toBeLessThanOrEqual(sent[79]!.seq);
    expect(await history.open({ messageId: sent[99]!.id })).toBe(sent[99]!.seq);
    expect(await history.open({ seq: 120 })).toBe(120);
    await expectExact(history);

    const editor = ada.channel(channel.id);
    await editor.edit(sent[118]!.id, "edited");
    await editor.delete(sent[119]!.id);
    await ada.call("message.react", { channelId: channel.id, messageId: sent[120]!.id, emoji: "🚀" });
    await expectExact(history);
    await expect
      .poll(() => history.get()!.messages.find(({ id }) => id === sent[120]!.id)?.reactions)
      .toHaveLength(1);

    // While pages are loading.
    const changes = [110, 90, 140, 165].map((index) => editor.edit(sent[index]!.id, `edited ${index}`));
    await Promise.all([history.loadOlder(), history.loadNewer(), ...changes]);
    await expectExact(history);

    expect(joinLive(history.get()!, view.messages).isLive).toBe(false);
    while (!joinLive(history.get()!, view.messages).isLive) await history.loadNewer();
    const joined = joinLive(history.get()!, view.messages).messages;
    expect(joined.map(({ seq }) => seq)).toEqual(
      Array.from({ length: joined.length }, (_, index) => joined[0]!.seq + index),
    );
    expect(joined.at(-1)!.id).toBe(sent.at(-1)!.id);

    while (history.get()!.hasOlder) await history.loadOlder();
    expect(history.get()!.messages[0]!.seq).toBe(1);
    await expectExact(history);
    history.close();
    expect(history.get()).toBeNull();
  });

  test("an open in progress survives scrolling to the end, but not closing", async () => {
    const history = new ChannelHistory(bob, channel.id);
    const opening = history.open({ seq: 40 });
    history.releaseOlder();
    expect(await opening).toBe(40);
    expect(history.get()).not.toBeNull();
    const again = history.open({ seq: 50 });
    history.close();
    expect(await again).toBeNull();
    expect(history.get()).toBeNull();
    await history.open({ seq: 40 });
    history.releaseOlder();
    expect(history.get()).toBeNull();
  });

  test("a missing message opens no window", async () => {
    const history = new ChannelHistory(bob, channel.id);
    await expect(history.open({ messageId: "0".repeat(24) })).rejects.toMatchObject({
      type: "MESSAGE_NOT_FOUND",
    });
    expect(history.get()).toBeNull();
  });
});
