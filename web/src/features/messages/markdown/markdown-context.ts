import { type ComponentType, type MouseEvent, createContext } from "react";

export interface MentionProps {
  id: string;
  /** Inside of a link, or where nothing can be pressed: a text only. */
  plain: boolean;
}

/** What a text needs to know of the world around it. */
export interface MarkdownParts {
  User: ComponentType<MentionProps>;
  Role: ComponentType<MentionProps>;
  Channel: ComponentType<MentionProps>;
  /** The link of this instance's own that an address is: it is shown in this window. */
  ownPath: (url: URL) => string | null;
  /** Called before a link is followed; may prevent it. */
  onFollow: (event: MouseEvent<HTMLAnchorElement>, url: URL) => void;
}

export const MarkdownContext = createContext<MarkdownParts>({
  User: () => "@…",
  Role: () => "@…",
  Channel: () => "#…",
  ownPath: () => null,
  onFollow: () => undefined,
});
