import type { Emoji } from "@fanfare/contract";
import { EmojiPicker as Picker, type EmojiPickerListComponents } from "frimousse";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "../../ui/cx.ts";
import { HAS_KEYBOARD } from "../../ui/has-keyboard.ts";
import { useOptions } from "../../ui/hooks.ts";
import { rankByName } from "../../composer/suggestions.ts";
import { CATEGORIES, CategoryTabs, COLUMNS } from "./category-tabs.tsx";
import { type EmojiIndex, loadEmojiIndex, searchEmoji } from "./emoji-index.ts";
import { EmojiPicture, EmojiSign } from "./emoji-sign.tsx";
import { PictureGrid } from "./sticker-picker.tsx";

const MAX_FOUND = 40;

interface EmojiPickerProps {
  onPick: (emoji: string) => void;
  /** The group's own emoji by name. */
  own: ReadonlyMap<string, Emoji>;
  /** Shown above all emoji, unless something is searched. */
  recent: ReactNode;
}

export function EmojiPicker({ onPick, own, recent }: EmojiPickerProps) {
  const { t, i18n } = useTranslation("emoji");
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState<EmojiIndex | null>(null);
  const [isOwnChosen, chooseOwn] = useState(false);
  const isSearching = query !== "";
  const isOwnShown = isOwnChosen && own.size > 0 && !isSearching;
  const wanted = query.trim();
  // The picker's own search keeps the order of its categories.
  const found = [
    ...rankByName([...own.keys()], wanted, (name) => [name]).map((name) => ({
      emoji: `:${name}:`,
      label: `:${name}:`,
    })),
    ...(index === null ? [] : searchEmoji(index, wanted, MAX_FOUND)),
  ];
  const isFound = isSearching && found.length > 0;
  const pick = (emoji: string) => {
    // The closed picker stays for a moment, and can be opened again.
    setQuery("");
    onPick(emoji);
  };
  const options = useOptions({ count: found.length, about: query, onPick: (at) => pick(found[at]!.emoji) });
  const viewport = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const resolve = async (locale: string) => {
    const loaded = await loadEmojiIndex(locale);
    const { emojis } = loaded;
    setIndex(loaded);
    return {
      locale,
      emojis: emojis.map((entry) => ({ ...entry, tags: [...entry.tags, ...entry.names] })),
      categories: CATEGORIES.map(({ index, name }) => ({ index, label: t(`category.${name}`) })),
      skinTones: {
        light: t("skin.light"),
        "medium-light": t("skin.mediumLight"),
        medium: t("skin.medium"),
        "medium-dark": t("skin.mediumDark"),
        dark: t("skin.dark"),
      },
    };
  };
  return (
    <Picker.Root
      locale={i18n.language}
      columns={COLUMNS}
      resolveEmojiData={resolve}
      onEmojiSelect={({ emoji }) => pick(emoji)}
      className="isolate flex h-96 max-h-[calc(var(--visible-height)*0.6)] flex-col"
    >
      <div className="flex gap-1.5">
        <Picker.Search
          {...(isSearching ? options.fieldProps : {})}
          value={query}
          aria-label={t("search")}
          placeholder={t("search")}
          autoFocus={HAS_KEYBOARD}
          className="min-h-control w-full min-w-0 rounded-md border border-line-strong bg-field px-3"
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (isSearching && options.onKey(event)) event.stopPropagation();
            if (!isOwnShown || (event.key !== "ArrowDown" && event.key !== "Enter")) return;
            // They would move to and pick an emoji of the hidden list.
            event.preventDefault();
            event.stopPropagation();
            grid.current?.querySelector("button")?.focus();
          }}
        />
        <Picker.SkinToneSelector
          aria-label={t("skin.choose")}
          className="flex size-control shrink-0 items-center justify-center rounded-md text-xl hover:bg-hover"
        />
      </div>
      {!isSearching && (
        <>
          <CategoryTabs viewport={viewport} hasOwn={own.size > 0} isOwnShown={isOwnShown} onOwn={chooseOwn} />
          {recent}
        </>
      )}
      {isFound && (
        <div {...options.listProps} aria-label={t("search")} className="mt-1 min-h-0 flex-1 overflow-y-auto">
          {found.map(({ emoji, label }, at) => (
            <div
              {...options.optionProps(at)}
              key={emoji}
              className={cx(
                "flex min-h-row cursor-default items-center gap-2.5 rounded-md px-2",
                at === options.active && "bg-selected",
              )}
            >
              <span className="text-2xl">
                <EmojiSign emoji={emoji} own={own} />
              </span>
              <span className="truncate text-sm">{label}</span>
            </div>
          ))}
        </div>
      )}
      {isOwnShown && (
        <PictureGrid
          gridRef={grid}
          label={t("category.own")}
          pictures={[...own.values()]}
          columns={COLUMNS}
          className="grid-cols-8"
          buttonClassName="size-10 text-2xl"
          onPick={({ name }) => pick(`:${name}:`)}
        >
          {(emoji) => <EmojiPicture emoji={emoji} />}
        </PictureGrid>
      )}
      <Picker.Viewport
        ref={viewport}
        className={cx("relative mt-1 flex-1 outline-none", (isFound || isOwnShown) && "hidden")}
      >
        <Picker.Loading className="absolute inset-0 flex items-center justify-center text-muted">
          {t("loading")}
        </Picker.Loading>
        <Picker.Empty className="absolute inset-0 flex items-center justify-center text-muted">
          {({ search }) => t("empty", { search })}
        </Picker.Empty>
        <Picker.List className="pb-1 select-none" components={COMPONENTS} />
      </Picker.Viewport>
      <Picker.ActiveEmoji>
        {({ emoji }) => (
          <p
            hidden={isFound || isOwnShown}
            className="-mx-2 -mb-2 flex h-10 shrink-0 items-center gap-2 border-t border-line px-3 text-sm text-muted"
          >
            {emoji === undefined ? (
              t("pick")
            ) : (
              <>
                <span className="text-xl">{emoji.emoji}</span>
                <span className="truncate">{emoji.label}</span>
              </>
            )}
          </p>
        )}
      </Picker.ActiveEmoji>
    </Picker.Root>
  );
}

const COMPONENTS: Partial<EmojiPickerListComponents> = {
  CategoryHeader: ({ category, ...props }) => (
    <div {...props} className="bg-raised px-1 py-1.5 text-xs font-semibold text-muted">
      {category.label}
    </div>
  ),
  // The library counts from 0, ARIA from 1.
  Row: ({ children, ...props }) => (
    <div {...props} aria-rowindex={(props["aria-rowindex"] ?? 0) + 1}>
      {children}
    </div>
  ),
  Emoji: ({ emoji, ...props }) => (
    <button
      {...props}
      aria-colindex={(props["aria-colindex"] ?? 0) + 1}
      className={cx(
        "flex size-10 items-center justify-center rounded-md text-2xl max-md:flex-1",
        emoji.isActive && "bg-selected",
      )}
    >
      {emoji.emoji}
    </button>
  ),
};
