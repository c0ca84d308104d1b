import { parseMentions } from "@fanfare/contract/mentions";
import { describe, expect, test } from "vitest";
import {
  findMentions,
  findTokens,
  findTypedNames,
  fromWire,
  type NamedToken,
  nameToken,
  toWire as replaceMentions,
} from "./use-editor.ts";

const id = (digit: string): string => digit.repeat(24);
const ada: NamedToken = { label: "@Ada", wire: `<@${id("a")}>` };
const lovelace: NamedToken = { label: "@Ada Lovelace", wire: `<@${id("b")}>` };
const ming: NamedToken = { label: "@小明", wire: `<@${id("c")}>` };
const crew: NamedToken = { label: "@crew", wire: `<@&${id("d")}>` };
const general: NamedToken = { label: "#general", wire: `<#${id("e")}>` };
const toWire = (text: string, tokens: readonly NamedToken[]): string =>
  replaceMentions(text, findMentions(text, tokens));
const all = [ada, lovelace, ming, crew, general];

describe("wire format", () => {
  test.each([
    ["hello @Ada, how is @crew?", `hello ${ada.wire}, how is ${crew.wire}?`],
    ["@Ada Lovelace and @Ada", `${lovelace.wire} and ${ada.wire}`],
    ["你好@小明你在吗", `你好${ming.wire}你在吗`],
    ["see #general.", `see ${general.wire}.`],
    ["(@Ada)", `(${ada.wire})`],
  ])("%s", (text, wire) => {
    expect(toWire(text, all)).toBe(wire);
    expect(fromWire(wire, all, () => undefined).text).toBe(wire);
  });

  test.each([
    "@Adam",
    "mail@Ada",
    "\\@Ada",
    "`@Ada`",
    "``a ` @Ada``",
    "```\n@Ada\n```",
    "```\n@Ada, never closed",
    "~~~ts\n@Ada\n~~~",
    "@Unknown",
  ])("no mention in %s", (text) => {
    expect(toWire(text, all)).toBe(text);
  });

  test("treats the same parts as code as the server does", () => {
    const text = "@Ada `@crew` and ``` @Ada ``` then\n```\n@Ada Lovelace\n```\n@小明";
    const { userIds, roleIds } = parseMentions(toWire(text, all));
    expect(userIds).toEqual([id("a"), id("c")]);
    expect(roleIds).toEqual([]);
  });

  test("restores a text once names are known; unknown tokens stay as they are", () => {
    const names: Record<string, string> = { [ada.wire]: "Ada", [general.wire]: "general" };
    const wire = `${ada.wire} in ${general.wire}, \`${ada.wire}\`, ${crew.wire}`;
    const { text, tokens } = fromWire(wire, [], (token) => names[token]);
    expect(text).toBe(`@Ada in #general, \`${ada.wire}\`, ${crew.wire}`);
    expect(toWire(text, tokens)).toBe(wire);
    expect(findTokens(text)).toEqual([ada.wire, crew.wire]);
  });

  test("distinguishes identical names and a user named everyone", () => {
    const second = nameToken([ada], lovelace.wire, "Ada");
    expect(second.label).toBe("@Ada (2)");
    expect(nameToken([ada, second], lovelace.wire, "Ada")).toBe(second);
    expect(toWire("@Ada (2) @Ada", [ada, second])).toBe(`${lovelace.wire} ${ada.wire}`);
    expect(nameToken([], ada.wire, "everyone").label).toBe("@everyone (2)");
  });

  test("escapes special characters in names", () => {
    const odd: NamedToken = { label: "@[a|b]*.(x)?", wire: ada.wire };
    expect(toWire("hi @[a|b]*.(x)? there", [odd])).toBe(`hi ${ada.wire} there`);
  });
});

test.each([
  ["@ada and @Ada.", ["ada", "Ada.", "Ada"]],
  ["(@ada-b), @a.b_c", ["ada-b", "a.b_c"]],
  ["`@ada` \\@ada me@ada.org <@ada @here @Everyone!", []],
])("usernames typed in %j", (text, names) => {
  expect(findTypedNames(text)).toEqual(names);
});
