import { type ReactNode, useContext } from "react";
import type { Tokens } from "./lex.ts";
import { MarkdownContext } from "./markdown-context.ts";
import { pretends, safeUrl } from "./safe-url.ts";
import { withoutOverrides } from "./text-parts.ts";

interface MarkdownLinkProps {
  token: Tokens.Link | Tokens.Image;
  children: ReactNode;
}

/**
 * A link that can be followed, else the text as it was written. An image is a link too: to load it would tell its server who
 * reads the message.
 */
export function MarkdownLink({ token, children }: MarkdownLinkProps): ReactNode {
  const { ownPath, onFollow } = useContext(MarkdownContext);
  const url = safeUrl(token.href);
  if (url === null) return withoutOverrides(token.raw);
  const path = ownPath(url);
  const target = path === null ? { target: "_blank", rel: "noopener noreferrer nofollow ugc" } : {};
  const isEmpty = token.type === "image" || token.text.trim() === "";
  return (
    <a
      href={path ?? url.href}
      title={url.href}
      dir="auto"
      onClick={(event) => onFollow(event, url)}
      {...target}
    >
      {isEmpty ? withoutOverrides(token.text.trim()) || url.href : children}
      {pretends(token.text, url) && <span className="markdown-host"> ({url.hostname})</span>}
    </a>
  );
}
