import { EmojiPicker as Picker, type EmojiPickerListComponents } from "frimousse";
import { useTranslation } from "react-i18next";
import { cx } from "../../ui/cx.ts";
import { loadEmojiIndex } from "./emoji-index.ts";

/** emojibase groups by number. The third one contains only components. */
const CATEGORIES = [
  "smileys",
  "people",
  null,
  "nature",
  "food",
  "travel",
  "activities",
  "objects",
  "symbols",
  "flags",
] as const;

/** On phones, focusing the search field would open the keyboard over the emoji. */
const HAS_KEYBOARD = matchMedia("(hover: hover)").matches;

export function EmojiPicker({ onPick }: { onPick: (emoji: string) => void }) {
  const { t, i18n } = useTranslation("emoji");
  const resolve = async (locale: string) => {
    const { emojis } = await loadEmojiIndex(locale);
    return {
      locale,
      emojis: emojis.map((entry) => ({ ...entry, tags: [...entry.tags, ...entry.names] })),
      categories: CATEGORIES.flatMap((name, index) =>
        name === null ? [] : { index, label: t(`category.${name}`) },
      ),
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
      columns={8}
      resolveEmojiData={resolve}
      onEmojiSelect={({ emoji }) => onPick(emoji)}
      className="isolate flex h-80 flex-col"
    >
      <div className="flex gap-1.5">
        <Picker.Search
          aria-label={t("search")}
          placeholder={t("search")}
          autoFocus={HAS_KEYBOARD}
          className="min-h-control w-full min-w-0 rounded-md border border-line-strong bg-field px-3"
        />
        <Picker.SkinToneSelector
          aria-label={t("skin.choose")}
          className="flex size-control shrink-0 items-center justify-center rounded-md text-xl hover:bg-hover"
        />
      </div>
      <Picker.Viewport className="relative mt-2 flex-1 outline-none">
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
          <p className="flex h-8 items-center gap-2 border-t border-line pt-1.5 text-sm text-muted">
            {emoji !== undefined && (
              <>
                <span className="text-lg">{emoji.emoji}</span>
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
        "flex size-10 items-center justify-center rounded-md text-2xl",
        emoji.isActive && "bg-selected",
      )}
    >
      {emoji.emoji}
    </button>
  ),
};
