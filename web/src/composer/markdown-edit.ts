/** A change to a text: the replaced range, the new text and the selection afterwards. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly selectFrom: number;
  readonly selectTo: number;
}

/** Adds a mark around the selection or removes it. */
export function toggleMark(text: string, from: number, to: number, mark: string): TextEdit {
  const selected = text.slice(from, to);
  const { length } = mark;
  if (hasMark(text.slice(0, from), text.slice(to), mark)) {
    return {
      from: from - length,
      to: to + length,
      insert: selected,
      selectFrom: from - length,
      selectTo: to - length,
    };
  }
  if (selected.length >= 2 * length && hasMark(selected.slice(0, length), selected.slice(-length), mark)) {
    const insert = selected.slice(length, -length);
    return { from, to, insert, selectFrom: from, selectTo: from + insert.length };
  }
  // With spaces next to them, the marks would not be parsed as marks.
  const start = from + (selected.length - selected.trimStart().length);
  const end = selected.trim() === "" ? start : to - (selected.length - selected.trimEnd().length);
  return {
    from: start,
    to: end,
    insert: mark + text.slice(start, end) + mark,
    selectFrom: start + length,
    selectTo: end + length,
  };
}

/** `*` must not match half of `**`. */
function hasMark(before: string, after: string, mark: string): boolean {
  if (!before.endsWith(mark) || !after.startsWith(mark)) return false;
  if (mark !== "*") return true;
  const stars = /\**$/.exec(before)![0].length;
  return stars % 2 === 1;
}

/** Toggles a code span, or a code block if several lines are selected. */
export function toggleCode(text: string, from: number, to: number): TextEdit {
  const selected = text.slice(from, to);
  if (!selected.includes("\n")) return toggleMark(text, from, to, "`");
  const before = from > 0 && text[from - 1] !== "\n" ? "\n" : "";
  const after = to < text.length && text[to] !== "\n" ? "\n" : "";
  const insert = `${before}\`\`\`\n${selected}\n\`\`\`${after}`;
  const selectFrom = from + before.length + 4;
  return { from, to, insert, selectFrom, selectTo: selectFrom + selected.length };
}

/** Makes a link. The selection becomes its text, or its address if it is one. */
export function makeLink(text: string, from: number, to: number, url = ""): TextEdit {
  const selected = text.slice(from, to);
  if (url === "" && isUrl(selected)) {
    return { from, to, insert: `[](${selected})`, selectFrom: from + 1, selectTo: from + 1 };
  }
  const insert = `[${selected}](${url})`;
  const caret = from + insert.length - (url === "" ? 1 : 0);
  return { from, to, insert, selectFrom: caret, selectTo: caret };
}

export function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s<>()]+$/.test(text);
}

/** Whether the caret is in an unclosed code block, where Enter starts a new line. */
export function isInOpenFence(text: string, caret: number): boolean {
  const fences = text.slice(0, caret).match(/^ {0,3}```/gm) ?? [];
  return fences.length % 2 === 1;
}

/** Edits the field in a way that undo can revert. */
export function editField(field: HTMLTextAreaElement, edit: TextEdit): void {
  field.focus();
  field.setSelectionRange(edit.from, edit.to);
  // Deprecated, but the only way to make a scripted change undoable.
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

/** Inserts text at the caret, replacing the selection. */
export function insertAtCaret(field: HTMLTextAreaElement, text: string): void {
  const { selectionStart: from, selectionEnd: to } = field;
  editField(field, { from, to, insert: text, selectFrom: from + text.length, selectTo: from + text.length });
}
