import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";

const folder = mkdtempSync(join(tmpdir(), "fanfare-cluster-image-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("the build folder has all files of the Kubefile, and the chart uses the included image", () => {
  const script = fileURLToPath(new URL("build-cluster-image.sh", import.meta.url));
  // A PATH without sealos, so the folder is created but nothing is built.
  const env = { BUILD_FOLDER: folder, PATH: "/usr/bin:/bin" };
  execFileSync("bash", [script, "registry.example.org/fanfare:1.2.3"], { env, stdio: "ignore" });
  const kubefile = readFileSync(join(folder, "Kubefile"), "utf8");
  const copied = [...kubefile.matchAll(/^COPY (\S+)/gm)].map((match) => match[1]!);
  expect(copied).toEqual(["charts", "registry", "install.sh"]);
  expect(copied.filter((name) => !existsSync(join(folder, name)))).toEqual([]);
  expect(readFileSync(join(folder, "images/shim/fanfare"), "utf8")).toBe(
    "registry.example.org/fanfare:1.2.3\n",
  );
  expect(readdirSync(join(folder, "charts/fanfare/monitoring/dashboards")).length).toBeGreaterThan(3);
  expect(lstatSync(join(folder, "charts/fanfare/monitoring")).isSymbolicLink()).toBe(false);
  const values = parse(readFileSync(join(folder, "charts/fanfare/values.yaml"), "utf8")) as {
    image: { repository: string; tag: string };
  };
  expect(values.image).toMatchObject({ repository: "registry.example.org/fanfare", tag: "1.2.3" });
});
