import { expect, test } from "vitest";
import { createLogger, describeError, LineThrottle, type LoggerOptions, withoutSecrets } from "./logger.ts";
import { runForRequest } from "./request-scope.ts";

function logged(log: (logger: ReturnType<typeof createLogger>) => void, options: LoggerOptions = {}): string {
  let text = "";
  log(createLogger("trace", { ...options, stream: { write: (line) => void (text += line) } }));
  return text;
}

test("log lines have stable field names", () => {
  const line = logged((logger) => logger.warn({ err: new Error("a fault"), fileId: "f" }, "what happened"), {
    node: "host-1-abcd",
  });
  expect(JSON.parse(line)).toEqual({
    level: "warn",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    pid: process.pid,
    node: "host-1-abcd",
    fileId: "f",
    err: { type: "Error", message: "a fault", stack: expect.any(String) },
    msg: "what happened",
  });
});

test("log lines of a request have its id, even after an await and in nested calls; other lines have none", async () => {
  const lines: string[] = [];
  const logger = createLogger("info", { stream: { write: (line) => void lines.push(line) } });
  const log = async (what: string): Promise<void> => logger.info(what);
  const work = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    await runForRequest("r.1", "user.get", log, "inside");
    await runForRequest("r.2", "user.get", log, "of another request");
  };
  await runForRequest("r.1", "message.send", work, undefined);
  logger.info("outside");
  const shown = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(shown.map(({ msg, requestId, action }) => [msg, requestId, action])).toEqual([
    ["inside", "r.1", "message.send"],
    ["of another request", "r.2", "user.get"],
    ["outside", undefined, undefined],
  ]);
});

test("redacts secrets", () => {
  const token = `eyJhbGciOiJIUzI1NiJ9.${"a".repeat(20)}.${"b".repeat(43)}`;
  const refreshToken = `0123456789abcdef01234567.${"aB3-".repeat(11)}`;
  const line = logged((logger) => {
    logger.error(
      { user: { password: "hunter2" }, content: "hello", deep: { message: { content: "hello" } }, token },
      `no way to no.one@example.com with ${token} or ${refreshToken} at mongodb://root:hunter2@host/fanfare`,
    );
    logger.error({ err: new Error("550 <some.one@mail.example.com> is unknown") });
  });
  for (const secret of ["hunter2", "hello", "eyJ", "aB3-", "no.one", "some.one"])
    expect(line).not.toContain(secret);
  for (const rest of line.trim().split("\n")) expect(() => JSON.parse(rest)).not.toThrow();
  expect(line).toContain("mongodb://[user]@host/fanfare");
});

test("keeps paths readable", () => {
  const path =
    "node_modules/.pnpm/@redis+client@6.3.1_@opentelemetry+api@1.10.0/node_modules/mongodb@7.8.0/lib/a.js:1:2";
  expect(logged((logger) => logger.info(path))).toContain(path);
});

test("formats lines for reading in development", () => {
  const text = logged(
    (logger) =>
      logger.error({ err: new Error("a fault", { cause: new Error("its cause") }), n: 1 }, "what happened"),
    { environment: "development" },
  );
  expect(text).toMatch(/^\d\d:\d\d:\d\d\.\d{3} ERROR what happened n=1\n {2}Error: a fault\n {4}at .*\n/);
  expect(text).toContain("  caused by Error: its cause\n");
});

test("describes an error by type, message, code, stack and causes only", () => {
  const cause = Object.assign(new TypeError("inner"), { document: { content: "secret text" } });
  const error = Object.assign(new Error("outer", { cause }), { code: 14_031, writeErrors: ["secret text"] });
  const described = describeError(error);
  expect(described).toEqual({
    type: "Error",
    message: "outer",
    code: 14_031,
    stack: expect.stringContaining("logger.test.ts"),
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
  "omits the input of a JSON.parse error: %s",
  (text) => {
    const error = thrownBy(() => JSON.parse(text) as unknown);
    expect(error).toBeInstanceOf(SyntaxError);
    expect(describeError(error).message).not.toContain("hunter");
  },
);

test("ignores message lines that look like stack frames", () => {
  const { stack } = describeError(new Error('Cast failed for value "x\n    at a secret" (type string)'));
  expect(stack).not.toContain("a secret");
  expect(stack).toContain("logger.test.ts");
});

test("hides thrown values that are not errors, and limits causes", () => {
  expect(describeError("a secret")).toEqual({ type: "string", message: "the thrown value is not an Error" });
  const round = new Error("round");
  round.cause = round;
  expect(JSON.stringify(describeError(round)).match(/"round"/g)).toHaveLength(6);
});

test("throttles repeated warnings and errors and reports how many were suppressed", () => {
  let nowMs = 0;
  const lines = new LineThrottle(() => nowMs);
  const fail = (error: Error) =>
    lines.take(50, [{ err: error, userId: String(Math.random()) }, "call failed"]);
  const first = Array.from({ length: 50 }, () => fail(new Error("no response")));
  expect(first.filter(({ isWritten }) => isWritten).length).toBe(20);
  expect(fail(new Error("another reason")).isWritten).toBe(true);
  nowMs = 10_000;
  expect(fail(new Error("no response"))).toEqual({
    isWritten: true,
    suppressed: new Map([["call failed: Error: no response", 30]]),
  });
  expect(
    Array.from({ length: 50 }, () => lines.take(30, ["a call"])).every(({ isWritten }) => isWritten),
  ).toBe(true);
});

test("throttles a logger and its children", () => {
  let written = 0;
  const logger = createLogger("info", { stream: { write: () => void (written += 1) } });
  for (let i = 0; i < 50; i += 1) logger.child({ i }).error({ err: new Error("no response") }, "call failed");
  expect(written).toBe(20);
});

const TOKEN = "Ab3".repeat(15);

test.each([
  ["someone@example.org wrote", "[email] wrote"],
  ["to=<some.body+tag@mail.example.co.uk>", "to=<[email]>"],
  [`Bearer eyJhbGciOi.eyJzdWIi.c2ln-_x`, "Bearer [token]"],
  [`fbot.0123456789abcdef01234567.${TOKEN}`, "fbot.0123456789abcdef01234567.[token]"],
  ["mongodb://user:pass@db.internal:27017/x", "mongodb://[user]@db.internal:27017/x"],
  ["20:15 message.send user.get a@b 3@4", "20:15 message.send user.get a@b 3@4"],
])("%s", (line, expected) => {
  expect(withoutSecrets(line)).toBe(expected);
});

test.each(["a", "eyJ-", "a@b.", "a.", "//a", "A1-", "eyJa."])(
  "a long line of %j doesn't block the process",
  (part) => {
    const line = part.repeat(Math.ceil(500_000 / part.length));
    expect(withoutSecrets(line).length).toBeLessThanOrEqual(line.length);
  },
);
