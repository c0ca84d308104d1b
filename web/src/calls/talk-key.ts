import i18next from "i18next";
import { isApple, keysOf } from "../app/shortcuts/shortcuts.ts";

const MODIFIER = /^(Control|Alt|Shift|Meta|OS)(Left|Right)$/;

/** Keys that type something are left to text fields. */
export const typesText = (code: string): boolean =>
  !MODIFIER.test(code) && !/^(?:F\d+|CapsLock|Insert|Pause)$/.test(code);

const SIGNS: Record<string, string> = {
  Backquote: "`",
  BracketLeft: "[",
  BracketRight: "]",
  Minus: "-",
  Equal: "=",
  Comma: ",",
  Period: ".",
  Slash: "/",
  Semicolon: ";",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
};

/** What is on a key, by its `KeyboardEvent.code`. */
export function keyName(code: string): string {
  const [, modifier, side] = MODIFIER.exec(code) ?? [];
  if (modifier !== undefined) {
    const [key] = keysOf(modifier === "Control" ? "Ctrl" : modifier, isApple());
    return side === "Left" ? i18next.t("calls:key.left", { key }) : i18next.t("calls:key.right", { key });
  }
  if (code === "Space") return i18next.t("calls:key.space");
  return SIGNS[code] ?? code.replace(/^(?:Key|Digit)/, "").replaceAll(/(?<=[a-z])(?=[A-Z\d])/g, " ");
}

/** Whether the microphone is to be turned on or off by an event of this key; null for other events. */
export function talkOf(
  event: Pick<KeyboardEvent, "type" | "code" | "repeat">,
  key: string,
  isInField: boolean,
): boolean | null {
  if (event.code !== key || event.repeat) return null;
  if (event.type === "keyup") return false;
  return isInField && typesText(key) ? null : true;
}
