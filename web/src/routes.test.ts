import { describe, expect, test } from "vitest";
import { channelPath, directPath, invitePath, parseFragment, parsePlace, placePath } from "./routes.ts";

const id = "0123456789abcdef01234567";
const other = "89abcdef0123456789abcdef";

describe("addresses", () => {
  test("round-trip the place in a channel", () => {
    expect(channelPath(id, other)).toBe(`/groups/${id}/channels/${other}`);
    const path = channelPath(id, other, { message: id, thread: other });
    expect(parsePlace(new URL(path, "http://fanfare").search)).toEqual({ message: id, thread: other });
    expect(placePath(null, id, { message: other })).toBe(`/direct/${id}?message=${other}`);
    expect(directPath()).toBe("/direct");
  });

  test("ignore invalid IDs", () => {
    expect(parsePlace("?message=javascript:alert(1)&thread=")).toEqual({});
  });

  test("escape codes and keep secrets in the fragment", () => {
    expect(invitePath("a/../b")).toBe("/invite/a%2F..%2Fb");
    expect(parseFragment("#oidcCode=abc&x=1").get("oidcCode")).toBe("abc");
  });
});
