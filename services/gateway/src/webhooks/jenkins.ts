import { code, line, lines, link, list, maybe, text } from "@fanfare/markup";
import { createHash } from "node:crypto";
import { z } from "zod";
import { type Convert, read } from "./webhook-message.ts";

const jenkins = z.object({
  name: z.string(),
  display_name: text,
  build: z.object({
    number: text,
    phase: text,
    status: text,
    full_url: text,
    notes: text,
    scm: maybe(z.object({ branch: text, commit: text, culprits: list(z.string(), 10) })),
    test_summary: maybe(z.object({ total: text, failed: text })),
  }),
});

const MARKS = new Map([
  ["SUCCESS", "✅"],
  ["UNSTABLE", "🟡"],
  ["FAILURE", "❌"],
  ["ABORTED", "⚪"],
]);
const LAST_PHASES: ReadonlySet<string> = new Set(["COMPLETED", "FINALIZED"]);

/** Notifications of the Jenkins plug-in Notification: https://plugins.jenkins.io/notification/ */
export const fromJenkins: Convert = (payload) => {
  const { name, display_name: displayName, build } = read(jenkins, payload);
  if (!LAST_PHASES.has(build.phase)) return null;
  const { status, full_url: url, scm, test_summary: tests } = build;
  const branch = scm === null || scm.branch === "" ? "" : ` on ${code(scm.branch)}`;
  const result = line(status.toLowerCase());
  const failed =
    tests === null || tests.failed === "" ? "" : line(`${tests.failed} of ${tests.total} tests failed`);
  const text = lines(
    `${MARKS.get(status) ?? "🔵"} **${link(`${displayName || name} #${build.number}`, url)}** ${result}${branch}`,
    failed,
    scm === null || scm.culprits.items.length === 0
      ? ""
      : `Changes by ${line(scm.culprits.items.join(", "))}`,
    line(build.notes),
  );
  // The end of a build is reported twice, in two phases.
  const nonce = createHash("sha256").update(`${url} ${build.number} ${name}`).digest("hex");
  return { text, url, nonce };
};
