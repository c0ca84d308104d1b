import { expect, test } from "vitest";
import { changelog } from "./changelog.ts";
import { licenceList } from "./licences.ts";

test("the changelog has user-visible changes, breaking ones first", () => {
  const subjects = [
    "feat(web): threads have names",
    "test(web): threads in a browser",
    "fix: a reconnect asks once",
    "feat(api)!: message.list is gone",
    "perf(fanout): frames are written once",
    "Merge branch",
    "feat(bot): a bot in ten lines",
  ];
  expect(changelog("1.2.0", "2026-12-01", subjects)).toBe(`## 1.2.0 (2026-12-01)

### Breaking

- **api**: message.list is gone

### New

- **bot**: a bot in ten lines
- **web**: threads have names

### Fixed

- a reconnect asks once

### Faster

- **fanout**: frames are written once
`);
  expect(changelog("1.2.1", "2026-12-02", ["docs: more"])).toContain("Nothing that users notice.");
});

test("lists licenses and rejects unreviewed ones", () => {
  const report = {
    MIT: [{ name: "zod", versions: ["4.6.7"] }],
    "(GPL-2.0 OR MIT)": [{ name: "both", versions: ["1.0.0", "2.0.0"] }],
  };
  expect(licenceList(report)).toBe(
    "| package | version | licence |\n| --- | --- | --- |\n" +
      "| both | 1.0.0, 2.0.0 | (GPL-2.0 OR MIT) |\n| zod | 4.6.7 | MIT |\n",
  );
  const other = { "AGPL-3.0": [{ name: "server", versions: ["1.0.0"] }] };
  expect(() => licenceList({ ...report, ...other })).toThrow("server (AGPL-3.0)");
});
