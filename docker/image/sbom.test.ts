import { expect, test } from "vitest";
import { completeBom } from "./sbom.ts";

const npm = (name: string, version: string) => {
  const purl = `pkg:npm/${name}@${version}`;
  return { type: "library", name: name.split("/").at(-1)!, version, purl, "bom-ref": purl };
};
const LIBC = "Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.36-9+deb12u14\n";

test("the list of the image has what is installed on this platform, Node, and Debian's libraries", () => {
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
