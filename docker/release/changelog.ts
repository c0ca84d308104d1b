/** The sections of a changelog in order. Tests, documentation and chores are omitted. */
const PARTS: readonly (readonly [string, string])[] = [
  ["breaking", "Breaking"],
  ["feat", "New"],
  ["fix", "Fixed"],
  ["perf", "Faster"],
];
const SUBJECT = /^(?<type>\w+)(?:\((?<scope>[^)]+)\))?(?<breaking>!)?: (?<text>.+)$/;

/**
 * The changelog of a version.
 * @param subjects first lines of conventional commits, newest first; others are ignored
 */
export function changelog(version: string, date: string, subjects: readonly string[]): string {
  const lines = new Map(PARTS.map(([type]) => [type, [] as string[]]));
  for (const subject of subjects) {
    const { type, scope, breaking, text } = SUBJECT.exec(subject)?.groups ?? {};
    if (type === undefined || text === undefined) continue;
    lines.get(breaking ? "breaking" : type)?.push(scope ? `- **${scope}**: ${text}` : `- ${text}`);
  }
  const parts = PARTS.map(([type, title]) => ({ title, lines: lines.get(type)!.toSorted() }));
  const text = parts
    .filter((part) => part.lines.length > 0)
    .map((part) => `### ${part.title}\n\n${part.lines.join("\n")}\n`)
    .join("\n");
  return `## ${version} (${date})\n\n${text === "" ? "Nothing that users notice.\n" : text}`;
}

if (import.meta.main) {
  const [version, date] = process.argv.slice(2);
  if (version === undefined || date === undefined) {
    process.stderr.write("git log --format=%s | node docker/release/changelog.ts <version> <date>\n");
    process.exit(1);
  }
  const subjects = (await Array.fromAsync(process.stdin.setEncoding("utf8"))).join("").split("\n");
  process.stdout.write(changelog(version, date, subjects));
}
