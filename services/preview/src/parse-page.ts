import type { Embed } from "@fanfare/contract";
import { Parser } from "htmlparser2";

/** Longer texts are cut. */
const TITLE_MAX_CHARS = 256;
const DESCRIPTION_MAX_CHARS = 1000;
const URL_MAX_CHARS = 2048;

/** Reads the preview from Open Graph tags, or from plain HTML. @returns null when there is no title */
export function parsePage(html: string, url: string): Embed | null {
  const meta = new Map<string, string>();
  let title: string | null = null;
  let isInTitle = false;
  let isDone = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (isDone) return;
      if (name === "body") isDone = true;
      if (name === "title" && title === null) {
        isInTitle = true;
        title = "";
      }
      if (name !== "meta") return;
      const key = (attributes["property"] ?? attributes["name"] ?? "").toLowerCase();
      const value = attributes["content"];
      if (value !== undefined && !meta.has(key) && KEYS.has(key)) meta.set(key, value);
    },
    ontext(text) {
      if (isInTitle && title !== null && title.length < TITLE_MAX_CHARS) title += text;
    },
    onclosetag(name) {
      if (name === "title") isInTitle = false;
      if (name === "head") isDone = true;
    },
  });
  parser.write(html);
  parser.end();
  const first = (...keys: string[]): string => keys.map((key) => meta.get(key)).find(isFilled) ?? "";
  const shown = tidy(first("og:title", "twitter:title") || (title ?? ""), TITLE_MAX_CHARS);
  if (shown === "") return null;
  return {
    url,
    title: shown,
    description: tidy(first("og:description", "twitter:description", "description"), DESCRIPTION_MAX_CHARS),
    siteName: tidy(first("og:site_name"), TITLE_MAX_CHARS),
    imageUrl: address(first("og:image:secure_url", "og:image", "og:image:url", "twitter:image"), url),
  };
}

const KEYS: ReadonlySet<string> = new Set([
  "og:title",
  "og:description",
  "og:site_name",
  "og:image",
  "og:image:url",
  "og:image:secure_url",
  "twitter:title",
  "twitter:description",
  "twitter:image",
  "description",
]);

const isFilled = (text: string | undefined): text is string => text !== undefined && text.trim() !== "";

/** A single line of well-formed text without control and bidirectional formatting characters. */
function tidy(text: string, maxChars: number): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, maxChars)
    .toWellFormed();
}

function address(text: string, base: string): string | null {
  const url = text === "" ? null : URL.parse(text, base);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > URL_MAX_CHARS) return null;
  return url.username === "" && url.password === "" ? url.href : null;
}
