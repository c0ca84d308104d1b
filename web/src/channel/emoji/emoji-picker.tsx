import { EmojiPicker as Picker, type EmojiPickerListComponents } from "frimousse";
import {
  Apple,
  Flag,
  Hand,
  Leaf,
  Lightbulb,
  type LucideIcon,
  Plane,
  Shapes,
  Smile,
  Volleyball,
} from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "../../ui/cx.ts";
import { useOptions } from "../../ui/hooks.ts";
import { type EmojiIndex, loadEmojiIndex, searchEmoji } from "./emoji-index.ts";

/** With the numbers of emojibase's groups. The third one contains only components. */
const CATEGORIES = [
  { index: 0, name: "smileys", icon: Smile },
  { index: 1, name: "people", icon: Hand },
  { index: 3, name: "nature", icon: Leaf },
  { index: 4, name: "food", icon: Apple },
  { index: 5, name: "travel", icon: Plane },
  { index: 6, name: "activities", icon: Volleyball },
  { index: 7, name: "objects", icon: Lightbulb },
  { index: 8, name: "symbols", icon: Shapes },
  { index: 9, name: "flags", icon: Flag },
] as const satisfies { index: number; name: string; icon: LucideIcon }[];

const COLUMNS = 8;

/** On phones, focusing the search field would open the keyboard over the emoji. */
const HAS_KEYBOARD = matchMedia("(hover: hover)").matches;

const MAX_FOUND = 40;

interface EmojiPickerProps {
  onPick: (emoji: string) => void;
  /** Shown above all emoji, unless something is searched. */
  recent: ReactNode;
}

export function EmojiPicker({ onPick, recent }: EmojiPickerProps) {
  const { t, i18n } = useTranslation("emoji");
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState<EmojiIndex | null>(null);
  const isSearching = query !== "";
  // The picker's own search keeps the order of its categories.
  const found = index === null ? [] : searchEmoji(index, query.trim(), MAX_FOUND);
  const isFound = isSearching && found.length > 0;
  const pick = (emoji: string) => {
    // The closed picker stays for a moment, and can be opened again.
    setQuery("");
    onPick(emoji);
  };
  const options = useOptions({ count: found.length, about: query, onPick: (at) => pick(found[at]!.emoji) });
  const viewport = useRef<HTMLDivElement>(null);
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
      className="isolate flex h-96 max-h-[60dvh] flex-col"
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
          }}
        />
        <Picker.SkinToneSelector
          aria-label={t("skin.choose")}
          className="flex size-control shrink-0 items-center justify-center rounded-md text-xl hover:bg-hover"
        />
      </div>
      {!isSearching && (
        <>
          <CategoryTabs viewport={viewport} />
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
              <span className="text-2xl">{emoji}</span>
              <span className="truncate text-sm">{label}</span>
            </div>
          ))}
        </div>
      )}
      <Picker.Viewport
        ref={viewport}
        className={cx("relative mt-1 flex-1 outline-none", isFound && "hidden")}
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
            hidden={isFound}
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

/** Scroll the list to a category, and show which one is in view. */
function CategoryTabs({ viewport }: { viewport: { current: HTMLDivElement | null } }) {
  const { t, i18n } = useTranslation("emoji");
  const [rowCounts, setRowCounts] = useState<readonly number[]>([]);
  const [current, setCurrent] = useState(0);
  useEffect(() => {
    let isShown = true;
    const count = async () => {
      const index = await loadEmojiIndex(i18n.language);
      if (isShown) setRowCounts(countRows(index));
    };
    // The list shows the error.
    count().catch(() => undefined);
    return () => {
      isShown = false;
    };
  }, [i18n.language]);
  useEffect(() => {
    const box = viewport.current;
    if (box === null) return undefined;
    const look = () => {
      const starts = rowCounts.map((_, at) => startOf(box, rowCounts, at));
      setCurrent(
        Math.max(
          0,
          starts.findLastIndex((start) => start <= box.scrollTop + 1),
        ),
      );
    };
    box.addEventListener("scroll", look, { passive: true });
    return () => box.removeEventListener("scroll", look);
  }, [viewport, rowCounts]);
  return (
    <div
      role="group"
      aria-label={t("categories")}
      className="mt-1.5 flex justify-between border-b border-line pb-1.5"
    >
      {CATEGORIES.map(({ name, icon: Icon }, at) => (
        <button
          key={name}
          type="button"
          aria-label={t(`category.${name}`)}
          title={t(`category.${name}`)}
          aria-pressed={at === current}
          className="flex h-8 flex-1 items-center justify-center rounded-md text-muted transition-colors hover:bg-hover hover:text-text aria-pressed:bg-selected aria-pressed:text-text"
          onClick={() => viewport.current?.scrollTo({ top: startOf(viewport.current, rowCounts, at) })}
        >
          <Icon size={18} aria-hidden />
        </button>
      ))}
    </div>
  );
}

function countRows({ emojis }: EmojiIndex): number[] {
  return CATEGORIES.map(({ index }) =>
    Math.ceil(emojis.filter(({ category }) => category === index).length / COLUMNS),
  );
}

/** Where a category begins in the list, which has the same height for all rows and headers. */
function startOf(viewport: HTMLElement, rowCounts: readonly number[], category: number): number {
  const style = getComputedStyle(viewport);
  const height = (of: string) => Number.parseFloat(style.getPropertyValue(`--frimousse-${of}-height`)) || 0;
  const rows = rowCounts.slice(0, category).reduce((sum, count) => sum + count, 0);
  return rows * height("row") + category * height("category-header");
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
        "flex size-10 items-center justify-center rounded-md text-2xl",
        emoji.isActive && "bg-selected",
      )}
    >
      {emoji.emoji}
    </button>
  ),
};
