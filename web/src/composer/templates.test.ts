import { LIMITS } from "@fanfare/contract/limits";
import { expect, test } from "vitest";
import { findTemplate, templateFault } from "./templates.ts";

const standup = { name: "Standup", text: "Yesterday:\nToday:" };

test("a template is found by its name, however it is capitalized", () => {
  expect(findTemplate([standup], "standup")).toBe(standup);
  expect(findTemplate([standup], "stand")).toBeUndefined();
});

test.each([
  ["another name", { name: "bye", text: "Bye" }, [standup], null],
  ["a name that is taken", { name: "STANDUP", text: "Bye" }, [standup], "nameTaken"],
  [
    "one too many",
    standup,
    Array.from({ length: LIMITS.templatesPerUser }, (_, index) => ({ name: `t${index}`, text: "x" })),
    "full",
  ],
  [
    "texts that are too long together",
    standup,
    ["a", "b"].map((name) => ({ name, text: "x".repeat(LIMITS.templatesMaxChars / 2) })),
    "tooLong",
  ],
] as const)("%s", (_, template, others, fault) => {
  expect(templateFault(template, others)).toBe(fault);
});
