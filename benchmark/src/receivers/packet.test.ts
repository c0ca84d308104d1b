import { describe, expect, test } from "vitest";
import { DIALECTS } from "../targets/dialect.ts";
import { taggedContent } from "./message-tag.ts";
import { decodePacket } from "./packet.ts";
import { PacketCache } from "./light-receiver.ts";

const RUN = "r1";
const decode = (text: string) => decodePacket(text, DIALECTS.fanfare, RUN);
const event = (name: string, payload: unknown) => `42${JSON.stringify([name, payload])}`;
const messages = (...contents: unknown[]) =>
  event("message.created", { channelId: "c", messages: contents.map((content) => ({ content })) });

describe("decodePacket", () => {
  test.each([
    ['0{"sid":"x"}', { kind: "opened" }],
    ["2", { kind: "ping" }],
    ["6", { kind: "other" }],
    ["1", { kind: "closed", code: "ENGINE_CLOSE" }],
    ['40{"sid":"x"}', { kind: "joined" }],
    ["41", { kind: "closed", code: "SERVER_DISCONNECT" }],
    ['44{"message":"no","data":{"type":"TOKEN_EXPIRED"}}', { kind: "refused", code: "TOKEN_EXPIRED" }],
    ['44{"message":"no"}', { kind: "refused", code: "no" }],
    [event("ready", {}), { kind: "ready" }],
    [event("resync", {}), { kind: "resync" }],
    [event("member.joined", {}), { kind: "other" }],
    ["42[", { kind: "invalid", code: "INVALID_JSON" }],
    ["42{}", { kind: "invalid", code: "INVALID_EVENT" }],
    ['451-["x",{"_placeholder":true,"num":0}]', { kind: "invalid", code: "BINARY_EVENT" }],
  ])("%s", (text, packet) => expect(decode(text)).toEqual(packet));

  test("a batch of messages of this run and of others", () => {
    const text = messages(
      taggedContent(RUN, 3, 50),
      "hello",
      taggedContent("r2", 4, 50),
      taggedContent(RUN, 12, 0),
    );
    expect(decode(text)).toEqual({ kind: "messages", indexes: [3, -1, -1, 12], revs: [0, 0, 0, 0] });
  });

  test("an event that requests an acknowledgement", () => {
    expect(decode(`4217${messages(taggedContent(RUN, 1, 40)).slice(2)}`)).toEqual({
      kind: "messages",
      indexes: [1],
      revs: [0],
    });
  });
});

describe("PacketCache", () => {
  const bytes = (text: string) => Buffer.from(text);
  const packet = (index: number) => ({ kind: "messages" as const, indexes: [index], revs: [index] });

  test("only identical bytes are a hit", () => {
    const cache = new PacketCache();
    const first = cache.add(bytes("message 1"), 0, 9, packet(1), undefined);
    expect(cache.find(bytes("..message 1.."), 2, 11, undefined)).toBe(first);
    expect(cache.find(bytes("message 2"), 0, 9, undefined)).toBeUndefined();
    expect(cache.find(bytes("message 1"), 0, 8, undefined)).toBeUndefined();
    expect(cache.find(bytes("message 2"), 0, 9, first)).toBeUndefined();
  });

  test("a wrong guess of the next payload is not trusted", () => {
    const cache = new PacketCache();
    const one = cache.add(bytes("one"), 0, 3, packet(1), undefined);
    const two = cache.add(bytes("two"), 0, 3, packet(2), one);
    expect(one.next).toBe(two);
    expect(cache.find(bytes("one"), 0, 3, one)).toBe(one);
    expect(cache.find(bytes("six"), 0, 3, one)).toBeUndefined();
  });

  test("keeps a limited number, the newest", () => {
    const cache = new PacketCache();
    for (let i = 0; i < 1000; i++)
      cache.add(bytes(`payload ${i}`), 0, `payload ${i}`.length, packet(i), undefined);
    expect(cache.find(bytes("payload 0"), 0, 9, undefined)).toBeUndefined();
    expect(cache.find(bytes("payload 744"), 0, 11, undefined)?.packet).toEqual(packet(744));
    expect(cache.find(bytes("payload 743"), 0, 11, undefined)).toBeUndefined();
  });
});
