import { useEffect } from "react";
import { setMicrophone } from "./calls.ts";
import { useCallSettings } from "./call-settings.ts";
import { useCallStore } from "./call-store.ts";
import { talkOf, typesText } from "./talk-key.ts";

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
