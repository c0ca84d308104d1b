import { expect, test } from "vitest";
import { parseAnswer } from "./answer.ts";

const parse = (answer: unknown) => parseAnswer(JSON.stringify(answer));

test.each(["", "ok", "null", "[]", "5", '"text"', "{}", '{"ok":true}', '{"text":""}', '{"text":{}}', "{"])(
  "a response such as %j is no answer",
  (body) => expect(parseAnswer(body)).toBeNull(),
);

test("an answer is only for the user, unless it says otherwise", () => {
  expect(parse({ text: "a" })).toEqual({ as: "ephemeral", message: { content: "a" } });
  expect(parse({ text: "a", response_type: "in_channel" })?.as).toBe("message");
  expect(parse({ text: "a", response_type: "unknown" })?.as).toBe("ephemeral");
  expect(parse({ text: "a", response_type: "in_channel", replace_original: true })?.as).toBe("update");
});

test("an update in Slack's format replaces everything, one in Fanfare's only what it has", () => {
  expect(parse({ text: "Approved", replace_original: true })).toEqual({
    as: "update",
    message: { content: "Approved", cards: [], controls: [] },
  });
  expect(parse({ controls: [], replace_original: true })?.message).toEqual({ controls: [] });
});

test("Slack's markup and attachments are converted, Fanfare's fields are not", () => {
  expect(parse({ text: "*a*", attachments: [{ title: "t", color: "good" }] })?.message).toEqual({
    content: "**a**",
    cards: [{ title: "t", color: 0x2e_b8_86 }],
    controls: [],
  });
  const own = { content: "*a*", cards: [{ title: "t" }], controls: [] };
  expect(parse({ ...own, text: "ignored" })?.message).toEqual(own);
});
