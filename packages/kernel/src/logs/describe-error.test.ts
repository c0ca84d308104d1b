import { expect, test } from "vitest";
import { describeError } from "./describe-error.ts";

test("an error is described by its type, message, code, stack and causes, and nothing else that it has", () => {
  const cause = Object.assign(new TypeError("inner"), { document: { content: "secret text" } });
  const error = Object.assign(new Error("outer", { cause }), { code: 14_031, writeErrors: ["secret text"] });
  const described = describeError(error);
  expect(described).toEqual({
    type: "Error",
    message: "outer",
    code: 14_031,
    stack: expect.stringContaining("describe-error.test.ts"),
    cause: { type: "TypeError", message: "inner", stack: expect.any(String) },
  });
  expect(JSON.stringify(described)).not.toContain("secret");
});

test.each([
  [
    'E11000 duplicate key error collection: f.users index: email_1 dup key: { email: "a@b.example" }',
    "E11000 duplicate key error collection: f.users index: email_1 dup key",
  ],
  [
    'Cast to ObjectId failed for value "a secret" (type string) at path "_id"',
    'Cast to ObjectId failed for a value (type string) at path "_id"',
  ],
])("%s: without the value", (message, expected) => {
  const error = new Error(message);
  expect(describeError(error).message).toBe(expected);
  // V8 puts the message into the stack as well.
  expect(describeError(error).stack).not.toMatch(/a secret|a@b/);
});

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

test.each(['{"password": hunter2}', "hunter2", '"hunter2'])(
  "what JSON.parse could not read stays out: %s",
  (text) => {
    const error = thrownBy(() => JSON.parse(text) as unknown);
    expect(error).toBeInstanceOf(SyntaxError);
    expect(describeError(error).message).not.toContain("hunter");
  },
);

test("a line of the message that looks like a frame is none", () => {
  const { stack } = describeError(new Error('Cast failed for value "x\n    at a secret" (type string)'));
  expect(stack).not.toContain("a secret");
  expect(stack).toContain("describe-error.test.ts");
});

test("whatever else is thrown is not shown, and causes end", () => {
  expect(describeError("a secret")).toEqual({ type: "string", message: "what was thrown is no error" });
  const round = new Error("round");
  round.cause = round;
  expect(JSON.stringify(describeError(round)).match(/"round"/g)).toHaveLength(6);
});
