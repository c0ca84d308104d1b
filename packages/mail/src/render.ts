import type { Locale } from "@fanfare/contract";
import type { MailText } from "./texts/texts.ts";

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

const LINE_BREAK = /\r\n?|\n|\u2028|\u2029/;

const TAGS: Partial<Record<Locale, string>> = { zh: "zh-Hans" };

/** Renders an email as plain text and as HTML without external styles, images or scripts. */
export function render(
  { subject, paragraphs, items = [], action, footer }: MailText,
  locale: Locale,
  link?: string,
  footerLinks: readonly string[] = [],
): RenderedMail {
  const [first = "", ...rest] = paragraphs;
  const links = footerLinks.map((url, index) => ({ url, label: footer?.[index] ?? url }));
  const plain = [
    first,
    // Quoted, so that no message can pass for a part of the email.
    ...items.map(({ title, text }) =>
      [title.replaceAll(/\s+/g, " "), ...(text?.split(LINE_BREAK).map((line) => `> ${line}`) ?? [])].join(
        "\n",
      ),
    ),
    ...(link === undefined ? [] : [link]),
    ...rest,
    ...links.map(({ label, url }) => `${label}: ${url}`),
  ];
  const button =
    link === undefined
      ? []
      : [
          `<p><a href="${escapeHtml(link)}">${escapeHtml(action ?? link)}</a></p>`,
          `<p>${escapeHtml(link)}</p>`,
        ];
  const html = [
    `<!doctype html><html lang="${TAGS[locale] ?? locale}" dir="${locale === "ar" ? "rtl" : "ltr"}"><head><meta charset="utf-8">`,
    `<title>${escapeHtml(subject)}</title></head><body>`,
    ...[first].map(paragraph),
    ...items.flatMap(({ title, text }) => [
      `<p><strong>${escapeHtml(title)}</strong></p>`,
      ...(text === undefined
        ? []
        : [`<blockquote dir="auto">${text.split(LINE_BREAK).map(escapeHtml).join("<br>")}</blockquote>`]),
    ]),
    ...button,
    ...rest.map(paragraph),
    ...links.map(({ label, url }) => `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`),
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
