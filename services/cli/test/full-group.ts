import { readFile } from "node:fs/promises";
import { PERMISSIONS, type GroupFileLine } from "@fanfare/contract";
import { createAccount, createWorld, must, type Person, type World } from "@fanfare/testing";

export interface FullGroup {
  world: World;
  /** A member with an account and a role. */
  ada: Person & { username: string };
}

/** Creates a group with every kind of content that a group file can contain. */
export async function makeFullGroup(url: string): Promise<FullGroup> {
  const world = await createWorld(url);
  const ada = await createAccount(url);
  const { owner, group, channel, message } = world;
  const groupId = group.id;
  const as = owner.accessToken;
  await must(url, "invite.accept", { code: world.inviteCode }, ada.accessToken);
  const { role } = await must(url, "role.create", { groupId, name: "Crew" }, as);
  await must(url, "role.assign", { groupId, userId: ada.userId, roleId: role.id }, as);
  const section = await must(url, "channel.create", { groupId, name: "More", kind: "section" }, as);
  const sectionId = section.channel.id;
  const secret = await must(url, "channel.create", { groupId, name: "hidden", sectionId }, as);
  const hidden = secret.channel.id;
  await must(url, "channel.create", { groupId, name: "Lounge", kind: "voice", sectionId }, as);
  const target = { type: "everyone" } as const;
  const override = { channelId: hidden, target, allow: 0, deny: PERMISSIONS.view };
  await must(url, "channel.setOverride", override, as);
  const crew = { type: "role", id: role.id } as const;
  await must(url, "channel.setOverride", { ...override, target: crew, allow: PERMISSIONS.view, deny: 0 }, as);
  const ids = { channelId: channel.id, messageId: message.id };
  const content = `Hello <@${ada.userId}> and <@&${role.id}>, @everyone`;
  await must(url, "message.send", { channelId: channel.id, content, nonce: "a", replyTo: message.id }, as);
  await must(url, "message.send", { channelId: hidden, content: "between us", nonce: "b" }, ada.accessToken);
  await must(url, "message.pin", ids, as);
  await must(url, "message.react", { ...ids, emoji: "👍" }, as);
  await must(url, "message.react", { ...ids, emoji: "👍" }, ada.accessToken);
  const { channel: thread } = await must(url, "channel.openThread", ids, as);
  await must(url, "message.send", { channelId: thread.id, content: "aside", nonce: "c" }, as);
  const again = await must(url, "message.send", { channelId: channel.id, content: "x", nonce: "d" }, as);
  const edit = { channelId: channel.id, messageId: again.message.id, content: "elephants" };
  await must(url, "message.edit", edit, as);
  const robot = { groupId, name: "Robot", scopes: ["messages.write" as const] };
  const { token } = await must(url, "bot.create", robot, as);
  const cards = [{ title: "Build 7", text: `For <@${ada.userId}>`, color: 255, footer: "CI" }];
  const controls = [{ kind: "button" as const, id: "retry", label: "Retry" }];
  await must(url, "message.send", { channelId: channel.id, content: "", nonce: "e", cards, controls }, token);
  await must(url, "group.setWordFilter", { groupId, words: ["heck"] }, as);
  await must(url, "group.update", { groupId, needsApproval: true, raidLimit: 20 }, as);
  return { world, ada };
}

/** The lines of a file with normalized ids and without the checksum. */
export async function shape(path: string): Promise<GroupFileLine[]> {
  const text = await readFile(path, "utf8");
  const seen = new Map<string, string>();
  const plain = text.replaceAll(/\b[0-9a-f]{24}\b/g, (id) => {
    if (!seen.has(id)) seen.set(id, `#${seen.size}`);
    return seen.get(id)!;
  });
  const lines = plain.trim().split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as GroupFileLine);
}
