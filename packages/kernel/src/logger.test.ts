import { expect, test } from "vitest";
import { createLogger, type LoggerOptions } from "./logger.ts";
import { runForRequest } from "./request-scope.ts";

function logged(log: (logger: ReturnType<typeof createLogger>) => void, options: LoggerOptions = {}): string {
  let text = "";
  log(createLogger("trace", { ...options, stream: { write: (line) => void (text += line) } }));
  return text;
}

test("a line has its fields under stable names", () => {
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

test("what is logged for a request has its id, also after a wait and in what it calls; nothing else has", async () => {
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

test("secrets stay out of whatever is logged", () => {
  const token = `eyJhbGciOiJIUzI1NiJ9.${"a".repeat(20)}.${"b".repeat(43)}`;
  const refreshToken = `0123456789abcdef01234567.${"aB3-".repeat(11)}`;
  const line = logged((logger) => {
    logger.error(
      { user: { password: "hunter2" }, content: "hello", deep: { message: { content: "hello" } }, token },
      `no way to nobody@example.com with ${token} or ${refreshToken} at mongodb://root:hunter2@host/fanfare`,
    );
    logger.error({ err: new Error("550 <somebody.else@mail.example.com> is unknown") });
  });
  for (const secret of ["hunter2", "hello", "eyJ", "aB3-", "nobody", "somebody"])
    expect(line).not.toContain(secret);
  for (const rest of line.trim().split("\n")) expect(() => JSON.parse(rest)).not.toThrow();
  expect(line).toContain("mongodb://[user]@host/fanfare");
});

test("where things are found stays readable", () => {
  const path =
    "node_modules/.pnpm/@redis+client@6.3.1_@opentelemetry+api@1.10.0/node_modules/mongodb@7.8.0/lib/a.js:1:2";
  expect(logged((logger) => logger.info(path))).toContain(path);
});

test("in development a line is for a person to read", () => {
  const text = logged(
    (logger) =>
      logger.error({ err: new Error("a fault", { cause: new Error("its cause") }), n: 1 }, "what happened"),
    { environment: "development" },
  );
  expect(text).toMatch(/^\d\d:\d\d:\d\d\.\d{3} ERROR what happened n=1\n {2}Error: a fault\n {4}at .*\n/);
  expect(text).toContain("  because of Error: its cause\n");
});
