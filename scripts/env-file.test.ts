import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("./env-file.ts", import.meta.url));
const SHOW = "console.log([process.env.PORT, process.env.HOST].join())";
const folder = mkdtempSync(join(tmpdir(), "fanfare-env-"));
afterAll(() => rmSync(folder, { recursive: true }));

const shown = (env: Record<string, string>): string =>
  execFileSync(process.execPath, ["--import", SCRIPT, "-e", SHOW], { cwd: folder, env, encoding: "utf8" });

test("settings come from .env if it exists, and the environment overrides them", () => {
  expect(shown({ HOST: "::1" })).toBe(",::1\n");
  writeFileSync(join(folder, ".env"), "# a comment\nPORT=3100\n#HOST=b\nHOST=c\n");
  expect(shown({})).toBe("3100,c\n");
  expect(shown({ PORT: "1" })).toBe("1,c\n");
});
