import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readRules } from "./rules-file.ts";

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const RUNBOOKS = readFileSync(folder("../../../docs/run/runbooks.md"), "utf8");
const DASHBOARDS = folder("../../monitoring/dashboards/");
const alerts = readRules().map(({ alert }) => alert);
/** The text below each alert's heading. */
const SECTIONS = new Map(
  RUNBOOKS.split(/^##+ /m).flatMap((section) => {
    const [, alert, text] = /^(Fanfare\w+)([^]*)$/.exec(section) ?? [];
    return alert === undefined ? [] : [[alert, text!] as const];
  }),
);

test("every alert has a section in the runbooks, and every section an alert", () => {
  expect([...SECTIONS.keys()].toSorted()).toEqual(alerts.toSorted());
  for (const { alert, annotations } of readRules())
    expect(annotations.runbook_url).toBe(`docs/run/runbooks.md#${alert.toLowerCase()}`);
});

test.each(alerts)("the runbook of %s has its meaning, checks and actions", (alert) => {
  expect(SECTIONS.get(alert)).toMatch(/^\n\n[A-Z`][^]+\n\n- Look: [^]+\n- Do/);
});

test("links between runbooks lead to a section", () => {
  const anchors = [...RUNBOOKS.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!.toLowerCase().replaceAll(" ", "-"),
  );
  for (const [, anchor] of RUNBOOKS.matchAll(/\]\(#([^)]+)\)/g)) expect(anchors).toContain(anchor);
});

test("every alert has a severity, and a unique summary and description", () => {
  const rules = readRules();
  for (const { labels } of rules) expect(["warning", "critical"]).toContain(labels.severity);
  expect(new Set(rules.map(({ annotations }) => annotations.summary)).size).toBe(rules.length);
  expect(new Set(rules.map(({ annotations }) => annotations.description)).size).toBe(rules.length);
});

const NAME = /\b(?:fanfare|process|nodejs)_[a-z0-9_]+/g;
const known = new Set(readFileSync(folder("../../../docs/run/metrics.md"), "utf8").match(NAME));
const unknown = (text: string): string[] =>
  [...new Set(text.match(NAME))]
    .map((name) => (known.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "")))
    .filter((name) => !known.has(name));

test("alerts and runbooks only use documented metrics", () => {
  expect(readRules().flatMap(({ expr }) => unknown(expr))).toEqual([]);
  expect(unknown(RUNBOOKS)).toEqual([]);
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
  "%s uses existing metrics, and has descriptions and a valid layout",
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
    const runbooks = [...text.matchAll(/docs\/run\/runbooks\.md#(\w+)/g)].map(([, anchor]) => anchor!);
    expect(alerts.map((alert) => alert.toLowerCase())).toEqual(expect.arrayContaining(runbooks));
  },
);
