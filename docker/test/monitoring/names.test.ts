import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readRules } from "./rules-file.ts";

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const RUNBOOKS = folder("../../../docs/runbooks/");
const DASHBOARDS = folder("../../monitoring/dashboards/");
const alerts = readRules().map(({ alert }) => alert);

test("every alert has a runbook, and every runbook an alert", () => {
  const runbooks = readdirSync(RUNBOOKS).filter((file) => file !== "README.md");
  expect(runbooks.toSorted()).toEqual(alerts.map((alert) => `${alert}.md`).toSorted());
  for (const { alert, annotations } of readRules())
    expect(annotations.runbook_url).toBe(`docs/runbooks/${alert}.md`);
});

test.each(alerts)(
  "the runbook of %s says what it means, what it does, how to find out and what to do",
  (alert) => {
    const text = readFileSync(`${RUNBOOKS}${alert}.md`, "utf8");
    expect(text).toMatch(new RegExp(`^# ${alert}\n`));
    const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(sections).toEqual(["Meaning", "Impact", "Diagnosis", "Mitigation", "Follow-up"]);
  },
);

test("the list of runbooks has all of them", () => {
  const linked = [...readFileSync(`${RUNBOOKS}README.md`, "utf8").matchAll(/\((\w+)\.md\)/g)];
  expect(linked.map(([, alert]) => alert!).toSorted()).toEqual(alerts.toSorted());
});

test("every alert has a severity, a summary and a description of its own", () => {
  const rules = readRules();
  for (const { labels } of rules) expect(["warning", "critical"]).toContain(labels.severity);
  expect(new Set(rules.map(({ annotations }) => annotations.summary)).size).toBe(rules.length);
  expect(new Set(rules.map(({ annotations }) => annotations.description)).size).toBe(rules.length);
});

const NAME = /\b(?:fanfare|process|nodejs)_[a-z0-9_]+/g;
const known = new Set(readFileSync(folder("../../../docs/metrics.md"), "utf8").match(NAME));
const unknown = (text: string): string[] =>
  [...new Set(text.match(NAME))]
    .map((name) => (known.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "")))
    .filter((name) => !known.has(name));

test("alerts and runbooks name metrics that are described", () => {
  expect(readRules().flatMap(({ expr }) => unknown(expr))).toEqual([]);
  for (const file of readdirSync(RUNBOOKS))
    expect({ file, unknown: unknown(readFileSync(RUNBOOKS + file, "utf8")) }).toEqual({ file, unknown: [] });
});

interface Panel {
  type: string;
  title: string;
  description?: string;
  targets?: { expr: string }[];
  gridPos: { x: number; y: number; w: number; h: number };
}
interface Dashboard {
  uid: string;
  title: string;
  panels: Panel[];
  templating: { list: { name: string }[] };
}

test.each(readdirSync(DASHBOARDS))(
  "%s names what there is, says what it means, and has room for it",
  (file) => {
    const text = readFileSync(DASHBOARDS + file, "utf8");
    const { uid, panels, templating } = JSON.parse(text) as Dashboard;
    expect(uid).toBe(`fanfare-${basename(file, ".json")}`);
    expect(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => unknown(expr)))).toEqual([]);
    const charts = panels.filter(({ type }) => type !== "row" && type !== "text");
    expect(charts.filter(({ description }) => (description ?? "") === "").map(({ title }) => title)).toEqual(
      [],
    );
    const variables = new Set([...templating.list.map(({ name }) => name), "__rate_interval", "__all"]);
    const used = [...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!);
    expect(used.filter((name) => !variables.has(name))).toEqual([]);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
    for (const [, runbook] of text.matchAll(/docs\/runbooks\/(\w+\.md)/g))
      expect({ runbook, exists: existsSync(RUNBOOKS + runbook!) }).toEqual({ runbook, exists: true });
  },
);
