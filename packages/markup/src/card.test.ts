import { expect, test } from "vitest";
import { cardOf, cardText, toMessageContent } from "./card.ts";
import { fromSlackMessage, slackMessage } from "./slack.ts";

test("a card without a title has its color before the text, or above a list", () => {
  const card = {
    color: "danger",
    author: "",
    authorUrl: "",
    title: "",
    url: "",
    fields: [],
    image: "",
    links: "",
    footer: "",
    time: null,
  };
  expect(cardText({ ...card, body: "**Build** failed" })).toBe("> 🔴 **Build** failed");
  expect(cardText({ ...card, body: "- a\n- b" })).toBe("> 🔴\n> - a\n> - b");
  expect(cardText({ ...card, body: "" })).toBe("");
});

const convert = (payload: object) => toMessageContent(fromSlackMessage(slackMessage.parse(payload)));

test("attachments become cards with their color and fields", () => {
  const attachment = {
    pretext: "See *this*",
    color: "warning",
    author_name: "CI",
    author_link: "https://ci.example.org",
    title: "Build &amp; test",
    title_link: "https://ci.example.org/7",
    text: "All *passed*",
    fields: [
      { title: "Branch", value: "`main`", short: true },
      { value: "no title" },
      { title: "nothing", value: "" },
    ],
    actions: [
      { type: "button", text: "Details", url: "https://ci.example.org/7/log" },
      { type: "button", text: "Retry" },
    ],
    image_url: "https://ci.example.org/7.png",
    footer: "ci",
    ts: 1_773_480_360,
  };
  expect(convert({ text: "*Done*", attachments: [attachment, { text: "two", color: "#36a64f" }] })).toEqual({
    content: "**Done**\n\nSee **this**",
    cards: [
      {
        title: "Build & test",
        url: "https://ci.example.org/7",
        text: "All **passed**\n[Details](https://ci.example.org/7/log)",
        color: 0xe5_b8_00,
        author: { name: "CI", url: "https://ci.example.org/" },
        fields: [
          { name: "Branch", value: "`main`", short: true },
          { name: "", value: "no title" },
        ],
        footer: "ci",
        time: "2026-03-14T09:26:00.000Z",
        imageUrl: "https://ci.example.org/7.png",
      },
      { text: "two", color: 0x36_a6_4f },
    ],
    controls: [],
  });
});

test("what cards would change or can't hold stays markdown", () => {
  const between = { attachments: [{ text: "one" }, { pretext: "between", text: "two" }] };
  expect(convert(between)).toEqual({ content: "> one\n\nbetween\n> two" });
  expect(convert({ attachments: [{ title: "x".repeat(300), color: "good" }] })).toEqual({
    content: expect.stringMatching(/^> 🟢 \*\*x{300}\*\*$/),
  });
  expect(convert({ attachments: [{ fallback: "only *this*" }] })).toEqual({ content: "only \\*this\\*" });
});

test("links that a card can't have and invisible spacers are left out", () => {
  const source = {
    color: "",
    author: "a",
    authorUrl: "javascript:alert(1)",
    title: "t",
    url: "mailto:a@example.org",
    body: "",
    fields: [{ name: "\u200b", value: "\u200b" }],
    image: "attachment://x.png",
    links: "",
    footer: "",
    time: null,
  };
  expect(cardOf(source)).toEqual({ title: "t", author: { name: "a" } });
});
