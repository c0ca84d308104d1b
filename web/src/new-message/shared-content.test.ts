import { expect, test } from "vitest";
import { joinTexts } from "./shared-content.ts";

const LINK = "https://example.org/zeppelin";

test.each([
  [["Zeppelin", "A talk about airships", LINK], `Zeppelin\nA talk about airships\n${LINK}`],
  [["Zeppelin", `Zeppelin ${LINK}`, ""], `Zeppelin ${LINK}`],
  [["", `See ${LINK}`, LINK], `See ${LINK}`],
  [[LINK, LINK, " "], LINK],
  [["", "", ""], ""],
])("joins the parts of %j without repeating any", (texts, joined) => {
  expect(joinTexts(texts)).toBe(joined);
});
