import { FanfareClient } from "@fanfare/client";
import type { Message, SessionTokens } from "@fanfare/contract";
import { PERMISSIONS } from "@fanfare/contract/permissions";

export interface Town {
  groupId: string;
  channelId: string;
  threadId: string;
  /** A new session of the user whose screen is shown. */
  login(): Promise<SessionTokens>;
  close(): void;
}

const PASSWORD = "correct horse";
const PEOPLE = {
  ada: "Ada Lovelace",
  grace: "Grace Hopper",
  linxiaoyu: "林晓雨",
  katherine: "Katherine Johnson",
  alan: "Alan Turing",
};

/** Creates a group with online members and a conversation. */
export async function makeTown(url: string): Promise<Town> {
  const people: FanfareClient[] = [];
  // One after the other: the first account becomes the admin.
  for (const [username, nickname] of Object.entries(PEOPLE))
    people.push(await person(url, username, nickname));
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
  await ada.call("channel.update", { channelId, topic: "Tonight under the dome" });

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
  await write(katherine, "Yes, please! The small refractor is packed. I have it with me.", {
    replyTo: question.id,
  });
  const cable = await write(alan, "Does anyone have a spare power cable for it?");
  await react(katherine, cable, "👀");
  const { channel: thread } = await alan.call("channel.openThread", {
    channelId,
    messageId: cable.id,
    name: "Spare power cable",
  });
  await say(grace, thread.id, "How long does it need to be?");
  await say(alan, thread.id, "Ten meters would do.");
  await say(grace, thread.id, "I'll bring the long cable, and the reel.");
  await say(alan, thread.id, "Thank you! 🙏");
  const last = await write(lin, "太好了！See you there at eight. ✨");
  await react(grace, last, "❤️");
  await react(alan, last, "❤️");
  await ada.call("message.pin", { channelId, messageId: plan.id });
  await makeRoles(ada, groupId, [grace, katherine]);
  await makeMentions({ ada, grace, alan }, await findChannel(ada, groupId, "weather"));
  const login = () => new FanfareClient({ url }).login({ username: "ada", password: PASSWORD });
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

/** Two roles; the moderators get members. */
async function makeRoles(owner: FanfareClient, groupId: string, moderators: FanfareClient[]): Promise<void> {
  const { view, sendMessages, attachFiles, addReactions, manageMessages, muteMembers, kickMembers } =
    PERMISSIONS;
  const participation = view | sendMessages | attachFiles | addReactions;
  const moderation = participation | manageMessages | muteMembers | kickMembers;
  const { role } = await owner.call("role.create", {
    groupId,
    name: "Moderators",
    color: 0xd9822b,
    permissions: moderation,
  });
  await owner.call("role.create", { groupId, name: "Guides", color: 0x2e9e5b, permissions: participation });
  for (const { user } of moderators)
    await owner.call("role.assign", { groupId, userId: user!.id, roleId: role.id });
}

async function findChannel(client: FanfareClient, groupId: string, name: string): Promise<string> {
  const { channels } = await client.call("channel.list", { groupId });
  return channels.find((channel) => channel.name === name)!.id;
}

/** Something for the inbox of the user whose screen is shown. */
async function makeMentions(
  { ada, grace, alan }: Record<"ada" | "grace" | "alan", FanfareClient>,
  channelId: string,
): Promise<void> {
  const { message } = await say(ada, channelId, "High clouds from the west, gone by nine.");
  await grace.call("message.send", {
    channelId,
    content: "Good news! I'll open the dome at half past eight, then.",
    nonce: crypto.randomUUID(),
    replyTo: message.id,
    mentionAuthor: true,
  });
  await say(alan, channelId, `<@${ada.user!.id}> can you check the forecast for Saturday, too?`);
}

const say = (who: FanfareClient, channelId: string, content: string) =>
  who.call("message.send", { channelId, content, nonce: crypto.randomUUID() });
