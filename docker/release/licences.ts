/** As `pnpm licenses list --json` writes it: licence → packages. */
export type LicenceReport = Record<string, { name: string; versions: string[]; homepage?: string }[]>;

/** What Apache-2.0 may be distributed with, in an image. The LGPL and the MPL are for libraries that stay files of their own. */
const ALLOWED = new Set(
  "0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 CC0-1.0 ISC LGPL-3.0-or-later MIT MIT-0 MPL-2.0 Unlicense Zlib".split(
    " ",
  ),
);

/**
 * The licences of everything that is distributed, as a table.
 * @throws Error that names each package whose licence has not been reviewed
 */
export function licenceList(report: LicenceReport): string {
  const rows = Object.entries(report).flatMap(([licence, packages]) =>
    packages.map(({ name, versions }) => ({ licence, name, versions: versions.join(", ") })),
  );
  const unknown = rows.filter(({ licence }) => !isAllowed(licence));
  if (unknown.length > 0) {
    const names = unknown.map(({ name, licence }) => `${name} (${licence})`).join(", ");
    throw new Error(
      `Look at these licences, and add them to docker/release/licences.ts or do without: ${names}`,
    );
  }
  const lines = rows
    .map(({ licence, name, versions }) => `| ${name} | ${versions} | ${licence} |`)
    .toSorted();
  return `| package | version | licence |\n| --- | --- | --- |\n${lines.join("\n")}\n`;
}

/** `(A OR B)` is allowed where one of them is. */
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
