import type { PluginWithPage } from "./plugins.ts";

const MAX_LINKS = 3;
/** Code, a link in angle brackets, which gets no card, or a link. */
const TOKEN = /```[\s\S]*?(?:```|$)|`[^`\n]*`|<https?:\/\/[^\s<>]*>|https?:\/\/[^\s<>"`]+/g;
const PUNCTUATION = /[.,;:!?'*_~|)\]}]+$/;

interface Match {
  plugin: PluginWithPage;
  link: string;
}

/** The links of a text that plug-ins make cards for, without punctuation that follows them. */
export function linksFor(content: string, plugins: readonly PluginWithPage[]): Match[] {
  const tokens = [...content.matchAll(TOKEN)].map(([token]) => token);
  const links = new Set(
    tokens.filter((token) => token.startsWith("h")).map((link) => link.replace(PUNCTUATION, "")),
  );
  return [...links]
    .flatMap((link) => {
      const plugin = plugins.find(({ page }) => page.messageCards.some((start) => link.startsWith(start)));
      return plugin === undefined ? [] : [{ plugin, link }];
    })
    .slice(0, MAX_LINKS);
}
