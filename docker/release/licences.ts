/** The output of `pnpm licenses list --json`: packages by license. */
export type LicenceReport = Record<string, { name: string; versions: string[]; homepage?: string }[]>;

/** Licenses that can be distributed together with Apache-2.0 in an image. LGPL and MPL libraries are unmodified separate files. */
const ALLOWED = new Set(
  "0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 CC0-1.0 ISC LGPL-3.0-or-later MIT MIT-0 MPL-2.0 OFL-1.1 Unlicense Zlib".split(
    " ",
  ),
);

/**
 * The licenses of all distributed packages as a table.
 * @throws Error naming each package with an unreviewed license
 */
export function licenceList(report: LicenceReport): string {
  const rows = Object.entries(report).flatMap(([licence, packages]) =>
    packages.map(({ name, versions }) => ({ licence, name, versions: versions.join(", ") })),
  );
  const unknown = rows.filter(({ licence }) => !isAllowed(licence));
  if (unknown.length > 0) {
    const names = unknown.map(({ name, licence }) => `${name} (${licence})`).join(", ");
    throw new Error(
      `Review these licenses, then add them to docker/release/licences.ts or remove the packages: ${names}`,
    );
  }
  const lines = rows
    .map(({ licence, name, versions }) => `| ${name} | ${versions} | ${licence} |`)
    .toSorted();
  return `| package | version | licence |\n| --- | --- | --- |\n${lines.join("\n")}\n`;
}

/** `(A OR B)` is allowed if either is. */
function isAllowed(licence: string): boolean {
  return licence
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((one) => one.split(" AND ").every((part) => ALLOWED.has(part)));
}

if (import.meta.main) {
  const text = (await Array.fromAsync(process.stdin.setEncoding("utf8"))).join("");
  try {
    process.stdout.write(licenceList(JSON.parse(text) as LicenceReport));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
