import type { ActionName, Channel, Message, Params, Result } from "@fanfare/contract";
import { must, post } from "@fanfare/testing";
import { TOTP } from "otpauth";

export const PASSWORD = "correct horse";

export interface Known {
  users: Record<"ann" | "bob" | "cleo" | "gil", { id: string; username: string | null }>;
  groupId: string;
  /** All messages of each channel, as returned by the version, in order of seq. */
  channels: Record<string, { id: string; messages: Message[] }>;
  /** Number of messages in the first channel that bob has not read. */
  unreadOfBob: number;
  /** Users to whom ann has sent direct messages, most recent first. */
  directsOfAnn: string[];
  /** The secret of cleo's second factor; null when the version has none. */
  totpSecret: string | null;
  /** null when the version has no files. */
  file: { channelId: string; messageId: string; attachmentId: string; text: string } | null;
  /** Which features the version has. */
  has: { reactions: boolean; thread: boolean; bot: boolean; role: boolean; pin: boolean };
}

interface Someone {
  user: { id: string };
  accessToken: string;
}

/**
 * Fills an instance of any version since the first with data of every kind that the version supports, by HTTP. Returns what a
 * client should find afterwards.
 */
export async function fill(url: string): Promise<Known> {
  /** @returns null when the version has no such action or rejects it */
  const maybe = async <N extends ActionName>(
    name: N,
    params: Params<N>,
    who: Someone,
  ): Promise<Result<N> | null> => {
    const answer = await post(url, name, params, who.accessToken);
    return answer.ok ? answer.data : null;
  };
  const ann = await must(url, "user.register", {
    username: "ann",
    password: PASSWORD,
    nickname: "Ännchen Ö",
  });
  const bob = await must(url, "user.register", { username: "bob", password: PASSWORD });
  const cleo = await must(url, "user.register", { username: "cleo", password: PASSWORD });
  const gil = await must(url, "user.createGuest", { nickname: "Gil" });
  const { group, channels } = await must(url, "group.create", { name: "Old friends" }, ann.accessToken);
  const [general] = channels as [Channel];
  const groupId = group.id;
  const { channel: news } = await must(url, "channel.create", { groupId, name: "news" }, ann.accessToken);
  const { invite } = await must(url, "invite.create", { groupId }, ann.accessToken);
  for (const one of [bob, cleo, gil])
    await must(url, "invite.accept", { code: invite.code }, one.accessToken);

  const say = async (
    who: Someone,
    channelId: string,
    content: string,
    replyTo?: string,
  ): Promise<Message> => {
    const nonce = `${channelId}-${content}`.slice(0, 60);
    const params = { channelId, content, nonce, ...(replyTo !== undefined && { replyTo }) };
    return (await must(url, "message.send", params, who.accessToken)).message;
  };
  const said: Message[] = [];
  for (let n = 1; n <= 60; n++)
    said.push(await say([ann, bob, cleo, gil][n % 4]!, general.id, `Word number ${n}`));
  const ofAnn = said.filter(({ authorId }) => authorId === ann.user.id);
  await say(bob, general.id, "An answer", ofAnn[0]!.id);
  for (const [times, message] of [ofAnn[1]!, ofAnn[2]!, ofAnn[1]!, ofAnn[1]!].entries()) {
    const params = { channelId: general.id, messageId: message.id, content: `Edited ${times}` };
    await must(url, "message.edit", params, ann.accessToken);
  }
  for (const message of [ofAnn[3]!, said[59]!]) {
    const params = { channelId: general.id, messageId: message.id };
    await must(url, "message.delete", params, ann.accessToken);
  }
  await say(ann, general.id, "After all that");
  await say(ann, news.id, "The only news");
  const wanted = ofAnn[4]!.id;
  const there = { channelId: general.id, messageId: wanted };
  const reacted = await maybe("message.react", { ...there, emoji: "👍" }, bob);
  await maybe("message.react", { ...there, emoji: "👍" }, cleo);
  const pinned = await maybe("message.pin", there, ann);
  const thread = await maybe("channel.openThread", there, bob);
  if (thread !== null) await say(cleo, thread.channel.id, "Said in the thread");
  const role = await maybe("role.create", { groupId, name: "Moderators", permissions: 0 }, ann);
  if (role !== null) await maybe("role.assign", { groupId, roleId: role.role.id, userId: bob.user.id }, ann);
  const bot = await maybe("bot.create", { groupId, name: "Robot", scopes: ["messages.read"] }, ann);

  const withBob = await must(url, "channel.openDirect", { userId: bob.user.id }, ann.accessToken);
  const withCleo = await must(url, "channel.openDirect", { userId: cleo.user.id }, ann.accessToken);
  await say(ann, withCleo.channel.id, "To Cleo");
  // Sorted by time in milliseconds, which is recorded a second late.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await say(bob, withBob.channel.id, "From Bob");
  await say(ann, withBob.channel.id, "To Bob");

  const file = await attach(url, ann, general.id);
  await must(url, "channel.markRead", { channelId: general.id, seq: 40 }, bob.accessToken);
  await must(url, "group.leave", { groupId }, gil.accessToken);
  const totpSecret = await turnOnSecondFactor(maybe, cleo);
  // Waits for delayed writes: reaction counts and times of the last message.
  await new Promise((resolve) => setTimeout(resolve, 3000));

  const named = {
    general,
    news,
    withBob: withBob.channel,
    withCleo: withCleo.channel,
    ...(thread && { thread: thread.channel }),
  };
  const seen: Known["channels"] = {};
  for (const [name, { id }] of Object.entries(named)) {
    const { messages } = await must(url, "message.list", { channelId: id, limit: 100 }, ann.accessToken);
    seen[name] = { id, messages };
  }
  const { channels: ofBob } = await must(url, "channel.list", { groupId }, bob.accessToken);
  const state = ofBob.find(({ id }) => id === general.id)!;
  const idOf = (one: Someone, username: string | null) => ({ id: one.user.id, username });
  return {
    users: { ann: idOf(ann, "ann"), bob: idOf(bob, "bob"), cleo: idOf(cleo, "cleo"), gil: idOf(gil, null) },
    groupId,
    channels: seen,
    unreadOfBob: state.head.seq - state.lastReadSeq,
    directsOfAnn: [withBob.channel.id, withCleo.channel.id],
    totpSecret,
    file,
    has: {
      reactions: reacted !== null,
      thread: thread !== null,
      bot: bot !== null,
      role: role !== null,
      pin: pinned !== null,
    },
  };
}

type Maybe = <N extends ActionName>(name: N, params: Params<N>, who: Someone) => Promise<Result<N> | null>;

async function turnOnSecondFactor(maybe: Maybe, who: Someone): Promise<string | null> {
  const pending = await maybe("user.setupTotp", { password: PASSWORD }, who);
  if (pending === null) return null;
  const code = new TOTP({ secret: pending.secret }).generate();
  return (await maybe("user.enableTotp", { code }, who)) === null ? null : pending.secret;
}

async function attach(url: string, who: Someone, channelId: string): Promise<Known["file"]> {
  const text = "What is in the file.";
  const response = await fetch(`${url}/api/file.upload?channelId=${channelId}&name=notes.txt`, {
    method: "POST",
    headers: { authorization: `Bearer ${who.accessToken}`, "content-type": "text/plain" },
    body: text,
  });
  const answer = (await response.json().catch(() => ({ ok: false }))) as {
    ok: boolean;
    data?: { file: { fileId: string } };
  };
  if (!answer.ok || answer.data === undefined) return null;
  const attachmentId = answer.data.file.fileId;
  const params = { channelId, content: "With a file", nonce: "with-a-file", attachmentIds: [attachmentId] };
  const { message } = await must(url, "message.send", params, who.accessToken);
  return { channelId, messageId: message.id, attachmentId, text };
}
