import type { Locale } from "@fanfare/contract";
import type { MailText } from "./texts/texts.ts";

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

const LANGUAGE_TAGS: Record<Locale, string> = { en: "en", zh: "zh-Hans" };

/** Renders an email as plain text and as HTML without external styles, images or scripts. */
export function render(
  { subject, paragraphs, action }: MailText,
  locale: Locale,
  link?: string,
): RenderedMail {
  const [first = "", ...rest] = paragraphs;
  const plain = [first, ...(link === undefined ? [] : [link]), ...rest];
  const button =
    link === undefined
      ? []
      : [
          `<p><a href="${escapeHtml(link)}">${escapeHtml(action ?? link)}</a></p>`,
          `<p>${escapeHtml(link)}</p>`,
        ];
  const html = [
    `<!doctype html><html lang="${LANGUAGE_TAGS[locale]}"><head><meta charset="utf-8">`,
    `<title>${escapeHtml(subject)}</title></head><body>`,
    ...[first].map(paragraph),
    ...button,
    ...rest.map(paragraph),
    "</body></html>",
  ];
  return { subject, text: `${plain.join("\n\n")}\n`, html: html.join("\n") };
}

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
