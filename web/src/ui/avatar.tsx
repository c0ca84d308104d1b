import { Avatar as Base } from "@base-ui/react/avatar";
import { cx } from "./cx.ts";

type AvatarStatus = "online" | "idle" | "doNotDisturb" | "offline";

interface AvatarProps {
  /** Whom or what it stands for: the initial until there is a picture. */
  name: string;
  /** Gives the colour; stays when the name changes. */
  id: string;
  src?: string | null | undefined;
  /** In pixels. */
  size?: number;
  /** Groups are square, people round. */
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

/** The picture of a user or group. It is decoration: the name stands beside it, or in the label of what it is in. */
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
            TINTS[tintOf(id, TINTS.length)],
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

/** The first character as people see it: an emoji may be several code points. */
export function initial(name: string): string {
  return characters.segment(name.trim()).containing(0)?.segment.toUpperCase() ?? "";
}

/** A number below `count`, always the same for an id. */
export function tintOf(id: string, count: number): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return hash % count;
}
