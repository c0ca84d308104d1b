import { type Card, type Control, LIMITS, type Message, type Params } from "@fanfare/contract";
import { must, post } from "@fanfare/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { createPlace, say, until, type Place } from "./place.ts";

let instance: Instance;
let place: Place;
beforeAll(async () => {
  instance = await startInstance();
});
beforeEach(async () => {
  place = await createPlace(instance.url);
});
afterAll(() => instance.stop());

const CARD: Card = {
  title: "Build 7",
  url: "https://ci.example.org/7",
  text: "All **42** tests passed",
  color: 0x2e_b8_86,
  author: { name: "CI", url: "https://ci.example.org/" },
  fields: [
    { name: "Branch", value: "`main`", short: true },
    { name: "Commits", value: "- one\n- two" },
  ],
  footer: "zebra runner",
  time: "2026-03-14T09:26:00.000Z",
  imageUrl: "https://ci.example.org/7.png",
};
const LINK: Control = { kind: "link", label: "Open", url: "https://ci.example.org/7" };

const send = async (params: Partial<Params<"message.send">>): Promise<Message> =>
  (await must(instance.url, "message.send", { ...say(place.channelId, ""), ...params }, place.token)).message;
const refusal = async (params: Partial<Params<"message.send">>, token = place.token): Promise<unknown> => {
  const answer = await post(instance.url, "message.send", { ...say(place.channelId, "x"), ...params }, token);
  return answer.ok ? "ok" : answer.error.type;
};
const of = ({ id }: Message) => ({ channelId: place.channelId, messageId: id });
const get = async (message: Message): Promise<Message> =>
  (await must(instance.url, "message.get", of(message), place.world.member.accessToken)).message;

test("members receive a bot's cards and controls, and an edit replaces or keeps them", async () => {
  const { url } = instance;
  const message = await send({ cards: [CARD], controls: [LINK] });
  expect(await get(message)).toMatchObject({ content: "", cards: [CARD], controls: [LINK], editedAt: null });
  const edit = (changes: object) => post(url, "message.edit", { ...of(message), ...changes }, place.token);
  expect(await edit({ cards: [{ title: "Build 8" }] })).toMatchObject({ ok: true });
  const changed = await get(message);
  expect(changed).toMatchObject({ cards: [{ title: "Build 8" }], controls: [LINK] });
  expect(changed.editedAt).toBeNull();
  const { edits } = await must(url, "message.listEdits", of(message), place.world.owner.accessToken);
  expect(edits).toEqual([]);
  expect(await edit({ content: "Now with text", controls: [] })).toMatchObject({ ok: true });
  const last = await get(message);
  expect(last).toMatchObject({ content: "Now with text", cards: [{ title: "Build 8" }] });
  expect(last).not.toHaveProperty("controls");
  expect(await edit({ content: "", cards: [] })).toMatchObject({ error: { type: "VALIDATION_FAILED" } });
  await must(url, "message.delete", of(message), place.token);
  expect(await get(message)).not.toHaveProperty("cards");
});

test("mentions are those of the cards that a message has now", async () => {
  const [first, second] = [place.world.owner.userId, place.world.member.userId];
  const message = await send({ cards: [{ text: `For <@${first}>` }] });
  expect(message.mentions).toMatchObject({ userIds: [first] });
  const change = { ...of(message), cards: [{ text: `For <@${second}>` }] };
  await must(instance.url, "message.edit", change, place.token);
  expect((await get(message)).mentions).toMatchObject({ userIds: [second] });
});

test("only bots send cards and controls", async () => {
  const { accessToken } = place.world.owner;
  expect(await refusal({ cards: [CARD] }, accessToken)).toBe("BOTS_ONLY");
  expect(await refusal({ controls: [LINK] }, accessToken)).toBe("BOTS_ONLY");
  const own = await must(instance.url, "message.send", say(place.channelId, "mine"), accessToken);
  const edit = { ...of(own.message), cards: [CARD] };
  expect(await post(instance.url, "message.edit", edit, accessToken)).toMatchObject({
    error: { type: "BOTS_ONLY" },
  });
});

const long = (chars: number): string => "x".repeat(chars);
const button = (id: string): Control => ({ kind: "button", id, label: "Press" });

test.each<[string, Partial<Params<"message.send">>]>([
  ["too many cards", { cards: Array.from({ length: LIMITS.cardsPerMessage + 1 }, () => CARD) }],
  [
    "too many fields",
    {
      cards: [
        { fields: Array.from({ length: LIMITS.fieldsPerCard + 1 }, () => ({ name: "a", value: "b" })) },
      ],
    },
  ],
  ["too much text", { cards: [{ text: long(4000) }, { text: long(LIMITS.cardsMaxChars - 3999) }] }],
  [
    "long URLs",
    { cards: Array.from({ length: 4 }, () => ({ title: "x", url: `https://a.example/${long(1990)}` })) },
  ],
  [
    "many long labels",
    {
      controls: Array.from({ length: 25 }, (_, n) => ({
        ...LINK,
        url: `https://a.example/${long(300)}${n}`,
      })),
    },
  ],
  ["an invisible title", { cards: [{ title: "\u200b" }] }],
  ["an invisible text", { cards: [{ text: "\u200b" }] }],
  ["a label that no one sees", { controls: [{ kind: "button", id: "a", label: "\u200b" }] }],
  ["a long title", { cards: [{ title: long(LIMITS.cardLineMaxChars + 1) }] }],
  ["an empty card", { cards: [{ color: 1, url: "https://example.org" }] }],
  ["a script as link", { cards: [{ title: "x", url: "javascript:alert(1)" }] }],
  ["another file", { cards: [{ imageFileId: "0".repeat(24) }] }],
  [
    "too many buttons",
    { controls: Array.from({ length: LIMITS.controlsPerMessage + 1 }, (_, n) => button(`${n}`)) },
  ],
  ["two buttons with one id", { controls: [button("a"), button("a")] }],
  ["a long label", { controls: [{ kind: "button", id: "a", label: long(LIMITS.controlLabelMaxChars + 1) }] }],
  ["a long id", { controls: [button(long(LIMITS.controlIdMaxChars + 1))] }],
  ["a select without options", { controls: [{ kind: "select", id: "a", label: "b", options: [] }] }],
  ["cards with a sticker", { content: "", cards: [CARD], stickerId: "0".repeat(24) }],
])("%s is rejected", async (_what, params) => {
  expect(await refusal(params)).toBe("VALIDATION_FAILED");
});

test("the limits themselves are accepted", async () => {
  const cards = [
    { text: long(LIMITS.cardTextMaxChars) },
    { text: long(LIMITS.cardsMaxChars - LIMITS.cardTextMaxChars) },
  ];
  const controls = Array.from({ length: LIMITS.controlsPerMessage }, (_, n) => button(`${n}`));
  expect(await refusal({ cards, controls })).toBe("ok");
});

test("texts of cards are found, stand for the message in one line, and go into reports", async () => {
  const { url } = instance;
  const { member, owner } = place.world;
  const message = await send({ cards: [CARD] });
  const search = { channelId: place.channelId, text: "zebra" };
  const found = await until(async () => {
    const { messages } = await must(url, "message.search", search, member.accessToken);
    return messages.length > 0 && messages;
  });
  expect(found).toMatchObject([{ id: message.id, cards: [CARD] }]);
  await must(url, "message.send", say(place.channelId, "giraffe"), member.accessToken);
  const near = { channelId: place.channelId, text: "giraffe", withContext: true };
  const context = await until(async () => {
    const page = await must(url, "message.search", near, member.accessToken);
    return page.context?.[0];
  });
  expect(context.before?.content).toContain("Build 7\nAll **42** tests passed");
  await must(url, "report.create", { ...of(message), reason: "spam" }, member.accessToken);
  const { reports } = await must(url, "report.list", { groupId: place.groupId }, owner.accessToken);
  expect(reports[0]?.content).toContain("Build 7");
});

test("word filters and rules see the texts and addresses of cards and controls", async () => {
  const { url } = instance;
  const { groupId, world } = place;
  const filter = (params: object) =>
    must(url, "group.setWordFilter", { groupId, ...params }, world.owner.accessToken);
  await filter({ words: ["heck"], onHit: "mask" });
  const message = await send({
    cards: [{ title: "What the heck", fields: [{ name: "heck", value: "Oh heck" }] }],
    controls: [{ kind: "button", id: "heck", label: "Heck" }],
  });
  expect(await get(message)).toMatchObject({
    cards: [{ title: "What the ••••", fields: [{ name: "••••", value: "Oh ••••" }] }],
    controls: [{ id: "heck", label: "••••" }],
  });
  await filter({ onHit: "block" });
  expect(await refusal({ cards: [{ footer: "heck" }] })).toBe("MESSAGE_FILTERED");
  const links = { allowedHosts: ["example.com"], onHit: "block" };
  await filter({ words: [], rules: { links, mentions: null, repeats: null, newAccounts: null } });
  expect(await refusal({ cards: [CARD] })).toBe("MESSAGE_REFUSED");
  expect(await refusal({ controls: [LINK] })).toBe("MESSAGE_REFUSED");
  expect(await refusal({ cards: [{ title: "x", url: "https://example.com/" }] })).toBe("ok");
});

test("a webhook posts cards with links, but no buttons, which no one would receive", async () => {
  const { url } = instance;
  const params = { channelId: place.channelId, name: "CI" };
  const { path } = await must(url, "webhook.create", params, place.world.owner.accessToken);
  const execute = async (body: object) => {
    const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
    return response.status;
  };
  expect(await execute({ cards: [CARD], controls: [LINK] })).toBe(200);
  expect(await execute({ content: "x", controls: [button("a")] })).toBe(422);
  expect(await execute({ cards: [] })).toBe(422);
  const { messages } = await must(url, "message.list", { channelId: place.channelId }, place.token);
  const posted = messages.find(({ as }) => as?.name === "CI");
  expect(posted).toMatchObject({ content: "", cards: [CARD], controls: [LINK] });
});

test("an ephemeral message that a rule would report is rejected, because moderators couldn't see it", async () => {
  const { groupId, world, channelId, token } = place;
  const links = { allowedHosts: ["example.com"], onHit: "report" };
  const rules = { links, mentions: null, repeats: null, newAccounts: null };
  const filter = { groupId, words: [], onHit: "mask", rules } as Params<"group.setWordFilter">;
  await must(instance.url, "group.setWordFilter", filter, world.owner.accessToken);
  const params = { channelId, userId: world.member.userId, content: "https://other.example/" };
  expect(await post(instance.url, "message.sendEphemeral", params, token)).toMatchObject({
    error: { type: "MESSAGE_REFUSED", data: { rule: "links", limit: null } },
  });
});
