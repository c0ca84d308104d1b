import { PERMISSIONS } from "@fanfare/contract/permissions";
import { expect, test } from "vitest";
import { overrideValueOf, withOverrideValue } from "./override-targets.tsx";

test("a permission is either allowed, denied or inherited", () => {
  let override = { allow: PERMISSIONS.view, deny: PERMISSIONS.sendMessages };
  expect(overrideValueOf(override, "view")).toBe("allow");
  expect(overrideValueOf(override, "sendMessages")).toBe("deny");
  expect(overrideValueOf(override, "attachFiles")).toBe("inherit");
  for (const stance of ["deny", "allow", "inherit"] as const) {
    override = withOverrideValue(override, "view", stance);
    expect(overrideValueOf(override, "view")).toBe(stance);
    expect(override.allow & override.deny).toBe(0);
    expect(overrideValueOf(override, "sendMessages")).toBe("deny");
  }
  expect(override).toEqual({ allow: 0, deny: PERMISSIONS.sendMessages });
});
