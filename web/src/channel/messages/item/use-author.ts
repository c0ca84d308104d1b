import type { Message } from "@fanfare/contract";
import type { CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import { useGroupIdOf } from "../../../data/groups.ts";
import { useAvatarUrl, useNickname } from "../../../data/members.ts";
import { useUser } from "../../../data/people.ts";

export interface Author {
  name: string;
  avatarUrl: string | null;
  /** The kind of author if it isn't a current user. */
  mark: "bot" | "webhook" | "imported" | null;
}

/** Nonce prefix of messages that came with an imported group. */
const IMPORTED = "imported-";

export function useAuthor(message: Pick<Message, "authorId" | "as" | "nonce" | "channelId">): Author {
  const { authorId, as, nonce, channelId } = message;
  const { t } = useTranslation("messages");
  const user = useUser(as === undefined ? authorId : null);
  const groupId = useGroupIdOf(channelId);
  const nickname = useNickname(groupId, authorId);
  const avatarUrl = useAvatarUrl(user, groupId);
  if (as !== undefined) return { name: as.name, avatarUrl: ownPicture(as.avatarUrl), mark: "webhook" };
  const mark = user?.kind === "bot" ? "bot" : nonce.startsWith(IMPORTED) ? "imported" : null;
  const name = user?.deleted === true ? t("members:deleted") : (nickname ?? user?.nickname ?? "");
  return { name, avatarUrl, mark };
}

/** External avatars aren't loaded, since that would tell their server who reads the message. */
function ownPicture(url: string | null): string | null {
  return url !== null && URL.parse(url, location.href)?.origin === location.origin ? url : null;
}

type Rgb = readonly [red: number, green: number, blue: number];

/** The worst-case backgrounds behind names: a hovered row in the light theme, a mention in the dark theme. */
const GROUNDS = { light: 0xebeae6, dark: 0x3b3733 } as const;
/** WCAG AA for normal text. */
const MIN_CONTRAST = 4.5;
const STEPS = 20;

/** The role's color in both themes, for the classes that use `--light` and `--dark`. */
export function readableColors(color: number): CSSProperties {
  return {
    "--light": readableColor(color, "light"),
    "--dark": readableColor(color, "dark"),
  } as CSSProperties;
}

/** The role's color, darkened or lightened as far as the theme's contrast requires. */
export function readableColor(color: number, theme: keyof typeof GROUNDS): string {
  const ground = channels(GROUNDS[theme]);
  const pole: Rgb = theme === "light" ? [0, 0, 0] : [255, 255, 255];
  const own = channels(color);
  for (let step = 0; step <= STEPS; step++) {
    const mixed = own.map((value, index) => Math.round(value + ((pole[index]! - value) * step) / STEPS));
    const rgb = mixed as unknown as Rgb;
    if (contrast(rgb, ground) >= MIN_CONTRAST) return `rgb(${rgb.join(" ")})`;
  }
  return `rgb(${pole.join(" ")})`;
}

function channels(color: number): Rgb {
  return [(color >> 16) & 255, (color >> 8) & 255, color & 255];
}

/** See https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
