import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Restarts } from "./supervise.ts";

const SUPERVISE = new URL("supervise.ts", import.meta.url).href;

test.each([
  ["a start that fails after a crash is tried again", [70, 1, 0], 0],
  ["a first start that fails is final", [1, 0], 1],
])("%s", async (_, codes, exitCode) => {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-supervise-"));
  const [server, left] = [join(folder, "server.mjs"), join(folder, "left")];
  await writeFile(left, codes.join(" "));
  const program = `import { readFileSync, writeFileSync } from "node:fs";
    const [code, ...rest] = readFileSync(${JSON.stringify(left)}, "utf8").split(" ");
    writeFileSync(${JSON.stringify(left)}, rest.join(" "));
    process.exit(Number(code));`;
  await writeFile(server, program);
  const script = `import { supervise } from "${SUPERVISE}"; await supervise(process.execPath, [${JSON.stringify(server)}]);`;
  const ended = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]).then(
    () => 0,
    ({ code }: { code: number }) => code,
  );
  expect(ended).toBe(exitCode);
  expect(await readFile(left, "utf8")).toBe(exitCode === 0 ? "" : "0");
  await rm(folder, { recursive: true });
});

test("waits longer after each immediate failure, and gives up after five", () => {
  const restarts = new Restarts();
  expect([10, 20, 30, 40, 50].map((ranMs) => restarts.next(ranMs))).toEqual([1000, 2000, 4000, 8000, null]);
});

test("a process that ran for a while is always restarted", () => {
  const restarts = new Restarts();
  for (let ends = 0; ends < 20; ends += 1) {
    expect(restarts.next(60_000)).toBe(500);
    expect(restarts.next(100)).toBe(1000);
  }
});
