import type { TextEdit } from "./markdown-edit.ts";

/** Changes the text of a field as if it was typed, so that undo takes it back. */
export function editField(field: HTMLTextAreaElement, edit: TextEdit): void {
  field.focus();
  field.setSelectionRange(edit.from, edit.to);
  // Deprecated, and the only way by which a script's change can be undone.
  const isDone =
    edit.insert === ""
      ? document.execCommand("delete")
      : document.execCommand("insertText", false, edit.insert);
  if (!isDone) {
    field.setRangeText(edit.insert, edit.from, edit.to, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  field.setSelectionRange(edit.selectFrom, edit.selectTo);
}

/** Writes something at the caret, in place of what is selected. */
export function insertAtCaret(field: HTMLTextAreaElement, text: string): void {
  const { selectionStart: from, selectionEnd: to } = field;
  editField(field, { from, to, insert: text, selectFrom: from + text.length, selectTo: from + text.length });
}
