import { LIMITS } from "@fanfare/contract/limits";
import { expect, test } from "vitest";
import { threadNameOf } from "../messages/list/message-list.tsx";

test("uses the beginning of the message in one line without formatting", () => {
  expect(threadNameOf({ content: "**Which** engine\n\ndo we `use`?" })).toBe("Which engine do we use?");
  expect(threadNameOf({ content: `<@${"a".repeat(24)}> what now?` })).toBe("what now?");
  expect(threadNameOf({ content: "a\u202Eb\u0007c" })).toBe("a b c");
});

test("cuts long names between characters", () => {
  const name = threadNameOf({ content: "🚀".repeat(500) });
  expect(name).toBe(`${"🚀".repeat(29)}…`);
  expect(name.length).toBeLessThanOrEqual(LIMITS.channelNameMaxChars);
  expect(threadNameOf({ content: "a".repeat(61) })).toBe(`${"a".repeat(59)}…`);
  expect(threadNameOf({ content: "a".repeat(60) })).toBe("a".repeat(60));
});

test("uses the name of the first file if there is no text", () => {
  const file = { fileId: "", name: "plan.pdf", bytes: 1, contentType: "", width: null, height: null };
  expect(threadNameOf({ content: "", attachments: [file] })).toBe("plan.pdf");
  expect(threadNameOf({ content: "" })).toBe("");
});
