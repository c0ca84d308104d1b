import { expect, test } from "vitest";
import { reasonOf } from "./use-message-place.ts";

const ME = "a".repeat(24);
const reason = (content: string, replyTo: string | null, userIds: string[], everyone = false) =>
  reasonOf({ content, replyTo, mentions: { userIds, roleIds: [], everyone } }, ME);

test("prefers mention, then reply, then everyone, then role", () => {
  expect(reason(`<@${ME}> hello`, "b".repeat(24), [ME])).toBe("mention");
  expect(reason("yes", "b".repeat(24), [ME])).toBe("reply");
  expect(reason("@everyone", null, [], true)).toBe("everyone");
  expect(reason("<@&x>", null, [])).toBe("role");
});
