import { useEffect } from "react";
import { setMicrophone } from "./calls.tsx";
import { useCallSettings } from "./call-settings.ts";
import { useCallStore } from "./call-store.ts";
import i18next from "i18next";
import { isApple, keysOf } from "../app/shortcuts/shortcuts.ts";

const FIELDS = "textarea, select, input:not([type=checkbox], [type=radio]), [contenteditable=true]";
/** These are pressed with the space bar and Enter. */
const BUTTONS = "a, button, summary, input, [role=button], [role=menuitem], [role=tab]";
const PRESSES: readonly string[] = ["Space", "Enter", "NumpadEnter"];

/** Turns the microphone on while the key is held. */
export function usePushToTalk(): void {
  const isInCall = useCallStore(({ current }) => current !== null);
  const isOn = useCallSettings(({ pushToTalk }) => pushToTalk);
  const key = useCallSettings(({ pushToTalkKey }) => pushToTalkKey);
  useEffect(() => {
    if (!isInCall || !isOn) return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    let isHeld = false;
    const talk = (isOn: boolean): void => {
      isHeld = isOn;
      setMicrophone(isOn);
    };
    const release = (): void => {
      if (isHeld) talk(false);
    };
    const handle = (event: KeyboardEvent): void => {
      const own = PRESSES.includes(key) ? `${FIELDS}, ${BUTTONS}` : FIELDS;
      const isInField = event.target instanceof Element && event.target.closest(own) !== null;
      const talks = talkOf(event, key, isInField);
      if (talks === null) return;
      if (typesText(key) && !isInField) event.preventDefault();
      talk(talks);
    };
    addEventListener("keydown", handle, { signal });
    addEventListener("keyup", handle, { signal });
    // The key's release is not reported to a window without the focus.
    addEventListener("blur", release, { signal });
    return () => {
      abort.abort();
      release();
    };
  }, [isInCall, isOn, key]);
}

const MODIFIER = /^(Control|Alt|Shift|Meta|OS)(Left|Right)$/;

/** Keys that type something are left to text fields. */
const typesText = (code: string): boolean =>
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
