import { expect, test } from "vitest";
import { cardText } from "./card.ts";

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
