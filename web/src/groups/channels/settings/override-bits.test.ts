import { PERMISSIONS } from "@fanfare/contract/permissions";
import { expect, test } from "vitest";
import { stanceOf, withStance } from "./override-targets.tsx";

test("a permission is either allowed, denied or inherited", () => {
  let override = { allow: PERMISSIONS.view, deny: PERMISSIONS.sendMessages };
  expect(stanceOf(override, "view")).toBe("allow");
  expect(stanceOf(override, "sendMessages")).toBe("deny");
  expect(stanceOf(override, "attachFiles")).toBe("inherit");
  for (const stance of ["deny", "allow", "inherit"] as const) {
    override = withStance(override, "view", stance);
    expect(stanceOf(override, "view")).toBe(stance);
    expect(override.allow & override.deny).toBe(0);
    expect(stanceOf(override, "sendMessages")).toBe("deny");
  }
  expect(override).toEqual({ allow: 0, deny: PERMISSIONS.sendMessages });
});
