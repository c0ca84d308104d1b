import { expect, test } from "vitest";
import { scriptsOf } from "./load.ts";

const manifest = {
  "index.html": { file: "assets/index.js", imports: ["_shared.js"], dynamicImports: ["src/page.tsx"] },
  "_shared.js": { file: "assets/shared.js", imports: ["_runtime.js"] },
  "_runtime.js": { file: "assets/runtime.js", imports: ["_shared.js"] },
  "src/page.tsx": { file: "assets/page.js", imports: ["_shared.js", "_parts.js"] },
  "_parts.js": { file: "assets/parts.js", imports: ["style.css"] },
  "style.css": { file: "assets/style.css" },
};

test("counts a page's modules and all their imports once, and nothing loaded later", () => {
  expect(scriptsOf(manifest, ["index.html"])).toEqual([
    "assets/index.js",
    "assets/shared.js",
    "assets/runtime.js",
  ]);
  expect(scriptsOf(manifest, ["index.html", "src/page.tsx"])).toEqual([
    "assets/index.js",
    "assets/shared.js",
    "assets/runtime.js",
    "assets/page.js",
    "assets/parts.js",
  ]);
});

test("fails if a module is missing instead of measuring less", () => {
  expect(() => scriptsOf(manifest, ["src/other.tsx"])).toThrow("src/other.tsx is not a chunk of its own");
});
