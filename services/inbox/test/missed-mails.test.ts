import { FanfareClient } from "@fanfare/client";
import type { Params, SessionTokens } from "@fanfare/contract";
import { createGuest, must, post, type Person } from "@fanfare/testing";
import { mongo, Types } from "mongoose";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Mailbox, startMailbox } from "../../../test/integration/mailbox.ts";
import { type Instance, startInstance } from "../../../test/support/instance.ts";
import { MISSED_PER_USER } from "../src/constants.ts";
import { createMissedRepository } from "../src/mail/missed.repository.ts";
import { PushService } from "./push-service.ts";

// Users who aren't connected get one email about what they have missed, and none about what they have read or can't see.

const PUBLIC_URL = "https://chat.example.org";
const PASSWORD = "correct horse";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MISSED = /Unread messages/;

let mailbox: Mailbox;
let instance: Instance;
let pushes: PushService;
let owner: Person;
let groupId: string;
let channelId: string;
let watchersId: string;
beforeAll(async () => {
  mailbox = await startMailbox();
  const env = { OUTBOUND_ALLOW: "127.0.0.0/8", PUBLIC_URL };
  instance = await startInstance({ ...mailbox.env, ...env });
});
afterAll(async () => {
  await instance?.stop();
  await mailbox?.stop();
});

beforeEach(async () => {
  owner = await createGuest(instance.url);
  await must(instance.url, "user.updateProfile", { nickname: "Ann" }, owner.accessToken);
  const made = await must(instance.url, "group.create", { name: "Rockets" }, owner.accessToken);
  groupId = made.group.id;
  channelId = made.channels[0]!.id;
  pushes = await PushService.start();
  const watcher = await createGuest(instance.url);
  await join(watcher.accessToken);
  watchersId = await newRole(watcher.userId);
  await must(instance.url, "push.subscribe", pushes.subscription("watcher"), watcher.accessToken);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  mailbox.mails.length = 0;
  await pushes.stop();
});

async function join(accessToken: string): Promise<void> {
  const { invite } = await must(instance.url, "invite.create", { groupId }, owner.accessToken);
  await must(instance.url, "invite.accept", { code: invite.code }, accessToken);
}

let roles = 0;
async function newRole(userId: string): Promise<string> {
  const role = { groupId, name: `role${(roles += 1)}`, mentionable: true };
  const { id: roleId } = (await must(instance.url, "role.create", role, owner.accessToken)).role;
  await must(instance.url, "role.assign", { groupId, userId, roleId }, owner.accessToken);
  return roleId;
}

type Reader = SessionTokens & { email: string; userId: string };

let readers = 0;
interface ReaderOptions {
  verified?: boolean;
  locale?: "en" | "zh";
}

async function newReader({ verified = true, locale = "en" }: ReaderOptions = {}): Promise<Reader> {
  const username = `reader${(readers += 1)}`;
  const email = `${username}@example.org`;
  const account = { username, password: PASSWORD, nickname: `Ben ${readers}`, email, locale };
  const tokens = await must(instance.url, "user.register", account);
  const { token } = await mailbox.next(email, /./);
  if (verified) await must(instance.url, "user.verifyEmail", { token });
  await join(tokens.accessToken);
  return { ...tokens, email, userId: tokens.user.id };
}

let nonces = 0;
async function send(content: string, to = channelId, from = owner) {
  const params = { channelId: to, content, nonce: String((nonces += 1)) };
  return (await must(instance.url, "message.send", params, from.accessToken)).message;
}
const mention = ({ userId }: Reader, text = "look", from = owner) =>
  send(`${text} <@${userId}>`, channelId, from);
const openDirect = async ({ userId }: Reader): Promise<string> =>
  (await must(instance.url, "channel.openDirect", { userId }, owner.accessToken)).channel.id;
const configure = ({ accessToken }: Reader, params: Params<"notification.setPreferences">) =>
  must(instance.url, "notification.setPreferences", params, accessToken);
const preferencesOf = async ({ accessToken }: Reader) =>
  (await must(instance.url, "notification.getPreferences", {}, accessToken)).preferences;

/** Sends a message whose push shows that all earlier ones have been processed. */
async function processed(): Promise<void> {
  const before = pushes.received.length;
  await send(`<@&${watchersId}> done`);
  await vi.waitFor(() => expect(pushes.received.length).toBeGreaterThan(before), 30_000);
}

/** Waits until an hour, or another time, has passed for the server. */
async function pass(ms = HOUR_MS + 1000): Promise<void> {
  await processed();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

/** Who gets an email when the time has passed, up to this reader, who is the last to miss something. */
async function mailedTo(last: Reader, ms?: number): Promise<Set<string>> {
  await mention(last, "the last");
  await pass(ms);
  await vi.waitFor(() => expect(mailbox.mails.map(({ to }) => to)).toContain(last.email));
  vi.useRealTimers();
  return new Set(mailbox.mails.splice(0).map(({ to }) => to));
}

test("one email has the mentions and direct messages that a user missed, with links to read and to turn it off", async () => {
  const reader = await newReader();
  const crew = await newRole(reader.userId);
  await configure(reader, { keywords: ["launch"] });
  await mention(reader, "first <b>bold</b>\nsecond line");
  await send(`<@&${crew}> listen`);
  await send("the launch is near");
  await send("nothing for anyone");
  const direct = await openDirect(reader);
  const { id } = await send("psst", direct);
  await pass();
  const { text, html, headers } = await mailbox.next(reader.email, MISSED);
  expect(text).toContain(`Ann mentioned you · #general, Rockets · `);
  expect(text).toMatch(/> first <b>bold<\/b>\n> second line @Ben \d+\n/);
  expect(text).toMatch(/Ann mentioned you · #general, Rockets · .* UTC\n> @role listen\n/);
  expect(text).toMatch(/Ann used one of your keywords · #general, Rockets · .* UTC\n> the launch is near\n/);
  expect(text).toMatch(/\nAnn · Direct message · .* UTC\n> psst\n/);
  expect(text).not.toContain("nothing for anyone");
  expect(text).toContain(`\n${PUBLIC_URL}/direct/${direct}?message=${id}\n`);
  expect(text).toContain(`: ${PUBLIC_URL}/settings/notifications\n`);
  expect(html).toContain("first &lt;b&gt;bold&lt;/b&gt;<br>second line");
  const [, url] = /^<(.+)>$/.exec(headers.get("list-unsubscribe") ?? "")!;
  expect(url).toMatch(new RegExp(`^${PUBLIC_URL}/unsubscribe\\?token=${reader.userId}\\.`));
  expect(text).toContain(`: ${url}\n`);
  expect(headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
  vi.useRealTimers();

  // The next ones are a new email.
  const later = await mention(reader, "later");
  await pass();
  const next = await mailbox.next(reader.email, MISSED);
  expect(next.text).toContain(
    `\n${PUBLIC_URL}/groups/${groupId}/channels/${channelId}?message=${later.id}\n`,
  );
  expect(next.text).toContain("> later @Ben");
  expect(next.text).not.toContain("first");
  expect(mailbox.mails).toEqual([]);
});

test("the email has the newest ten, says how many more there are, and is in the user's language", async () => {
  const reader = await newReader({ locale: "zh" });
  for (let i = 1; i <= 12; i += 1) await mention(reader, `number ${i};`);
  await pass();
  const { text } = await mailbox.next(reader.email, /你在 chat\.example\.org 有未读消息/);
  expect(text.match(/number \d+/g)).toEqual(Array.from({ length: 10 }, (_, i) => `number ${i + 3}`));
  expect(text).toContain("其他未读消息：2 条");
});

test(
  "nothing is sent about what a user has read, muted, or can't see, or to one who is back or doesn't want it",
  { tags: "long" },
  async () => {
    const names = ["read", "muted", "kicked", "back", "off", "deleted", "blocking", "everyone"] as const;
    const all = {} as Record<(typeof names)[number], Reader>;
    for (const name of names) all[name] = await newReader();
    const unverified = await newReader({ verified: false });
    const connected = await newReader();
    const last = await newReader();
    const client = new FanfareClient({ url: instance.url });
    client.useTokens(connected);
    await client.connect();
    const watched = { userIds: [connected.userId] };
    await vi.waitFor(async () => {
      const { presences } = await must(instance.url, "presence.watch", watched, owner.accessToken);
      expect(presences).toMatchObject([{ status: "online" }]);
    });
    const mute = { channelId, mutedUntil: "9999-12-31T00:00:00.000Z" };
    await must(instance.url, "notification.set", mute, all.muted.accessToken);
    await configure(all.off, { emails: "off" });
    await must(instance.url, "user.block", { userId: owner.userId }, all.blocking.accessToken);
    for (const name of names) if (name !== "everyone") await mention(all[name]);
    await mention(unverified);
    await mention(connected);
    const { seq } = await send("@everyone listen");
    await must(instance.url, "channel.markRead", { channelId, seq }, all.read.accessToken);
    await must(instance.url, "group.kick", { groupId, userId: all.kicked.userId }, owner.accessToken);
    await must(instance.url, "user.deleteMe", { password: PASSWORD }, all.deleted.accessToken);
    await must(instance.url, "user.refresh", { refreshToken: all.back.refreshToken });
    expect(await mailedTo(last)).toEqual(new Set([last.email]));
    client.close();
  },
);

test("what a user has muted, blocked or can't see doesn't displace the rest", { tags: "long" }, async () => {
  const [reader, outsider] = [await newReader(), await newReader()];
  const stranger = await createGuest(instance.url);
  await join(stranger.accessToken);
  await must(instance.url, "user.block", { userId: stranger.userId }, reader.accessToken);
  const crew = await newRole(reader.userId);
  const staff = { groupId, name: "staff", private: true };
  const { channel: hidden } = await must(instance.url, "channel.create", staff, owner.accessToken);
  const [direct, other] = [await openDirect(reader), await openDirect(outsider)];
  const mute = { channelId: direct, mutedUntil: "9999-12-31T00:00:00.000Z" };
  await must(instance.url, "notification.set", mute, reader.accessToken);
  await must(instance.url, "group.kick", { groupId, userId: outsider.userId }, owner.accessToken);
  await mention(reader, "important");
  await send("important", other);
  for (let i = 0; i < MISSED_PER_USER; i += 1) {
    await send("muted", direct);
    await mention(outsider, "unseen");
    await mention(reader, "unseen", stranger);
    await send(`unseen <@&${crew}>`, hidden.id);
  }
  await pass();
  for (const { email } of [reader, outsider]) {
    const { text } = await mailbox.next(email, MISSED);
    expect(text).toContain("> important");
    expect(text).not.toMatch(/muted|unseen/);
  }
});

test("newer messages don't put the email off", async () => {
  const reader = await newReader();
  await configure(reader, { emails: "quarterHour" });
  await mention(reader, "first");
  await pass(8 * MINUTE_MS);
  for (let i = 0; i < MISSED_PER_USER; i += 1) await mention(reader, "further");
  await pass(8 * MINUTE_MS);
  expect((await mailbox.next(reader.email, MISSED)).text).toContain("> further");
});

test("what several processes note of a user at the same time is all kept", async () => {
  const { userId } = await newReader();
  const stored = instance.collection("missedMessages");
  const missed = createMissedRepository(stored.conn);
  const messages = await Promise.all(Array.from({ length: 10 }, (_, n) => send(`message ${n}`)));
  const added = messages.map((message) => missed.add([{ userId, message, reason: "mention" }]));
  expect((await Promise.all(added)).filter((dueAt) => dueAt !== null)).toHaveLength(1);
  const found = await stored.findOneAndDelete({ _id: new Types.ObjectId(userId) });
  expect(found).toMatchObject({ count: messages.length });
});

/** The first try to enqueue an email fails, before or after the email was stored; meanwhile, its reader misses "in between". */
async function failToEnqueue(
  reader: Awaited<ReturnType<typeof newReader>>,
  { isStored }: { isStored: boolean },
) {
  let hasFailed = false;
  const updateOne = Reflect.get(mongo.Collection.prototype, "updateOne") as mongo.Collection["updateOne"];
  const spy = vi.spyOn(mongo.Collection.prototype, "updateOne").mockImplementation(async function (
    this: mongo.Collection,
    filter,
    ...rest
  ) {
    if (filter["kind"] !== "mail.sendOptional") return updateOne.call(this, filter, ...rest);
    spy.mockRestore();
    if (isStored) await updateOne.call(this, filter, ...rest);
    vi.useRealTimers();
    await mention(reader, "in between");
    await processed();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR_MS });
    hasFailed = true;
    throw new Error("The database is away.");
  });
  await pass();
  await vi.waitFor(() => expect(hasFailed).toBe(true), 30_000);
}

/** The next try is half a minute later. In small steps, because keys of emails are only remembered for an hour. */
const untilRetried = (condition: () => void) =>
  vi.waitFor(() => {
    vi.setSystemTime(Date.now() + 1000);
    condition();
  });

test("an email that couldn't be enqueued is sent later, with what was missed in between", async () => {
  const reader = await newReader();
  await mention(reader, "before");
  await failToEnqueue(reader, { isStored: false });
  await untilRetried(() => expect(mailbox.mails).not.toEqual([]));
  const { text } = await mailbox.next(reader.email, MISSED);
  expect(text).toMatch(/> before[^]*> in between/);
  expect(mailbox.mails).toEqual([]);
});

test(
  "an email whose answer got lost is followed by one with what was missed in between",
  { tags: "long" },
  async () => {
    const reader = await newReader();
    await mention(reader, "before");
    await failToEnqueue(reader, { isStored: true });
    await untilRetried(() => expect(mailbox.mails).toHaveLength(2));
    expect(mailbox.mails.map(({ text }) => text)).toContainEqual(expect.stringContaining("> in between"));
  },
);

test("a user who was back gets an email about what came after that", async () => {
  const reader = await newReader();
  await mention(reader, "before");
  await processed();
  // So that the refresh is in a later millisecond.
  await new Promise((resolve) => setTimeout(resolve, 2));
  await must(instance.url, "user.refresh", { refreshToken: reader.refreshToken });
  await mention(reader, "after");
  await pass();
  const { text } = await mailbox.next(reader.email, MISSED);
  expect(text).toContain("> after");
  expect(text).not.toContain("before");
});

test("the email comes after the time that the user chose", async () => {
  const [daily, soon] = [await newReader(), await newReader()];
  await configure(daily, { emails: "day" });
  await configure(soon, { emails: "quarterHour" });
  await mention(daily, "wait");
  await mention(soon, "do not wait");
  const last = await newReader();
  await configure(last, { emails: "quarterHour" });
  expect(await mailedTo(last, HOUR_MS / 4 + 1000)).toEqual(new Set([soon.email, last.email]));
  await pass(24 * HOUR_MS + 1000);
  expect((await mailbox.next(daily.email, MISSED)).text).toContain("> wait");
});

test("a new choice also applies to a waiting email", { tags: "long" }, async () => {
  const [reader, last] = [await newReader(), await newReader()];
  await configure(reader, { emails: "day" });
  await configure(last, { emails: "quarterHour" });
  await mention(reader);
  expect(await mailedTo(last, 16 * MINUTE_MS)).toEqual(new Set([last.email]));
  await configure(reader, { emails: "quarterHour" });
  await pass(17 * MINUTE_MS);
  expect((await mailbox.next(reader.email, MISSED)).text).toContain("> look");
});

test("an email can be turned off with its link: by one click of a mail program, and not by opening it", async () => {
  const [reader, other] = [await newReader(), await newReader()];
  await mention(reader);
  await pass();
  const { headers } = await mailbox.next(reader.email, MISSED);
  vi.useRealTimers();
  const link = headers.get("list-unsubscribe")!.slice(1, -1).replace(PUBLIC_URL, instance.url);
  const oneClick = (url: string) =>
    fetch(url, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) });
  await fetch(link, { headers: { accept: "text/html" } });
  const forOther = link.replace(reader.userId, other.userId);
  expect((await oneClick(forOther)).status).toBe(404);
  expect((await oneClick(`${link.slice(0, -1)}${link.endsWith("A") ? "Q" : "A"}`)).status).toBe(404);
  expect((await oneClick(`${instance.url}/unsubscribe`)).status).toBe(422);
  expect([await preferencesOf(reader), await preferencesOf(other)]).toMatchObject([
    { emails: "hour" },
    { emails: "hour" },
  ]);
  expect((await oneClick(link)).status).toBe(200);
  expect((await oneClick(link)).status).toBe(200);
  expect(await preferencesOf(reader)).toMatchObject({ emails: "off", emailsRefused: false });
  const token = new URL(link).searchParams.get("token")!;
  await configure(reader, { emails: "day" });
  expect((await post(instance.url, "notification.unsubscribe", { token })).ok).toBe(true);
  expect(await preferencesOf(reader)).toMatchObject({ emails: "off" });
});

test("an address that a mail server refuses gets no more emails until the user chooses them again or has another", async () => {
  const [reader, moving, last] = [await newReader(), await newReader(), await newReader()];
  for (const one of [reader, moving]) {
    mailbox.refusals.set(one.email, "5.1.1 No such user");
    await mention(one);
  }
  expect(await mailedTo(last)).toEqual(new Set([last.email]));
  for (const one of [reader, moving])
    await vi.waitFor(async () =>
      expect(await preferencesOf(one)).toMatchObject({ emails: "off", emailsRefused: true }),
    );
  mailbox.refusals.clear();
  const email = `new-${moving.email}`;
  await must(instance.url, "user.changeEmail", { email, password: PASSWORD }, moving.accessToken);
  await must(instance.url, "user.verifyEmail", { token: (await mailbox.next(email, /./)).token });
  expect(await preferencesOf(moving)).toMatchObject({ emails: "hour", emailsRefused: false });
  expect(await configure(reader, { emails: "hour" })).toMatchObject({
    preferences: { emails: "hour", emailsRefused: false },
  });
  await mention(reader, "again");
  await pass();
  expect((await mailbox.next(reader.email, MISSED)).text).toContain("> again");
});
