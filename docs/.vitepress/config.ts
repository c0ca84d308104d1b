import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineConfig, type DefaultTheme, type MarkdownRenderer } from "vitepress";
import { compressFolder } from "../../web/build/compress.ts";

const BASE = "/docs/";
const DOCS = join(import.meta.dirname, "..");

const USE = ["index", "messages", "groups", "moderation", "notifications", "account"];
const RUN = [
  [
    "Start",
    [
      "index",
      "quick-start",
      "production",
      "sizing",
      "install",
      "docker",
      "kubernetes",
      "calls",
      "apps",
      "configuration",
    ],
  ],
  [
    "Operate",
    [
      "administration",
      "saml",
      "provisioning",
      "cli",
      "backups",
      "upgrades",
      "secrets",
      "bridges",
      "groups-as-files",
      "move",
    ],
  ],
  ["Watch", ["observability", "metrics", "runbooks", "troubleshooting"]],
] as const;
const BUILD = ["api", "protocol", "client", "sdks", "bots", "plugins", "errors"];
const INTERNALS = ["architecture", "design", "glossary", "scale", "migrations", "verified"];
/** The newest one: reports are named by their date. */
const REPORT = namesIn("benchmarks").findLast((name) => /^\d/.test(name))!;

/** The pages of a folder, sorted. */
function namesIn(folder: string): string[] {
  const files = readdirSync(join(DOCS, folder)).filter((name) => name.endsWith(".md"));
  return files.map((name) => name.replace(".md", "")).sort();
}

/** The title of a page is its heading. */
function pages(folder: string, names: readonly string[]): DefaultTheme.SidebarItem[] {
  return names.map((name) => {
    const text = /^# (.*)$/m.exec(readFileSync(join(DOCS, folder, `${name}.md`), "utf8"))?.[1];
    if (text === undefined) throw new Error(`docs/${folder}/${name}.md has no heading.`);
    return { text, link: `/${folder}/${name === "index" ? "" : name}` };
  });
}

const UNDERSTAND: DefaultTheme.SidebarItem[] = [
  { text: "Understand Fanfare", items: pages("internals", INTERNALS) },
  {
    text: "Benchmarks",
    items: pages("benchmarks", [
      "method",
      "other-servers",
      REPORT,
      "connections",
      "rows",
      "full-size",
      "published",
    ]),
  },
  { text: "Decisions", items: pages("adr", namesIn("adr")) },
];

/** A link to another site, within the page, or to a document in this folder. */
const PAGE_LINK = /^(?:[a-z]+:|#|\/|(?!.*\.\.\/\.\.\/)[^#]*\.md(?:#|$))/;

/** Turns links to files that are not pages, such as a report's JSON, into plain text. */
function unlinkFiles(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("unlink-files", ({ tokens }) => {
    for (const { children } of tokens) {
      let isFile = false;
      for (const token of children ?? []) {
        // Otherwise Vue would evaluate braces in code.
        if (token.type === "code_inline") token.attrSet("v-pre", "");
        const isLink = token.type === "link_open" || token.type === "link_close";
        if (token.type === "link_open") isFile = !PAGE_LINK.test(token.attrGet("href") ?? "");
        if (!isFile || !isLink) continue;
        if (token.type === "link_close") isFile = false;
        Object.assign(token, { type: "text", tag: "", content: "", attrs: null, nesting: 0 });
      }
    }
  });
}

/** VitePress's inline scripts, by name. They are moved to files because the gateway's content policy blocks inline scripts. */
const inlineScripts = new Map<string, string>();

export default defineConfig({
  base: BASE,
  title: "Fanfare",
  description: "Self-hosted chat: guides for users, administrators and developers.",
  outDir: "dist",
  cleanUrls: false,
  metaChunk: true,
  // Otherwise it adds an inline style, which the content policy blocks.
  appearance: { disableTransition: false },
  ignoreDeadLinks: "localhostLinks",
  head: [["link", { rel: "icon", href: "/favicon.svg" }]],
  markdown: { config: unlinkFiles },
  themeConfig: {
    search: { provider: "local" },
    outline: "deep",
    nav: [
      { text: "Use it", link: "/use/", activeMatch: "^/use/" },
      { text: "Run it", link: "/run/", activeMatch: "^/run/" },
      { text: "Build on it", link: "/build/api", activeMatch: "^/build/" },
      {
        text: "Understand it",
        link: "/internals/architecture",
        activeMatch: "^/(internals|adr|benchmarks)/",
      },
    ],
    sidebar: {
      "/use/": [{ text: "Use Fanfare", items: pages("use", USE) }],
      "/run/": RUN.map(([text, names]) => ({ text, items: pages("run", names) })),
      "/build/": [{ text: "Build on Fanfare", items: pages("build", BUILD) }],
      "/internals/": UNDERSTAND,
      "/adr/": UNDERSTAND,
      "/benchmarks/": UNDERSTAND,
    },
  },
  transformHtml(html) {
    return html.replaceAll(
      /<script id="([\w-]+)">(.*?)<\/script>/gs,
      (_tag, name: string, script: string) => {
        inlineScripts.set(name, script);
        return `<script src="${BASE}${name}.js"></script>`;
      },
    );
  },
  async buildEnd({ outDir }) {
    for (const [name, script] of inlineScripts) await writeFile(join(outDir, `${name}.js`), script);
    await compressFolder(outDir);
  },
});
