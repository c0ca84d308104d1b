import { expect, test } from "vitest";
import { isOwnPath } from "./requested-path.ts";

test("only accepts paths of this application other than login pages", () => {
  expect(["/", "/groups/1/channels/2?message=3", "/settings/profile"].map(isOwnPath)).toEqual([
    true,
    true,
    true,
  ]);
  expect(
    [
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "javascript:0",
      "",
      "/login",
      "/login?a",
    ].map(isOwnPath),
  ).toEqual([false, false, false, false, false, false, false]);
});
