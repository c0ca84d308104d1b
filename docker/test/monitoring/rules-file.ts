import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

export const RULES_FILE = fileURLToPath(new URL("../../monitoring/rules/fanfare.yaml", import.meta.url));

/** All alerts, in the order of the file. */
export function readRules(): Rule[] {
  const { groups } = parse(readFileSync(RULES_FILE, "utf8")) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}
