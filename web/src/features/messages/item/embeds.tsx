import type { Embed } from "@fanfare/contract";
import { useContext } from "react";
import { MarkdownContext } from "../markdown/markdown-context.ts";
import { safeUrl } from "../markdown/safe-url.ts";

/** What the pages say about themselves that a message links to. Their pictures stay away: to load one tells who reads. */
export function Embeds({ embeds }: { embeds: readonly Embed[] }) {
  return (
    <div className="mt-1 grid grid-cols-1 justify-items-start gap-1.5">
      {embeds.map((embed, index) => (
        <EmbedCard key={index} embed={embed} />
      ))}
    </div>
  );
}

function EmbedCard({ embed }: { embed: Embed }) {
  const { onFollow } = useContext(MarkdownContext);
  const url = safeUrl(embed.url);
  if (url === null) return null;
  return (
    <div className="grid max-w-110 gap-0.5 rounded-md border border-line border-l-4 border-l-line-strong bg-raised px-3 py-2 wrap-anywhere">
      <p className="text-xs text-muted">{embed.siteName || url.hostname}</p>
      <a
        href={url.href}
        target="_blank"
        rel="noopener noreferrer nofollow ugc"
        className="font-medium text-accent-text hover:underline"
        onClick={(event) => onFollow(event, url)}
      >
        {embed.title || url.href}
      </a>
      {embed.description !== "" && <p className="line-clamp-3 text-sm text-muted">{embed.description}</p>}
    </div>
  );
}
