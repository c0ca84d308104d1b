import type { Emoji, EmojiKind } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { create } from "zustand";
import { Popover, type PopoverProps } from "../../ui/popover.tsx";
import { Spinner } from "../../ui/feedback.tsx";
import { PageErrorBoundary } from "../../app/shell/page-error.tsx";
import { isOfKind, useGroupEmoji, useOwnEmoji } from "../../data/groups.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { EmojiSign } from "./emoji-sign.tsx";
import { loadStored, saveStored } from "../../state/stored.ts";
import { lazy } from "../../shared/later.tsx";

const EmojiPicker = lazy(async () => (await import("./emoji-picker.tsx")).EmojiPicker);
const StickerPicker = lazy(async () => (await import("./sticker-picker.tsx")).StickerPicker);

interface EmojiPopoverProps extends Omit<PopoverProps, "children" | "className"> {
  /** Offers the group's own emoji too. */
  groupId?: string | null;
  onPick: (emoji: string) => void;
  /** Offers the group's stickers and GIFs too. */
  onSticker?: ((sticker: Emoji) => void) | undefined;
}

/** All emoji, with the recently used ones first. */
export function EmojiPopover({ groupId = null, onPick, onSticker, ...rest }: EmojiPopoverProps) {
  return (
    <Popover className="p-2" {...rest}>
      {(close) => (
        <Kinds
          groupId={groupId}
          onPick={(emoji) => {
            rememberEmoji(emoji);
            close();
            onPick(emoji);
          }}
          onSticker={
            onSticker &&
            ((sticker) => {
              close();
              onSticker(sticker);
            })
          }
        />
      )}
    </Popover>
  );
}

interface KindsProps extends AllEmojiProps {
  onSticker: ((sticker: Emoji) => void) | undefined;
}

/** Tabs, if the group has anything else than emoji that can be used here. */
function Kinds({ onSticker, ...props }: KindsProps) {
  const { t } = useTranslation("emoji");
  const { data: pictures = [] } = useGroupEmoji(props.groupId);
  const [kind, setKind] = useState<EmojiKind>("emoji");
  const emoji = <AllEmoji {...props} />;
  if (onSticker === undefined) return emoji;
  const others = (["sticker", "gif"] as const).flatMap((value) => {
    const stickers = pictures.filter(isOfKind(value));
    if (stickers.length === 0) return [];
    const content = (
      <Loading>
        <StickerPicker kind={value} stickers={stickers} onPick={onSticker} />
      </Loading>
    );
    return { value, label: t(`kind.${value}`), content };
  });
  if (others.length === 0) return emoji;
  return (
    <div className="w-81 max-w-full max-md:w-full">
      <Tabs<EmojiKind>
        label={t("kinds")}
        tabs={[{ value: "emoji", label: t("kind.emoji"), content: emoji }, ...others]}
        value={others.some(({ value }) => value === kind) ? kind : "emoji"}
        onChange={setKind}
      />
    </div>
  );
}

interface AllEmojiProps {
  groupId: string | null;
  onPick: (emoji: string) => void;
}

function AllEmoji({ groupId, onPick }: AllEmojiProps) {
  const { t } = useTranslation("emoji");
  const own = useOwnEmoji(groupId);
  const isHere = (emoji: string) => !emoji.startsWith(":") || own.has(emoji.slice(1, -1));
  const recent = withRecent(useRecentEmoji((state) => state.emoji).filter(isHere));
  const often = (
    <div
      role="group"
      aria-label={t("recent")}
      className="mt-1.5 grid grid-cols-8 border-b border-line pb-1.5"
    >
      {recent.slice(0, MAX_SHOWN).map((emoji) => (
        <button
          key={emoji}
          type="button"
          className="flex h-9 items-center justify-center rounded-md font-emoji text-2xl hover:bg-hover"
          onClick={() => onPick(emoji)}
        >
          <EmojiSign emoji={emoji} own={own} />
        </button>
      ))}
    </div>
  );
  return (
    <div className="w-81 max-w-full max-md:w-full">
      <Loading>
        <EmojiPicker onPick={onPick} own={own} recent={often} />
      </Loading>
    </div>
  );
}

function Loading({ children }: { children: ReactNode }) {
  const { t } = useTranslation("emoji");
  return (
    <PageErrorBoundary place="emoji">
      <Suspense
        fallback={
          <div className="flex h-96 max-h-[calc(var(--visible-height)*0.6)] items-center justify-center">
            <Spinner size={24} label={t("loading")} />
          </div>
        }
      >
        {children}
      </Suspense>
    </PageErrorBoundary>
  );
}

const MAX_SHOWN = 8;
const KEY = "fanfare.recentEmoji";
const MAX_RECENT = 16;
/** Fills up the recently used emoji until enough have been picked. */
const FIRST = "👍 ❤️ 😂 🎉 😮 🙏 👀 ✅ 🔥 😢 💯 🚀 👏 🤔 😍 👋".split(" ");

/** Recently used emoji of this browser, newest first. */
const useRecentEmoji = create<{ emoji: readonly string[] }>(() => ({
  emoji: withRecent(parseRecent(loadStored(KEY))),
}));

function rememberEmoji(emoji: string): void {
  const recent = withRecent([emoji, ...useRecentEmoji.getState().emoji]);
  useRecentEmoji.setState({ emoji: recent });
  saveStored(KEY, recent);
}

export function withRecent(emoji: readonly string[]): readonly string[] {
  return [...new Set([...emoji, ...FIRST])].slice(0, MAX_RECENT);
}

export function parseRecent(stored: unknown): readonly string[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(
    (emoji): emoji is string => typeof emoji === "string" && emoji.length <= LIMITS.emojiMaxChars,
  );
}
