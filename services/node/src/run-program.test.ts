import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { missingPageNotice } from "./run-program.ts";

let webDir: string;

beforeEach(() => {
  webDir = mkdtempSync(join(tmpdir(), "fanfare-page-"));
});

afterEach(() => {
  rmSync(webDir, { recursive: true });
});

test("reports a page that was not built, with its folder and the command to build it", () => {
  expect(missingPageNotice({ services: ["gateway", "user"], webDir })).toContain(webDir);
  expect(missingPageNotice({ services: ["gateway"], webDir })).toContain("pnpm@12 build");
});

test("reports nothing when it is built, or in a process without a gateway", () => {
  expect(missingPageNotice({ services: ["user"], webDir })).toBeNull();
  writeFileSync(join(webDir, "index.html"), "");
  expect(missingPageNotice({ services: ["gateway"], webDir })).toBeNull();
});
