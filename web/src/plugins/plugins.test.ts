import { describe, expect, test } from "vitest";
import { cardOf, linksFor } from "./cards.ts";
import { type PluginWithPage, setPlugins, usePlugins } from "./plugins.ts";

const plugin = (name: string, ...messageCards: string[]): PluginWithPage => ({
  name,
  title: name,
  version: "1",
  page: { path: "", integrity: "", actions: [], messageCards, composerActions: [], panels: [] },
  commands: [],
});
const PLUGINS = [
  plugin("one", "https://one.example/"),
  plugin("two", "https://two.example/a/", "https://2.example/"),
];

test("plug-ins are loaded also if there are none", () => {
  setPlugins([]);
  expect(usePlugins.getState().isLoaded).toBe(true);
  setPlugins(null);
  expect(usePlugins.getState().isLoaded).toBe(false);
});

describe("links that plug-ins make cards for", () => {
  const found = (content: string) =>
    linksFor(content, PLUGINS).map(({ plugin: { name }, link }) => `${name} ${link}`);

  test("start as a plug-in declares", () => {
    expect(found("https://one.example/x and (https://two.example/a/1), https://two.example/b")).toEqual([
      "one https://one.example/x",
      "two https://two.example/a/1",
    ]);
    expect(found("https://one.example.evil.example/ https://evil.example/https://one.example/")).toEqual([]);
  });

  test("are distinct, at most three, and not those without a preview or in code", () => {
    const many = [1, 2, 3, 4].map((n) => `https://one.example/${n}`);
    expect(found([many[0], ...many].join(" "))).toEqual(many.slice(0, 3).map((link) => `one ${link}`));
    expect(found("<https://one.example/x> `https://one.example/y` ```\nhttps://one.example/z\n```")).toEqual(
      [],
    );
  });
});

describe("cards of plug-ins", () => {
  test("keep the fields of cards", () => {
    const card = {
      title: "Title",
      url: "https://one.example/",
      color: 0xff_00_00,
      author: { name: "Author" },
      fields: [{ name: "State", value: "open", short: true }],
    };
    expect(cardOf({ ...card, imageFileId: "x", onClick: "x", text: "" })).toEqual(card);
  });

  test("lose fields that are too long or have another type", () => {
    const given = {
      title: "x".repeat(1000),
      color: -1,
      fields: [
        null,
        { value: 5 },
        { name: 1, value: "y".repeat(5000) },
        ...Array.from({ length: 50 }, () => ({ value: "z" })),
      ],
      author: { name: {} },
      footer: ["x"],
    };
    const card = cardOf(given)!;
    expect(card.title).toHaveLength(256);
    expect(card.color).toBe(0xff_ff_ff);
    expect(card.fields).toHaveLength(23);
    expect(card.fields![0]).toEqual({ name: "", value: "y".repeat(1024) });
    expect(Object.keys(card).toSorted()).toEqual(["color", "fields", "title"]);
  });

  test.for([null, undefined, "text", 5, {}, { color: 5 }, { fields: [] }, [{ title: "x" }]])(
    "%o is none",
    (given) => {
      expect(cardOf(given)).toBe(null);
    },
  );
});
