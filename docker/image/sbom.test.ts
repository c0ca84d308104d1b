import { expect, test } from "vitest";
import { completeBom, settleBom, withOwnDependencies } from "./sbom.ts";

const npm = (name: string, version: string) => {
  const purl = `pkg:npm/${name}@${version}`;
  return { type: "library", name: name.split("/").at(-1)!, version, purl, "bom-ref": purl };
};
const LIBC = "Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.36-9+deb12u14\n";

test("the SBOM has the packages installed on this platform, Node and Debian's libraries", () => {
  const bom = {
    bomFormat: "CycloneDX",
    components: [
      npm("sharp", "0.35.5"),
      npm("%40img/sharp-linux-x64", "0.35.5"),
      npm("%40img/sharp-win32-x64", "0.35.5"),
    ],
    dependencies: [
      {
        ref: "pkg:npm/sharp@0.35.5",
        dependsOn: ["pkg:npm/%40img/sharp-linux-x64@0.35.5", "pkg:npm/%40img/sharp-win32-x64@0.35.5"],
      },
      { ref: "pkg:npm/%40img/sharp-win32-x64@0.35.5" },
    ],
  };
  const complete = completeBom(bom, (name) => name === "@img/sharp-linux-x64", {
    node: "26.10.0",
    debian: [LIBC],
  });
  expect(complete.bomFormat).toBe("CycloneDX");
  expect(complete.components.map(({ purl }) => purl)).toEqual([
    "pkg:npm/sharp@0.35.5",
    "pkg:npm/%40img/sharp-linux-x64@0.35.5",
    "pkg:generic/node@26.10.0",
    "pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64",
  ]);
  expect(complete.dependencies).toEqual([
    { ref: "pkg:npm/sharp@0.35.5", dependsOn: ["pkg:npm/%40img/sharp-linux-x64@0.35.5"] },
  ]);
});

test("the SBOM is independent of the order of components, and differs for other components", () => {
  const [a, b, c] = [npm("a", "1.0.0"), npm("b", "1.0.0"), npm("c", "1.0.0")];
  const uses = (ref: string, ...dependsOn: string[]) => ({ ref, dependsOn });
  const one = {
    serialNumber: "urn:uuid:1",
    components: [a, b, c],
    dependencies: [uses("a", "b", "c"), uses("b")],
  };
  const other = {
    serialNumber: "urn:uuid:2",
    components: [c, a, b],
    dependencies: [uses("b"), uses("a", "c", "b")],
  };
  const at = new Date(1_790_000_000_000);
  const settled = settleBom(one, at);
  expect(settled).toEqual(settleBom(other, at));
  expect(JSON.stringify(settled.components)).toBe(JSON.stringify([a, b, c]));
  expect(settled.metadata).toEqual({ timestamp: "2026-09-21T14:13:20.000Z" });
  expect(settled.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(settleBom({ components: [a, b] }, at).serialNumber).not.toBe(settled.serialNumber);
});

test("lists all dependencies of the project's own packages, even those that pnpm omits", () => {
  const bom = {
    metadata: { component: { "bom-ref": "pkg:npm/fanfare@0.1.0" } },
    components: [npm("%40fanfare/kernel", "0.1.0"), npm("zod", "4.6.7"), npm("react", "19.3.1")],
    dependencies: [
      { ref: "pkg:npm/fanfare@0.1.0", dependsOn: ["pkg:npm/zod@4.6.7"] },
      { ref: "pkg:npm/%40fanfare/kernel@0.1.0", dependsOn: [] },
      { ref: "pkg:npm/zod@4.6.7" },
    ],
  };
  const { dependencies } = withOwnDependencies(bom, [
    { name: "@fanfare/kernel", version: "0.1.0", dependencies: { zod: { version: "4.6.7" } } },
    {
      name: "@fanfare/web",
      version: "0.1.0",
      dependencies: {
        react: { version: "19.3.1" },
        "@fanfare/kernel": { version: "link:../packages/kernel" },
      },
    },
  ]);
  expect(dependencies).toEqual([
    { ref: "pkg:npm/zod@4.6.7" },
    { ref: "pkg:npm/%40fanfare/kernel@0.1.0", dependsOn: ["pkg:npm/zod@4.6.7"] },
    { ref: "pkg:npm/fanfare@0.1.0", dependsOn: ["pkg:npm/%40fanfare/kernel@0.1.0", "pkg:npm/react@19.3.1"] },
  ]);
});
