import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Component {
  type: string;
  name: string;
  version: string;
  purl: string;
  "bom-ref": string;
}

export interface Bom {
  serialNumber?: string;
  metadata?: { timestamp?: string; component?: { "bom-ref": string } };
  components: Component[];
  dependencies?: { ref: string; dependsOn?: string[] }[];
}

/** @param status the output of `dpkg -s` for a package */
function debianPackage(status: string): Component {
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, "m").exec(status)?.[1] ?? "";
  const [name, version] = [field("Package"), field("Version")].map(encodeURIComponent);
  const purl = `pkg:deb/debian/${name}@${version}?arch=${field("Architecture")}`;
  return {
    type: "library",
    name: field("Package"),
    version: field("Version"),
    purl,
    "bom-ref": purl,
  };
}

/**
 * The SBOM of the image: pnpm's list of the lockfile without packages for other platforms, plus Node and Debian's libraries.
 * @param bom a CycloneDX SBOM
 * @param installed whether an npm package is installed
 */
export function completeBom<T extends Bom>(
  bom: T,
  installed: (name: string, version: string) => boolean,
  { node, debian }: { node: string; debian: readonly string[] },
): T {
  const isForHere = ({ purl, version }: Component): boolean => {
    const name = /^pkg:npm\/(?<name>.+)@/.exec(purl)?.groups?.["name"];
    const isBinary = /^(%40|@)img\/|-(linux|darwin|win32|freebsd|android)|wasm32/.test(name ?? "");
    return name === undefined || !isBinary || installed(decodeURIComponent(name), version);
  };
  const purl = `pkg:generic/node@${node}`;
  const own = [
    { type: "application", name: "node", version: node, purl, "bom-ref": purl },
    ...debian.map(debianPackage),
  ];
  const components = [...bom.components.filter(isForHere), ...own];
  const refs = new Set(components.map((component) => component["bom-ref"]));
  const removed = new Set(
    bom.components.map((component) => component["bom-ref"]).filter((ref) => !refs.has(ref)),
  );
  const dependencies = bom.dependencies
    ?.filter(({ ref }) => !removed.has(ref))
    .map((one) => ({ ...one, dependsOn: (one.dependsOn ?? []).filter((ref) => !removed.has(ref)) }));
  return { ...bom, components, ...(dependencies !== undefined && { dependencies }) };
}

/** A project in the output of `pnpm list --json`. */
export interface Project {
  name: string;
  version: string;
  dependencies?: Record<string, { version: string }>;
}

/**
 * Adds the dependencies of the project's own packages, which pnpm omits inconsistently. The root depends on all of them, and on the
 * dependencies of packages that are not listed, such as the web app.
 */
export function withOwnDependencies<T extends Bom>(bom: T, projects: readonly Project[]): T {
  const listed = new Set(bom.components.map((component) => component["bom-ref"]));
  const refOf = (name: string, version: string): string => `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const own = new Map(projects.map(({ name, version }) => [name, refOf(name, version)]));
  const dependsOn = ({ dependencies = {} }: Project): string[] =>
    Object.entries(dependencies)
      .map(([name, { version }]) => own.get(name) ?? refOf(name, version))
      .filter((ref) => listed.has(ref));
  const isListed = (project: Project): boolean => listed.has(own.get(project.name)!);
  const parts = projects
    .filter(isListed)
    .map((project) => ({ ref: own.get(project.name)!, dependsOn: dependsOn(project) }));
  const rest = projects.filter((project) => !isListed(project)).flatMap(dependsOn);
  const root = bom.metadata?.component?.["bom-ref"];
  const whole =
    root === undefined
      ? []
      : [{ ref: root, dependsOn: [...new Set([...parts.map(({ ref }) => ref), ...rest])] }];
  const replaced = new Set([...parts, ...whole].map(({ ref }) => ref));
  return {
    ...bom,
    dependencies: [...(bom.dependencies ?? []).filter(({ ref }) => !replaced.has(ref)), ...parts, ...whole],
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * Makes the SBOM reproducible: ordered by name, with a serial number derived from the components and a given timestamp.
 * @param at the timestamp of the SBOM
 */
export function settleBom<T extends Bom>(
  bom: T,
  at: Date,
): T & { serialNumber: string; metadata: { timestamp: string } } {
  const components = bom.components.toSorted((a, b) => compare(a["bom-ref"], b["bom-ref"]));
  const dependencies = bom.dependencies
    ?.map((one) => ({ ...one, ...(one.dependsOn && { dependsOn: one.dependsOn.toSorted(compare) }) }))
    .toSorted((a, b) => compare(a.ref, b.ref));
  const settled = { ...bom, components, ...(dependencies !== undefined && { dependencies }) };
  const hash = createHash("sha256").update(JSON.stringify({ components, dependencies })).digest("hex");
  // A UUID of version 8 (custom).
  const uuid = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  const metadata = { ...bom.metadata, timestamp: at.toISOString() };
  return { ...settled, serialNumber: `urn:uuid:${uuid}`, metadata };
}

if (import.meta.main) {
  const [file = "", modules = "", statuses = "", projects = ""] = process.argv.slice(2);
  const folders = new Set(readdirSync(modules));
  const bom = completeBom(
    JSON.parse(readFileSync(file, "utf8")) as Bom,
    (name, version) => folders.has(`${name.replace("/", "+")}@${version}`),
    {
      node: process.versions.node,
      debian: readdirSync(statuses).map((name) => readFileSync(join(statuses, name), "utf8")),
    },
  );
  const epoch = process.env["SOURCE_DATE_EPOCH"] ?? "";
  const at = epoch === "" ? new Date() : new Date(Number(epoch) * 1000);
  const whole = withOwnDependencies(bom, JSON.parse(readFileSync(projects, "utf8")) as Project[]);
  writeFileSync(file, `${JSON.stringify(settleBom(whole, at), null, 2)}\n`);
}
