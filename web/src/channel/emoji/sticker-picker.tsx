import type { Emoji } from "@fanfare/contract";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { rankByName } from "../../composer/suggestions.ts";
import { HAS_KEYBOARD } from "../../ui/has-keyboard.ts";
import { PictureGrid } from "./picture-grid.tsx";

const GRIDS = {
  sticker: { columns: 4, className: "grid-cols-4", buttonClassName: "h-20 p-1" },
  gif: { columns: 2, className: "grid-cols-2 gap-1", buttonClassName: "h-28" },
};

interface StickerPickerProps {
  kind: keyof typeof GRIDS;
  /** Of this kind. */
  stickers: readonly Emoji[];
  onPick: (sticker: Emoji) => void;
}

/** A group's stickers or GIFs. Enter in the search field picks the first one. */
export function StickerPicker({ kind, stickers, onPick }: StickerPickerProps) {
  const { t } = useTranslation("emoji");
  const [query, setQuery] = useState("");
  const grid = useRef<HTMLDivElement>(null);
  const wanted = query.trim();
  const found =
    wanted === "" ? stickers : rankByName(stickers, wanted, ({ name }) => [name], stickers.length);
  return (
    <div className="flex h-96 max-h-[60dvh] flex-col">
      <input
        type="search"
        value={query}
        aria-label={t("common:searchByName")}
        placeholder={t("common:searchByName")}
        autoFocus={HAS_KEYBOARD}
        autoComplete="off"
        className="min-h-control w-full rounded-md border border-line-strong bg-field px-3"
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") {
            event.preventDefault();
            grid.current?.querySelector<HTMLElement>("button[tabindex='0']")?.focus();
          } else if (event.key === "Enter" && found[0] !== undefined) {
            event.preventDefault();
            onPick(found[0]);
          }
        }}
      />
      {found.length === 0 && <p className="m-auto p-3 text-center text-muted">{t("noneFound")}</p>}
      <PictureGrid gridRef={grid} label={t(`kind.${kind}`)} pictures={found} {...GRIDS[kind]} onPick={onPick}>
        {({ url, name }) => (
          <img
            src={url}
            alt={name}
            title={name}
            loading="lazy"
            draggable={false}
            className="size-full object-contain"
          />
        )}
      </PictureGrid>
    </div>
  );
}
