import { lazy, type ReactElement, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { create } from "zustand";
import { Popover } from "../../ui/popover.tsx";
import { Spinner } from "../../ui/feedback.tsx";
import { PageErrorBoundary } from "../../app/shell/page-error.tsx";
import { loadStored, saveStored } from "../../state/stored.ts";

const EmojiPicker = lazy(async () => ({ default: (await import("./emoji-picker.tsx")).EmojiPicker }));

interface EmojiPopoverProps {
  trigger: ReactElement;
  label: string;
  onPick: (emoji: string) => void;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  side?: "top" | "bottom" | "left" | "right";
  align?: "start" | "center" | "end";
}

/** All emoji, with the recently used ones first. */
export function EmojiPopover({ trigger, label, onPick, ...rest }: EmojiPopoverProps) {
  return (
    <Popover trigger={trigger} label={label} className="p-2" {...rest}>
      {(close) => (
        <Emoji
          onPick={(emoji) => {
            rememberEmoji(emoji);
            close();
            onPick(emoji);
          }}
        />
      )}
    </Popover>
  );
}

function Emoji({ onPick }: { onPick: (emoji: string) => void }) {
  const { t } = useTranslation("emoji");
  const recent = useRecentEmoji((state) => state.emoji);
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
          {emoji}
        </button>
      ))}
    </div>
  );
  return (
    <div className="w-81 max-w-full">
      <PageErrorBoundary place="emoji">
        <Suspense
          fallback={
            <div className="flex h-96 max-h-[60dvh] items-center justify-center">
              <Spinner size={24} label={t("loading")} />
            </div>
          }
        >
          <EmojiPicker onPick={onPick} recent={often} />
        </Suspense>
      </PageErrorBoundary>
    </div>
  );
}

const MAX_SHOWN = 8;
const KEY = "fanfare.recentEmoji";
const MAX_RECENT = 16;
/** Fills up the recently used emoji until enough have been picked. */
const FIRST = [
  "👍",
  "❤️",
  "😂",
  "🎉",
  "😮",
  "🙏",
  "👀",
  "✅",
  "🔥",
  "😢",
  "💯",
  "🚀",
  "👏",
  "🤔",
  "😍",
  "👋",
];

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
  return stored.filter((emoji): emoji is string => typeof emoji === "string" && emoji.length <= 32);
}
