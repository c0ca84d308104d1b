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
  Users,
  Volleyball,
} from "lucide-react";
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { type EmojiIndex, loadEmojiIndex } from "./emoji-index.ts";

/** With the numbers of emojibase's groups. The third one contains only components. */
export const CATEGORIES = [
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

export const COLUMNS = 8;

interface CategoryTabsProps {
  viewport: { current: HTMLDivElement | null };
  hasOwn: boolean;
  isOwnShown: boolean;
  onOwn: (isShown: boolean) => void;
}

/** Scroll the list to a category, and show which one is in view; or show the group's own emoji instead. */
export function CategoryTabs({ viewport, hasOwn, isOwnShown, onOwn }: CategoryTabsProps) {
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
      {hasOwn && (
        <CategoryTab
          icon={Users}
          label={t("category.own")}
          pressed={isOwnShown}
          onPress={() => onOwn(true)}
        />
      )}
      {CATEGORIES.map(({ name, icon }, at) => (
        <CategoryTab
          key={name}
          icon={icon}
          label={t(`category.${name}`)}
          pressed={!isOwnShown && at === current}
          onPress={() => {
            // A hidden list can't be scrolled.
            flushSync(() => onOwn(false));
            viewport.current?.scrollTo({ top: startOf(viewport.current, rowCounts, at) });
          }}
        />
      ))}
    </div>
  );
}

interface CategoryTabProps {
  icon: LucideIcon;
  label: string;
  pressed: boolean;
  onPress: () => void;
}

function CategoryTab({ icon: Icon, label, pressed, onPress }: CategoryTabProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      className="flex h-8 flex-1 items-center justify-center rounded-md text-muted transition-colors hover:bg-hover hover:text-text aria-pressed:bg-selected aria-pressed:text-text"
      onClick={onPress}
    >
      <Icon size={18} aria-hidden />
    </button>
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
