import type { KeyboardEvent } from "react";
import { editField } from "./edit-field.ts";
import { isInOpenFence, makeLink, toggleCode, toggleMark, type TextEdit } from "./markdown-edit.ts";

type Edit = (text: string, from: number, to: number) => TextEdit;

const EDITS: Readonly<Record<string, Edit>> = {
  b: (...at) => toggleMark(...at, "**"),
  i: (...at) => toggleMark(...at, "*"),
  e: toggleCode,
  k: makeLink,
};

/** Ctrl or ⌘ with B, I, E, and with K where something is selected. Returns whether the key was one of them. */
export function markdownKey(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
  const { currentTarget: field, key } = event;
  const { value, selectionStart: from, selectionEnd: to } = field;
  if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return false;
  const edit = EDITS[key.toLowerCase()];
  // Without a selection K is for all of the page.
  if (edit === undefined || (edit === makeLink && from === to)) return false;
  event.preventDefault();
  event.stopPropagation();
  editField(field, edit(value, from, to));
  return true;
}

/** On touch screens Enter is a new line, as on their keyboards it is labelled so; a button sends. */
const TOUCH = "(hover: none) and (pointer: coarse)";

/** Whether a key ends what is written. */
export function isSendKey(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
  const { key, shiftKey, altKey, currentTarget: field, nativeEvent } = event;
  // While characters are composed (Japanese, Chinese, …) Enter chooses among them.
  if (key !== "Enter" || shiftKey || altKey || nativeEvent.isComposing || matchMedia(TOUCH).matches) {
    return false;
  }
  return event.ctrlKey || event.metaKey || !isInOpenFence(field.value, field.selectionStart);
}
