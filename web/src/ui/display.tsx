import { Avatar as Base } from "@base-ui/react/avatar";
import { cx } from "./cx.ts";
import type { ReactNode } from "react";

type AvatarStatus = "online" | "idle" | "doNotDisturb" | "offline";

interface AvatarProps {
  /** Its initial is shown until the image loads. */
  name: string;
  /** Determines the color, so that it stays when the name changes. */
  id: string;
  src?: string | null | undefined;
  size?: number;
  /** Groups are square, people are round. */
  shape?: "circle" | "square";
  status?: AvatarStatus | undefined;
}

const TINTS = [
  "bg-avatar-1",
  "bg-avatar-2",
  "bg-avatar-3",
  "bg-avatar-4",
  "bg-avatar-5",
  "bg-avatar-6",
] as const;

const STATUS: Record<AvatarStatus, string> = {
  online: "bg-good",
  idle: "bg-warn",
  doNotDisturb: "bg-danger",
  offline: "border-2 border-line-strong bg-canvas",
};

/** A decorative image: the name must be next to it or in the label of the element around it. */
export function Avatar({ name, id, src, size = 32, shape = "circle", status }: AvatarProps) {
  const rounding = shape === "circle" ? "rounded-full" : "rounded-lg";
  return (
    <span aria-hidden className="relative inline-flex shrink-0" style={{ width: size, height: size }}>
      <Base.Root
        className={cx("flex size-full items-center justify-center overflow-hidden select-none", rounding)}
      >
        {typeof src === "string" && <Base.Image src={src} alt="" className="size-full object-cover" />}
        <Base.Fallback
          className={cx(
            "flex size-full items-center justify-center font-semibold text-on-avatar",
            TINTS[avatarTint(id, TINTS.length)],
          )}
          style={{ fontSize: Math.round(size * 0.42) }}
        >
          {initial(name)}
        </Base.Fallback>
      </Base.Root>
      {status !== undefined && (
        <span
          className={cx("absolute -right-0.5 -bottom-0.5 rounded-full ring-2 ring-canvas", STATUS[status])}
          style={{ width: Math.max(10, size * 0.3), height: Math.max(10, size * 0.3) }}
        />
      )}
    </span>
  );
}

const characters = new Intl.Segmenter();

/** The first grapheme: an emoji can consist of several code points. */
export function initial(name: string): string {
  return characters.segment(name.trim()).containing(0)?.segment.toUpperCase() ?? "";
}

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

/** Hidden for 0; mentions use the accent color. */
export function CountBadge({
  count,
  label,
  tone = "accent",
}: {
  count: number;
  /** The accessible label with the number: "3 unread". */
  label: string;
  tone?: "accent" | "neutral";
}) {
  if (count <= 0) return null;
  return (
    <span
      className={cx(
        "inline-flex h-5 min-w-5 shrink-0 items-center justify-center rounded-full px-1.5 text-xs font-bold tabular-nums",
        tone === "accent" ? "bg-accent text-on-accent" : "bg-selected text-text",
      )}
    >
      <span aria-hidden>{count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}</span>
      <span className="sr-only">{label}</span>
    </span>
  );
}

interface ListRowProps {
  leading?: ReactNode;
  title: ReactNode;
  subtitle?: ReactNode;
  trailing?: ReactNode;
  /** Makes the whole row a button; `trailing` stays separate. */
  onClick?: () => void;
  selected?: boolean;
  className?: string;
  /** Below the row, such as an error. */
  children?: ReactNode;
}

/** A row of a list of members, invites, sessions, … */
export function ListRow(props: ListRowProps) {
  const { leading, title, subtitle, trailing, onClick, selected = false, className, children } = props;
  const content = (
    <>
      {leading}
      <span className="grid min-w-0 flex-1">
        <span className="truncate font-medium">{title}</span>
        {subtitle !== undefined && <span className="truncate text-sm text-muted">{subtitle}</span>}
      </span>
    </>
  );
  const inner = "flex min-h-row min-w-0 flex-1 items-center gap-3 px-2 py-1.5 text-left";
  return (
    <li className={className}>
      <div
        className={cx(
          "flex items-center gap-2 rounded-md pr-1",
          selected ? "bg-selected" : onClick && "hover:bg-hover",
        )}
      >
        {onClick ? (
          <button type="button" className={cx(inner, "rounded-md -outline-offset-2")} onClick={onClick}>
            {content}
          </button>
        ) : (
          <div className={inner}>{content}</div>
        )}
        {trailing !== undefined && <div className="flex shrink-0 items-center gap-1">{trailing}</div>}
      </div>
      {children}
    </li>
  );
}

/** Keyboard keys, such as `["Ctrl", "K"]`. */
export function Kbd({ keys }: { keys: readonly string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="min-w-6 rounded-sm border border-line bg-sidebar px-1.5 py-0.5 text-center font-sans text-xs text-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
