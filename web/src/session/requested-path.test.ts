import { expect, test } from "vitest";
import { inviteOf, isOwnPath } from "./requested-path.ts";

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

test("reads the token and the address of an emailed invite", () => {
  const [none, email] = [undefined, "ada+chat@example.org"];
  const link = `/invite/a-b_1#token=x-y_2&email=${encodeURIComponent(email)}`;
  expect(inviteOf(link)).toEqual({ code: "a-b_1", token: "x-y_2", email });
  expect(inviteOf("/invite/a-b_1#token=x-y_2")).toEqual({ code: "a-b_1", token: "x-y_2", email: none });
  expect(inviteOf("/invite/a-b_1")).toEqual({ code: "a-b_1", token: none, email: none });
  expect(inviteOf("/groups/1#token=x")).toBeUndefined();
});
