import type { MessageRules } from "@fanfare/contract";
import { expect, test } from "vitest";
import { brokenRules, linkedHosts } from "./message-filters.ts";

test.each([
  ["no link", []],
  ["see https://example.com/path?q=1, and HTTP://OTHER.example.", ["example.com", "other.example"]],
  ["www.example.com", ["www.example.com"]],
  ["notwww.example.com", []],
  ["[innocent](https://evil.example)", ["evil.example"]],
  ["`https://in.code.example`", ["in.code.example"]],
  ["https://trusted.example@evil.example/", ["evil.example"]],
  ["https://müller.example", ["xn--mller-kva.example"]],
  ["看https://example.org，很好", ["example.org"]],
  ["https://exa mple.com https://[bad", ["exa", null]],
])("the hosts of %s", (text, hosts) => {
  expect(linkedHosts(text)).toEqual(hosts);
});

const NO_RULES: MessageRules = { links: null, mentions: null, repeats: null, newAccounts: null };
const onHit = "block";
const NOW_MS = Date.UTC(2026, 10, 26);
const idOfAge = (hours: number): string =>
  Math.floor(NOW_MS / 1000 - hours * 3600).toString(16) + "0".repeat(16);
const broken = (rules: Partial<MessageRules>, content: string, authorId = idOfAge(100)) =>
  brokenRules({ ...NO_RULES, ...rules }, { content, authorId }, NOW_MS);

test("links to allowed hosts and their subdomains are allowed, not to hosts that look like them", () => {
  const links: MessageRules["links"] = { onHit, allowedHosts: ["example.com"] };
  for (const host of ["example.com", "a.b.example.com", "EXAMPLE.com:8080"])
    expect(broken({ links }, `https://${host}/`)).toEqual([]);
  for (const host of ["notexample.com", "example.com.evil.example", "example.org"])
    expect(broken({ links }, `https://example.com https://${host}/`)).toEqual(["links"]);
});

test("mentions of users, roles and everyone are counted once each", () => {
  const mentions = { onHit, max: 2 } as const;
  const [ada, bob] = ["a", "b"].map((id) => id.repeat(24));
  expect(broken({ mentions }, `<@${ada}> <@${ada}> <@&${bob}>`)).toEqual([]);
  expect(broken({ mentions }, `<@${ada}> <@&${bob}> @everyone`)).toEqual(["mentions"]);
});

test("an account is new until it has the given age", () => {
  const newAccounts = { onHit, hours: 24 } as const;
  expect(broken({ newAccounts }, "hello", idOfAge(23.9))).toEqual(["newAccounts"]);
  expect(broken({ newAccounts }, "hello", idOfAge(24.1))).toEqual([]);
});
