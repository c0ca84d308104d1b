import type { Emoji } from "@fanfare/contract";
import { useContext } from "react";
import { MarkdownContext } from "../messages/markdown/markdown.tsx";

const MAX_SIZE = {
  emoji: { width: 32, height: 32 },
  sticker: { width: 160, height: 160 },
  gif: { width: 320, height: 240 },
};

interface StickerProps {
  id: string;
  /** Stands in for a sticker that was deleted or isn't loaded yet. */
  name: string;
}

/** A message that is a sticker or GIF. */
export function Sticker({ id, name }: StickerProps) {
  const { stickers } = useContext(MarkdownContext);
  if (stickers === undefined) return <p className="h-40 text-muted">{name}</p>;
  const sticker = stickers.find((one) => one.id === id);
  if (sticker === undefined) return <p className="text-muted italic wrap-anywhere">{name}</p>;
  return (
    <img
      src={sticker.url}
      alt={name}
      title={name}
      draggable={false}
      {...shownSize(sticker)}
      className="mt-1 h-auto max-w-full"
    />
  );
}

/** Never larger than its pixels, and known before it loads, so that nothing moves. */
function shownSize({ kind, width = 0, height = 0 }: Emoji): { width: number; height: number } {
  const max = MAX_SIZE[kind];
  const scale = Math.min(1, max.width / width, max.height / height);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}
