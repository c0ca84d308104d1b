import { createHmac } from "node:crypto";
import { type BotEvent, type Control, type Ephemeral, type Interaction, LIMITS } from "@fanfare/contract";
import { must, post, type Person } from "@fanfare/testing";
import type { Socket } from "socket.io-client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { connectSocket, createPlace, createReceiver, say, until, type Place } from "./place.ts";

let instance: Instance;
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  instance = await startInstance({ OUTBOUND_ALLOW: "127.0.0.1/32" });
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => instance.stop());

const SECRET = "a secret of the bot";
const APPROVE: Control = { kind: "button", id: "approve", label: "Approve", style: "primary" };
const PICK: Control = {
  kind: "select",
  id: "pick",
  label: "Pick…",
  options: [
    { value: "a", label: "A" },
    { value: "b", label: "B" },
  ],
};

async function connect(token: string): Promise<Socket> {
  const socket = await connectSocket(instance.url, token);
  closers.push(() => socket.disconnect());
  return socket;
}

/** The messages that only this user sees. */
async function ephemeralsOf({ accessToken }: Person): Promise<Ephemeral[]> {
  const received: Ephemeral[] = [];
  const socket = await connect(accessToken);
  socket.on("ephemeral.created", ({ ephemeral }: { ephemeral: Ephemeral }) => received.push(ephemeral));
  return received;
}

async function subscribe(
  { token }: Place,
  events: BotEvent[],
  ...[responseOf]: Parameters<typeof createReceiver>
) {
  const receiver = await createReceiver(responseOf);
  closers.push(receiver.close);
  await must(instance.url, "bot.subscribe", { url: receiver.url, secret: SECRET, events }, token);
  return receiver.received;
}

/** A message of the bot with these controls. */
async function sendControls({ channelId, token }: Place, controls: Control[]) {
  const { message } = await must(
    instance.url,
    "message.send",
    { ...say(channelId, "Well?"), controls },
    token,
  );
  return { channelId, messageId: message.id };
}

const press = (person: Person, params: object) =>
  post(instance.url, "interaction.create", params as never, person.accessToken);
/** Again if a busy machine took longer than a bot may. */
const pressUntilAcknowledged = (person: Person, params: object) =>
  until(async () => (await press(person, params)).ok);
const list = async ({ channelId, token }: Place) =>
  (await must(instance.url, "message.list", { channelId }, token)).messages.toSorted((a, b) => a.seq - b.seq);

describe("a bot on a socket", () => {
  test("receives the interaction, and the call returns once the bot acknowledges it", async () => {
    const place = await createPlace(instance.url);
    const { member } = place.world;
    const at = await sendControls(place, [APPROVE, PICK]);
    const socket = await connect(place.token);
    const received: Interaction[] = [];
    const acknowledged = new Set<string>();
    socket.on("interaction.created", async ({ interaction }: { interaction: Interaction }) => {
      received.push(interaction);
      await must(instance.url, "interaction.acknowledge", { interactionId: interaction.id }, place.token);
      acknowledged.add(interaction.id);
    });
    await pressUntilAcknowledged(member, { ...at, controlId: "approve" });
    await pressUntilAcknowledged(member, { ...at, controlId: "pick", value: "b" });
    const common = { ...at, botId: place.botId, groupId: place.groupId, userId: member.userId };
    expect(received[0]).toMatchObject({ ...common, controlId: "approve", value: null });
    expect(received.at(-1)).toMatchObject({ ...common, controlId: "pick", value: "b" });
    await until(() => acknowledged.size === received.length);
  });

  test("that doesn't acknowledge it is reported to the user, also if another bot does", async () => {
    const place = await createPlace(instance.url);
    const at = await sendControls(place, [APPROVE]);
    const scopes = ["messages.write" as const];
    const params = { groupId: place.groupId, name: "Other", scopes };
    const other = await must(instance.url, "bot.create", params, place.world.owner.accessToken);
    const socket = await connect(place.token);
    socket.on("interaction.created", ({ interaction }: { interaction: Interaction }) =>
      post(instance.url, "interaction.acknowledge", { interactionId: interaction.id }, other.token),
    );
    expect(await press(place.world.member, { ...at, controlId: "approve" })).toMatchObject({
      error: { type: "BOT_NOT_RESPONDING", retryable: false },
    });
  });

  test("receives nothing from muted users and those who can't see the message, nor for what isn't under it", async () => {
    const place = await createPlace(instance.url);
    const { member, stranger, owner } = place.world;
    const socket = await connect(place.token);
    const received: unknown[] = [];
    socket.on("interaction.created", (payload) => received.push(payload));
    const at = await sendControls(place, [
      APPROVE,
      PICK,
      { kind: "link", label: "More", url: "https://example.org/" },
    ]);
    const type = async (person: Person, params: object): Promise<string> => {
      const answer = await press(person, params);
      return answer.ok ? "ok" : answer.error.type;
    };
    expect(await type(stranger, { ...at, controlId: "approve" })).toBe("CHANNEL_NOT_FOUND");
    const hidden = { groupId: place.groupId, name: "hidden", private: true };
    const { channel } = await must(instance.url, "channel.create", hidden, owner.accessToken);
    expect(await type(member, { ...at, channelId: channel.id, controlId: "approve" })).toBe(
      "CHANNEL_NOT_FOUND",
    );
    expect(await type(owner, { ...at, channelId: channel.id, controlId: "approve" })).toBe(
      "MESSAGE_NOT_FOUND",
    );
    for (const wrong of [{ controlId: "more" }, { controlId: "approve", value: "a" }, { controlId: "pick" }])
      expect(await type(member, { ...at, ...wrong })).toBe("VALIDATION_FAILED");
    expect(await type(member, { ...at, controlId: "pick", value: "c" })).toBe("VALIDATION_FAILED");
    const ofMember = { groupId: place.groupId, userId: member.userId };
    await must(instance.url, "group.mute", { ...ofMember, durationMs: 60_000 }, owner.accessToken);
    expect(await type(member, { ...at, controlId: "approve" })).toBe("MUTED");
    await must(instance.url, "group.unmute", ofMember, owner.accessToken);
    await must(instance.url, "message.delete", at, place.token);
    expect(await type(member, { ...at, controlId: "approve" })).toBe("MESSAGE_NOT_FOUND");
    expect(received).toEqual([]);
  });

  test("that was removed has no buttons anymore", async () => {
    const place = await createPlace(instance.url);
    const { owner, member } = place.world;
    const at = await sendControls(place, [APPROVE]);
    await must(instance.url, "bot.delete", { groupId: place.groupId, botId: place.botId }, owner.accessToken);
    expect(await press(member, { ...at, controlId: "approve" })).toMatchObject({
      error: { type: "BOT_NOT_FOUND" },
    });
  });
});

describe("a bot with a callback", () => {
  test("receives interactions signed, and its 2xx acknowledges them", async () => {
    const place = await createPlace(instance.url);
    const at = await sendControls(place, [APPROVE]);
    const received = await subscribe(place, ["interaction.created"]);
    await pressUntilAcknowledged(place.world.member, { ...at, controlId: "approve" });
    const { headers, text, body } = received[0]!;
    expect(body.events).toMatchObject([
      {
        type: "interaction.created",
        interaction: { controlId: "approve", userId: place.world.member.userId },
      },
    ]);
    const signed = `${String(headers["fanfare-timestamp"])}.${text}`;
    const expected = createHmac("sha256", SECRET).update(signed).digest("hex");
    expect(headers["fanfare-signature"]).toBe(`v1=${expected}`);
  });

  test("can answer with an update, a message or one that only the user sees", async () => {
    const place = await createPlace(instance.url);
    const { member, owner } = place.world;
    const [seenByMember, seenByOwner] = [await ephemeralsOf(member), await ephemeralsOf(owner)];
    const at = await sendControls(place, [APPROVE]);
    let response: object | string = "";
    await subscribe(place, ["interaction.created"], () => response);
    const pressWith = async (answer: object | string) => {
      response = answer;
      await pressUntilAcknowledged(member, { ...at, controlId: "approve" });
    };
    await pressWith({ text: "Only *you*", attachments: [{ title: "Card", color: "#36a64f" }] });
    await until(() => seenByMember.length > 0);
    expect(seenByMember[0]).toMatchObject({
      content: "Only **you**",
      authorId: place.botId,
      cards: [{ title: "Card", color: 0x36_a6_4f }],
    });
    expect(seenByOwner).toEqual([]);
    await pressWith({ response_type: "in_channel", content: "For all", controls: [APPROVE] });
    expect((await list(place)).at(-1)).toMatchObject({ content: "For all", controls: [APPROVE] });
    const count = (await list(place)).length;
    await pressWith({ replace_original: true, content: "Done", cards: [], controls: [] });
    const { message } = await must(instance.url, "message.get", at, member.accessToken);
    expect(message.content).toBe("Done");
    expect(message.controls).toBeUndefined();
    expect(await list(place)).toHaveLength(count);
  });

  test("that fails, is slow or answers what isn't allowed is reported, and never called again", async () => {
    const place = await createPlace(instance.url);
    const { member } = place.world;
    const at = await sendControls(place, [APPROVE]);
    let response: () => number | object | Promise<number> = () => 500;
    const received = await subscribe(place, ["interaction.created"], () => response());
    const fails = async () =>
      expect(await press(member, { ...at, controlId: "approve" })).toMatchObject({
        error: { type: "BOT_NOT_RESPONDING" },
      });
    await fails();
    response = () => ({ content: "x".repeat(LIMITS.messageMaxChars + 1) });
    await fails();
    let release: (status: number) => void = () => undefined;
    response = () => new Promise<number>((resolve) => (release = resolve));
    await fails();
    release(200);
    expect(received.length).toBeLessThanOrEqual(3);
    const { bot } = await must(instance.url, "bot.me", {}, place.token);
    expect(bot.callback).toMatchObject({ state: "active", failures: 0 });
  });
});

describe("a command", () => {
  test("is answered in the channel or only to its user by the response to its callback, as in Slack", async () => {
    const place = await createPlace(instance.url);
    const { channelId, token, world } = place;
    const { member, owner } = world;
    const [seenByMember, seenByOwner] = [await ephemeralsOf(member), await ephemeralsOf(owner)];
    await must(instance.url, "command.register", { name: "status", description: "Show the status" }, token);
    const answers: (object | string | number)[] = [
      {
        response_type: "in_channel",
        text: "*Up*",
        attachments: [{ title: "API", fields: [{ title: "Load", value: "3 %", short: true }] }],
      },
      { response_type: "ephemeral", text: "<https://example.org|Details>" },
      "ok",
      500,
      { response_type: "in_channel", text: "after a retry" },
    ];
    const received = await subscribe(place, ["command.invoked"], () => answers.shift() ?? 204);
    const invoke = () =>
      must(instance.url, "command.invoke", { channelId, name: "status" }, member.accessToken);
    await invoke();
    await until(async () => (await list(place)).at(-1)?.content === "**Up**");
    expect((await list(place)).at(-1)).toMatchObject({
      authorId: place.botId,
      cards: [{ title: "API", fields: [{ name: "Load", value: "3 %", short: true }] }],
    });
    await invoke();
    await until(() => seenByMember.length === 1);
    expect(seenByMember).toMatchObject([{ content: "[Details](https://example.org/)", channelId }]);
    expect(seenByOwner).toEqual([]);
    await invoke();
    await invoke();
    await until(async () => (await list(place)).at(-1)?.content === "after a retry");
    expect(received).toHaveLength(5);
    expect(seenByMember).toHaveLength(1);
  });
});

describe("an ephemeral message", () => {
  test("reaches the sockets of one user, and isn't stored", async () => {
    const place = await createPlace(instance.url);
    const { channelId, token, world } = place;
    const { member, owner, stranger } = world;
    const [seen, also, seenByOwner] = [
      await ephemeralsOf(member),
      await ephemeralsOf(member),
      await ephemeralsOf(owner),
    ];
    const params = { channelId, userId: member.userId, content: "psst", cards: [{ title: "Card" }] };
    const { ephemeral } = await must(instance.url, "message.sendEphemeral", params, token);
    await until(() => seen.length === 1 && also.length === 1);
    expect(seen).toEqual([ephemeral]);
    expect(ephemeral).toMatchObject({ content: "psst", channelId, authorId: place.botId });
    expect(seenByOwner).toEqual([]);
    expect((await list(place)).map(({ content }) => content)).not.toContain("psst");
    const refusal = async (changes: object, as = token) =>
      (await post(instance.url, "message.sendEphemeral", { ...params, ...changes }, as)) as object;
    expect(await refusal({ userId: stranger.userId })).toMatchObject({ error: { type: "MEMBER_NOT_FOUND" } });
    expect(await refusal({}, owner.accessToken)).toMatchObject({ error: { type: "BOTS_ONLY" } });
    expect(await refusal({ controls: [APPROVE] })).toMatchObject({ error: { type: "VALIDATION_FAILED" } });
    expect(await refusal({ content: "", cards: [] })).toMatchObject({ error: { type: "VALIDATION_FAILED" } });
  });
});
