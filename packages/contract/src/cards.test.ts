import { expect, test } from "vitest";
import { mapCards, mapControls, textOf, urlsOf } from "./cards.ts";
import type { Card, Control } from "./entities.ts";
import { GroupFileLineSchema } from "./export-files.ts";
import { LIMITS } from "./limits.ts";

const card: Card = {
  title: "t",
  url: "https://a.example/",
  text: "x",
  color: 1,
  author: { name: "a", url: "https://b.example/" },
  fields: [{ name: "n", value: "v", short: true }],
  footer: "f",
  imageUrl: "https://c.example/",
};
const controls: Control[] = [
  { kind: "link", label: "l", url: "https://d.example/" },
  { kind: "select", id: "s", label: "m", options: [{ value: "o", label: "p" }] },
];

test("a message without a text is shown as the texts of its cards", () => {
  expect(textOf({ content: "hello" })).toBe("hello");
  expect(textOf({ content: "", cards: [card] })).toBe("a\nt\nx\nn: v\nf");
  expect(textOf({ content: "hello", cards: [{ title: "t" }, { fields: [{ name: "", value: "v" }] }] })).toBe(
    "hello\nt\nv",
  );
});

test("each text of cards and controls is changed, but no address, id or color", () => {
  const upper = (text: string) => text.toUpperCase();
  expect(mapCards([card], upper)).toEqual([
    {
      ...card,
      title: "T",
      text: "X",
      author: { name: "A", url: "https://b.example/" },
      fields: [{ name: "N", value: "V", short: true }],
      footer: "F",
    },
  ]);
  expect(mapControls(controls, upper)).toEqual([
    { kind: "link", label: "L", url: "https://d.example/" },
    { kind: "select", id: "s", label: "M", options: [{ value: "o", label: "P" }] },
  ]);
});

test("the addresses that a message leads to are those of its cards and links", () => {
  expect(urlsOf([card], controls).map((url) => new URL(url).hostname)).toEqual([
    "a.example",
    "b.example",
    "c.example",
    "d.example",
  ]);
});

test("a group file has at most as many cards and controls as a message, but empty cards too", () => {
  const line = {
    type: "message",
    id: "0".repeat(24),
    channelId: "0".repeat(24),
    authorId: "0".repeat(24),
    content: "",
    replyTo: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    editedAt: null,
    deletedAt: null,
    editCount: 0,
  };
  const isAccepted = (more: object) => GroupFileLineSchema.safeParse({ ...line, ...more }).success;
  const text = "x".repeat(LIMITS.cardTextMaxChars);
  const button = { kind: "button", id: "a", label: "A" };
  expect(isAccepted({ cards: [{ text }, {}], controls: [button, { ...button, id: "b" }] })).toBe(true);
  expect(isAccepted({ cards: [{ text }, { text }] })).toBe(false);
  expect(isAccepted({ controls: [button, button] })).toBe(false);
});
