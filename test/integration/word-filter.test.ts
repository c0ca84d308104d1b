import { createWorld, must, post, type World } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, beforeAll, expect, test } from "vitest";

let instance: Instance;
let world: World;
let nonces = 0;
beforeAll(async () => {
  instance = await startInstance();
  world = await createWorld(instance.url);
});
afterAll(() => instance.stop());

const set = (words: string[], onHit: "block" | "mask") =>
  must(
    instance.url,
    "group.setWordFilter",
    { groupId: world.group.id, words, onHit },
    world.owner.accessToken,
  );
const send = (content: string, as: "member" | "owner" = "member") =>
  post(
    instance.url,
    "message.send",
    { channelId: world.channel.id, content, nonce: `n${(nonces += 1)}` },
    world[as].accessToken,
  );
const refused = { ok: false, error: { type: "MESSAGE_FILTERED", retryable: false } };

test("sends and edits follow the current filter, and moderators are exempt", async () => {
  expect(await send("a bad word")).toMatchObject({ ok: true });
  await set(["bad"], "block");
  expect(await send("a BAD word")).toMatchObject(refused);
  expect(await send("a bad word", "owner")).toMatchObject({ data: { message: { content: "a bad word" } } });
  const sent = await send("a good word");
  const messageId = sent.ok ? sent.data.message.id : "";
  const edit = (content: string) =>
    post(
      instance.url,
      "message.edit",
      { channelId: world.channel.id, messageId, content },
      world.member.accessToken,
    );
  expect(await edit("bad!")).toMatchObject(refused);
  await set(["bad"], "mask");
  expect(await edit("bad!")).toMatchObject({ data: { message: { content: "•••!" } } });
  expect(await send("not so bad")).toMatchObject({ data: { message: { content: "not so •••" } } });
  await set([], "mask");
  expect(await send("bad again")).toMatchObject({ data: { message: { content: "bad again" } } });
});

test("the filter covers threads and leaves other groups alone", async () => {
  await set(["bad"], "block");
  const { channel } = await must(
    instance.url,
    "channel.openThread",
    { channelId: world.channel.id, messageId: world.message.id },
    world.member.accessToken,
  );
  const inThread = { channelId: channel.id, content: "bad", nonce: "thread" };
  expect(await post(instance.url, "message.send", inThread, world.member.accessToken)).toMatchObject(refused);
  const other = await createWorld(instance.url);
  const elsewhere = { channelId: other.channel.id, content: "bad", nonce: "other" };
  await must(instance.url, "message.send", elsewhere, other.member.accessToken);
});
