import { Avatar as Base } from "@base-ui/react/avatar";
import { cx } from "./cx.ts";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

type AvatarStatus = "online" | "idle" | "doNotDisturb" | "offline";

interface AvatarProps {
  /** Its initials are shown until the image loads. */
  name: string;
  /** Determines the color, so that it stays when the name changes. */
  id: string;
  src?: string | null | undefined;
  size?: number;
  /** Groups are square, people are round. */
  shape?: "circle" | "square";
  status?: AvatarStatus | undefined;
}

export const STATUS_DOTS: Record<AvatarStatus, string> = {
  online: "bg-good",
  idle: "bg-warn",
  doNotDisturb: "bg-danger",
  offline: "border-2 border-line-strong",
};

/** Smaller pictures have room for one letter. */
const TWO_LETTERS_FROM_PX = 24;

/** A decorative image: the name must be next to it or in the label of the element around it. */
export function Avatar({ name, id, src, size = 32, shape = "circle", status }: AvatarProps) {
  const letters = initials(name, size < TWO_LETTERS_FROM_PX ? 1 : 2);
  const dotPx = Math.max(8, Math.round(size * 0.28));
  return (
    <span aria-hidden className="relative inline-flex shrink-0" style={{ width: size, height: size }}>
      <Base.Root
        className={cx(
          "flex size-full items-center justify-center overflow-hidden select-none",
          shape === "circle" ? "rounded-full" : "rounded-lg",
        )}
        style={status === undefined ? {} : { maskImage: cutOut(dotPx) }}
      >
        {typeof src === "string" && <Base.Image src={src} alt="" className="size-full object-cover" />}
        <Base.Fallback
          className="flex size-full items-center justify-center leading-none font-semibold text-on-avatar"
          style={{
            backgroundImage: avatarGradient(id),
            fontSize: Math.round(size * (letters.length > 1 ? 0.36 : 0.44)),
          }}
        >
          {letters}
        </Base.Fallback>
      </Base.Root>
      {status !== undefined && (
        <span
          className={cx("absolute right-0 bottom-0 rounded-full", STATUS_DOTS[status])}
          style={{ width: dotPx, height: dotPx }}
        />
      )}
    </span>
  );
}

/** Leaves a ring around the dot in the corner, so that it stands out on every background. */
function cutOut(dotPx: number): string {
  const center = `calc(100% - ${dotPx / 2}px)`;
  const radius = dotPx / 2 + 2;
  return `radial-gradient(circle at ${center} ${center}, transparent ${radius}px, black ${radius + 0.5}px)`;
}

/** Characters that stand alone. */
const WHOLE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Extended_Pictographic}/u;

/** The first letters of the first and last word, or the first two of a single one. Emoji and East Asian characters stand alone. */
export function initials(name: string, max: 1 | 2): string {
  const words = name
    .trim()
    .split(/[\s_-]+/)
    .filter((word) => word !== "");
  const [first = "", second = ""] = graphemes(words[0] ?? "");
  const last = words.length > 1 ? (graphemes(words.at(-1)!)[0] ?? "") : second;
  const isAlone = max === 1 || WHOLE.test(first) || !/[\p{L}\p{N}]/u.test(last) || WHOLE.test(last);
  return (isAlone ? first : first + last).toUpperCase();
}

/** Latin, Cyrillic, Chinese and Korean characters of one code point. */
const SINGLE = /^[ -\u02FF\u0400-\u0482\u4E00-\u9FFF\uAC00-\uD7A3]*$/;
/** Created when it is needed, which takes 10 ms. */
let segmenter: Intl.Segmenter | undefined;

/** An emoji can consist of several code points. */
function graphemes(word: string): string[] {
  if (SINGLE.test(word)) return Array.from(word);
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(word), ({ segment }) => segment);
}

const GRADIENTS = 12;

/** The background of a person or group, which stays when the name changes. */
export const avatarGradient = (id: string): string => `var(--avatar-${avatarTint(id, GRADIENTS) + 1})`;

/** A stable number below `count` for an ID. */
export function avatarTint(id: string, count: number): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return hash % count;
}

export type BadgeTone = "neutral" | "accent" | "danger" | "good" | "warn";

const TONES: Record<BadgeTone, string> = {
  neutral: "bg-selected text-text",
  accent: "bg-accent-soft text-accent-text",
  danger: "bg-danger-soft text-danger-text",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn-text",
};

/** A short label such as "bot" or "owner". */
export function Badge({ tone = "neutral", children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span
      className={cx(
        "inline-flex shrink-0 items-center rounded-sm px-1.5 py-px text-xs font-medium",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

const MAX_SHOWN = 99;

/** Hidden for 0; red for mentions. */
export function CountBadge({
  count,
  label,
  tone = "mention",
}: {
  count: number;
  /** The accessible label with the number: "3 unread". */
  label: string;
  tone?: "mention" | "neutral";
}) {
  if (count <= 0) return null;
  return (
    <span
      className={cx(
        "inline-flex h-5 min-w-5 shrink-0 items-center justify-center rounded-full px-1.5 text-xs font-bold tabular-nums",
        tone === "mention" ? "bg-badge text-on-badge" : "bg-selected text-text",
      )}
    >
      <span aria-hidden>{count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}</span>
      <span className="sr-only">{label}</span>
    </span>
  );
}

/** Next to a bold name: something is unread, but no one waits for an answer. */
export function UnreadDot() {
  return <span aria-hidden className="mx-1 size-2 shrink-0 rounded-full bg-text" />;
}

/** Keys whose label depends on the language. */
const NAMED = { Ctrl: "ctrl", Shift: "shift", Del: "delete", Space: "space" } as const;

/** Keyboard keys, such as `["Ctrl", "K"]`. */
export function Kbd({ keys }: { keys: readonly string[] }) {
  const { t } = useTranslation("ui");
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="min-w-6 rounded-sm border border-line bg-sidebar px-1.5 py-0.5 text-center font-sans text-xs text-muted"
        >
          {key in NAMED ? t(`keys.${NAMED[key as keyof typeof NAMED]}`) : key}
        </kbd>
      ))}
    </span>
  );
}
