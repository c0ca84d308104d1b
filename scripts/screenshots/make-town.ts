import { FanfareClient } from "@fanfare/client";
import type { Message, SessionTokens } from "@fanfare/contract";

export interface Town {
  groupId: string;
  channelId: string;
  threadId: string;
  /** A new session of the user whose screen is shown. */
  login(): Promise<SessionTokens>;
  close(): void;
}

const PASSWORD = "correct horse";
const PEOPLE = ["Ada Lovelace", "Grace Hopper", "林晓雨", "Katherine Johnson", "Alan Turing"];

/** A group with online members and a conversation. */
export async function makeTown(url: string): Promise<Town> {
  const people: FanfareClient[] = [];
  // One after the other: the first account becomes the admin.
  for (const [index, nickname] of PEOPLE.entries())
    people.push(await person(url, `person${index}`, nickname));
  const [ada, grace, lin, katherine, alan] = people as [
    FanfareClient,
    FanfareClient,
    FanfareClient,
    FanfareClient,
    FanfareClient,
  ];
  const { group, channels } = await ada.call("group.create", { name: "Observatory" });
  const groupId = group.id;
  const channelId = channels[0]!.id;
  const { invite } = await ada.call("invite.create", { groupId });
  for (const one of people.slice(1)) await one.call("invite.accept", { code: invite.code });
  for (const name of ["Night School", "Radio Hams"]) await ada.call("group.create", { name });
  await makeChannels(ada, groupId);
  await ada.call("channel.update", { channelId, topic: "What happens under the dome tonight" });

  const write = async (
    who: FanfareClient,
    content: string,
    more: { replyTo?: string } = {},
  ): Promise<Message> =>
    (await who.call("message.send", { channelId, content, nonce: crypto.randomUUID(), ...more })).message;
  const react = (who: FanfareClient, { id }: Message, emoji: string) =>
    who.call("message.react", { channelId, messageId: id, emoji });

  const plan = await write(
    ada,
    "Good evening! The sky will be clear **from nine**. Tonight:\n\n1. Saturn while it is high\n2. the double cluster\n3. whatever the guests ask for",
  );
  for (const who of [grace, lin, katherine, alan]) await react(who, plan, "🔭");
  await react(lin, plan, "🎉");
  await write(grace, "Dome motor is fixed. It now waits for the limit switch:");
  await write(
    grace,
    "```ts\nfor (const side of dome.shutters) {\n  await side.open({ until: limitSwitch });\n}\n```",
  );
  const question = await write(lin, "今晚有十二位客人，要再准备一台望远镜吗？");
  await write(katherine, "Yes please! The small refractor is packed, I have it with me.", {
    replyTo: question.id,
  });
  const cable = await write(alan, "Does anybody have a spare power cable for it?");
  await react(katherine, cable, "👀");
  const { channel: thread } = await alan.call("channel.openThread", {
    channelId,
    messageId: cable.id,
    name: "Spare power cable",
  });
  await say(grace, thread.id, "How long does it have to be?");
  await say(alan, thread.id, "Ten metres would do.");
  await say(grace, thread.id, "I bring the long cable, and the drum.");
  await say(alan, thread.id, "Thank you! 🙏");
  const last = await write(lin, "太好了！See you there at eight. ✨");
  await react(grace, last, "❤️");
  await react(alan, last, "❤️");
  await ada.call("message.pin", { channelId, messageId: plan.id });
  const login = () => new FanfareClient({ url }).login({ username: "person0", password: PASSWORD });
  return {
    groupId,
    channelId,
    threadId: thread.id,
    login,
    close: () => people.forEach((one) => one.close()),
  };
}

async function person(url: string, username: string, nickname: string): Promise<FanfareClient> {
  const client = new FanfareClient({ url });
  await client.register({ username, password: PASSWORD, nickname });
  await client.connect();
  return client;
}

async function makeChannels(owner: FanfareClient, groupId: string): Promise<void> {
  const sections = { Tonight: ["weather", "guests"], Workshop: ["optics", "dome-control", "photographs"] };
  for (const [section, names] of Object.entries(sections)) {
    const { channel } = await owner.call("channel.create", { groupId, name: section, kind: "section" });
    for (const name of names) await owner.call("channel.create", { groupId, name, sectionId: channel.id });
  }
}

const say = (who: FanfareClient, channelId: string, content: string) =>
  who.call("message.send", { channelId, content, nonce: crypto.randomUUID() });
