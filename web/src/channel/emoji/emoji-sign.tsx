import type { Emoji } from "@fanfare/contract";

interface EmojiSignProps {
  emoji: string;
  /** The group's own emoji by name. */
  own: ReadonlyMap<string, Emoji>;
}

/** An emoji; `:parrot:` is the picture that the group has with this name, otherwise text. */
export function EmojiSign({ emoji, own }: EmojiSignProps) {
  const found = emoji.startsWith(":") ? own.get(emoji.slice(1, -1)) : undefined;
  return found === undefined ? emoji : <EmojiPicture emoji={found} />;
}

/** As large as the text around it. */
export function EmojiPicture({ emoji: { name, url } }: { emoji: Emoji }) {
  const code = `:${name}:`;
  return <img src={url} alt={code} title={code} draggable={false} className="emoji-picture" />;
}
