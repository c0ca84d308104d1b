import { expect, test } from "vitest";
import { withoutSecrets } from "./without-secrets.ts";

const TOKEN = "Ab3".repeat(15);

test.each([
  ["somebody@example.org wrote", "[e-mail] wrote"],
  ["to=<some.body+tag@mail.example.co.uk>", "to=<[e-mail]>"],
  [`Bearer eyJhbGciOi.eyJzdWIi.c2ln-_x`, "Bearer [token]"],
  [`fbot.0123456789abcdef01234567.${TOKEN}`, "fbot.0123456789abcdef01234567.[token]"],
  ["mongodb://user:pass@db.internal:27017/x", "mongodb://[user]@db.internal:27017/x"],
  ["20:15 message.send user.get a@b 3@4", "20:15 message.send user.get a@b 3@4"],
])("%s", (line, expected) => {
  expect(withoutSecrets(line)).toBe(expected);
});

test.each(["a", "eyJ-", "a@b.", "a.", "//a", "A1-", "eyJa."])(
  "a long line of %j does not stop the process",
  (part) => {
    const line = part.repeat(Math.ceil(500_000 / part.length));
    expect(withoutSecrets(line).length).toBeLessThanOrEqual(line.length);
  },
);
