import type { Emoji } from "@fanfare/contract";
import { useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { rankByName } from "../../composer/suggestions.ts";
import { HAS_KEYBOARD } from "../../ui/has-keyboard.ts";

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
    <div className="flex h-96 max-h-[calc(var(--visible-height)*0.6)] flex-col">
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

const STEPS: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

interface PictureGridProps {
  gridRef: RefObject<HTMLDivElement | null>;
  label: string;
  pictures: readonly Emoji[];
  columns: number;
  /** The columns as a class. */
  className: string;
  buttonClassName: string;
  onPick: (picture: Emoji) => void;
  children: (picture: Emoji) => ReactNode;
}

/** A group's own emoji, stickers or GIFs. The arrow keys move between them, so that they are one stop for Tab. */
export function PictureGrid(props: PictureGridProps) {
  const { gridRef, label, pictures, columns, className, buttonClassName, onPick, children } = props;
  const [current, setCurrent] = useState(0);
  const reachable = Math.min(current, pictures.length - 1);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ...STEPS, ArrowUp: -columns, ArrowDown: columns }[event.key];
    const next = step === undefined ? -1 : reachable + step;
    if (next < 0 || next >= pictures.length) return;
    event.preventDefault();
    event.currentTarget.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div
      ref={gridRef}
      role="group"
      aria-label={label}
      className={`mt-1 grid min-h-0 flex-1 content-start overflow-y-auto ${className}`}
      onKeyDown={onKeyDown}
    >
      {pictures.map((one, at) => (
        <button
          key={one.id}
          type="button"
          tabIndex={at === reachable ? 0 : -1}
          className={`flex items-center justify-center rounded-md -outline-offset-2 hover:bg-hover focus-visible:bg-selected ${buttonClassName}`}
          onFocus={() => setCurrent(at)}
          onClick={() => onPick(one)}
        >
          {children(one)}
        </button>
      ))}
    </div>
  );
}
