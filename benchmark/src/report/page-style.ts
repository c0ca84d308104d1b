import { CHART_CSS, themeVariables } from "./charts/theme.ts";

export const PAGE_CSS = `
:root { color-scheme: light dark; ${themeVariables("light")} }
@media screen and (prefers-color-scheme: dark) { :root { ${themeVariables("dark")} } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 62rem; background: var(--surface); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.25rem; }
h2 { font-size: 1.35rem; margin: 3.5rem 0 0; padding-top: 1.5rem; border-top: 1px solid var(--grid); }
h3 { font-size: 1rem; margin: 2rem 0 0.25rem; }
p { margin: 0.25rem 0 0.75rem; }
.quiet { color: var(--quiet-ink); font-size: 0.875rem; }
nav { columns: 16rem; margin: 1.5rem 0; font-size: 0.9rem; }
a { color: var(--one); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: 0.75rem; margin: 1.25rem 0; }
.tile { border: 1px solid var(--grid); border-radius: 8px; padding: 0.75rem 0.9rem; }
.tile b { display: block; font-size: 1.45rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.tile.good b { color: var(--three); }
.tile.bad b { color: var(--bad); }
figure { margin: 0.5rem 0 1rem; }
svg { display: block; width: 100%; max-width: 52rem; height: auto; }
.facts { columns: 17rem; column-gap: 2.5rem; margin-top: 1rem; }
.facts > div { break-inside: avoid; padding-bottom: 1rem; }
.facts h3 { margin-top: 0; }
.facts table { width: 100%; }
.facts td { white-space: normal; overflow-wrap: break-word; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; margin: 0.5rem 0; }
th, td { padding: 0.3rem 0.8rem 0.3rem 0; text-align: right; border-bottom: 1px solid var(--grid); }
td { white-space: nowrap; }
th { font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
ul { padding-left: 1.2rem; }
@media print {
  td { white-space: normal; }
  @page { margin: 14mm; }
  body { padding: 0; max-width: none; font-size: 11pt; }
  h2 { break-before: page; border: 0; padding: 0; margin-top: 0; }
  main > section:first-of-type h2 { break-before: auto; margin-top: 1rem; }
  figure, .tile, tr { break-inside: avoid; }
  h3 { break-after: avoid; }
  nav { display: none; }
  svg { max-width: 100%; }
  a { color: inherit; text-decoration: none; }
}
${CHART_CSS}
`;
