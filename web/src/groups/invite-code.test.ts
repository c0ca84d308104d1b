import { expect, test } from "vitest";
import { inviteCodeOf } from "./add-group.tsx";

test("finds the code in a link, a path or alone", () => {
  for (const text of [
    "https://chat.example.org/invite/Ab_3-xyz",
    " http://127.0.0.1:3000/invite/Ab_3-xyz/ ",
    "https://chat.example.org/invite/Ab_3-xyz?from=mail#top",
    "/invite/Ab_3-xyz",
    "Ab_3-xyz",
  ]) {
    expect(inviteCodeOf(text)).toBe("Ab_3-xyz");
  }
});

test("rejects anything else", () => {
  for (const text of ["", "abc", "https://chat.example.org/groups/x", "two words", "invite/"]) {
    expect(inviteCodeOf(text)).toBeNull();
  }
});
