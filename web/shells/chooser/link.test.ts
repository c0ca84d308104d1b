import { expect, test } from "vitest";
import { parseLink } from "./link.ts";
import cases from "./links.json";

test.each(cases)("link $link", ({ link, host, path }) => {
  expect(parseLink(link)).toEqual(host === null ? null : { host, path });
});

test("a link has a maximum length", () => {
  expect(parseLink(`fanfare://localhost/inbox?${"a".repeat(400)}`)).not.toBeNull();
  expect(parseLink(`fanfare://localhost/inbox?${"a".repeat(600)}`)).toBeNull();
});
