import type { Message } from "@fanfare/contract";
import { must } from "@fanfare/testing";
import { TOTP } from "otpauth";
import { PASSWORD, type Known } from "./fill.ts";

/** Reads the data of `fill` like a client, with the old passwords. Writes one message. */
export async function readAsClient(url: string, { users, groupId, channels, totpSecret, file, has }: Known) {
  const logIn = async (username: string | null, code?: string): Promise<string> => {
    const params = { username: username!, password: PASSWORD, ...(code !== undefined && { code }) };
    return (await must(url, "user.login", params)).accessToken;
  };
  const ann = await logIn(users.ann.username);
  const bob = await logIn(users.bob.username);
  await logIn(users.cleo.username, totpSecret === null ? undefined : codeOf(totpSecret));

  const listed: Record<string, Message[]> = {};
  const synced: Record<string, Message[]> = {};
  for (const [name, { id: channelId }] of Object.entries(channels)) {
    listed[name] = (await must(url, "message.list", { channelId, limit: 100 }, ann)).messages;
    const changes = await must(url, "channel.sync", { cursors: [{ channelId, afterRev: 0 }] }, ann);
    synced[name] = changes.channels[0]!.messages.toSorted((a, b) => a.seq - b.seq);
  }
  const { channels: states } = await must(url, "channel.list", { groupId }, bob);
  const { id: channelId, head, lastReadSeq } = states.find(({ id }) => id === channels["general"]!.id)!;
  const directs = await must(url, "channel.listDirect", {}, ann);
  const found = await must(url, "message.search", { channelId, text: "number", limit: 25 }, ann);
  const people = await must(url, "user.search", { query: "ännch" }, bob);
  const { roles } = await must(url, "role.list", { groupId }, ann);
  const { bots } = await must(url, "bot.list", { groupId }, ann);
  const messageId = reactedTo(channels["general"]!.messages)?.id;
  const reactors =
    messageId === undefined
      ? null
      : (await must(url, "message.listReactors", { channelId, messageId, emoji: "👍" }, ann)).userIds;
  const { message } = await must(url, "message.send", { channelId, content: "Today", nonce: "today" }, bob);
  return {
    listed,
    synced,
    unreadOfBob: head.seq - lastReadSeq,
    directsOfAnn: directs.channels.map(({ id }) => id),
    found: found.messages[0]?.content,
    people: people.users.map(({ id }) => id),
    hasModerators: roles.some(({ name }) => name === "Moderators"),
    hasRobot: bots.some(({ name }) => name === "Robot"),
    hasPin: channels["general"]!.messages.some(({ pinnedAt }) => pinnedAt !== undefined),
    reactors,
    file: file === null ? null : await read(url, file.attachmentId, bob),
    sent: { seq: message.seq - head.seq, rev: message.rev - head.rev },
    has,
  };
}

/** The expected result of `readAsClient` when nothing is lost. */
export function expectedFindings({
  users,
  channels,
  unreadOfBob,
  directsOfAnn,
  file,
  has,
}: Known): Awaited<ReturnType<typeof readAsClient>> {
  const messages = Object.fromEntries(
    Object.entries(channels).map(([name, channel]) => [name, channel.messages]),
  );
  return {
    listed: messages,
    synced: messages,
    unreadOfBob,
    directsOfAnn,
    // The last one was deleted.
    found: "Word number 59",
    people: [users.ann.id],
    hasModerators: has.role,
    hasRobot: has.bot,
    hasPin: has.pin,
    reactors: has.reactions ? [users.bob.id, users.cleo.id] : null,
    file: file?.text ?? null,
    sent: { seq: 1, rev: 1 },
    has,
  };
}

const reactedTo = (messages: readonly Message[]): Message | undefined =>
  messages.find(({ reactions }) => reactions !== undefined);

async function read(url: string, fileId: string, accessToken: string): Promise<string> {
  const { url: address } = await must(url, "file.getUrl", { fileId }, accessToken);
  return (await fetch(new URL(address, url))).text();
}

/** The code of the next period, which is accepted too, because the current one may have been used. */
function codeOf(secret: string): string {
  const totp = new TOTP({ secret });
  return totp.generate({ timestamp: Date.now() + totp.period * 1000 });
}
