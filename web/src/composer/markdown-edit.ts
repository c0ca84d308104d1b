/** A change to a text: the replaced range, the new text and the selection afterwards. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly selectFrom: number;
  readonly selectTo: number;
}

export type Edit = (text: string, from: number, to: number) => TextEdit;

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
  return makeCodeBlock(text, from, to);
}

function makeCodeBlock(text: string, from: number, to: number): TextEdit {
  const selected = text.slice(from, to);
  const before = from > 0 && text[from - 1] !== "\n" ? "\n" : "";
  const after = to < text.length && text[to] !== "\n" ? "\n" : "";
  const insert = `${before}\`\`\`\n${selected}\n\`\`\`${after}`;
  const selectFrom = from + before.length + 4;
  return { from, to, insert, selectFrom, selectTo: selectFrom + selected.length };
}

/** Adds a mark at the beginning of the selected lines or removes it. */
function toggleLines(
  text: string,
  from: number,
  to: number,
  mark: { add: (index: number) => string; pattern: RegExp },
): TextEdit {
  const start = text.slice(0, from).lastIndexOf("\n") + 1;
  const newline = text.indexOf("\n", Math.max(from, to - 1));
  const end = newline < 0 ? text.length : newline;
  const lines = text.slice(start, end).split("\n");
  const areMarked = lines.every((line) => mark.pattern.test(line));
  const changed = lines.map((line, index) =>
    areMarked ? line.replace(mark.pattern, "") : mark.add(index) + line,
  );
  const insert = changed.join("\n");
  if (from < to) {
    return { from: start, to: end, insert, selectFrom: start, selectTo: start + insert.length };
  }
  const caret = Math.max(start, from + insert.length - (end - start));
  return { from: start, to: end, insert, selectFrom: caret, selectTo: caret };
}

const marker =
  (mark: string): Edit =>
  (...at) =>
    toggleMark(...at, mark);

/** What the keys and buttons do. */
export const EDITS = {
  bold: marker("**"),
  italic: marker("*"),
  strikethrough: marker("~~"),
  spoiler: marker("||"),
  code: toggleCode,
  codeBlock: makeCodeBlock,
  link: makeLink,
  quote: (...at) => toggleLines(...at, { add: () => "> ", pattern: /^> ?/ }),
  bulletedList: (...at) => toggleLines(...at, { add: () => "- ", pattern: /^[-*+] / }),
  numberedList: (...at) => toggleLines(...at, { add: (index) => `${index + 1}. `, pattern: /^\d+[.)] / }),
} satisfies Record<string, Edit>;

export type EditName = keyof typeof EDITS;

/** Makes a link. The selection becomes its text, or its address if it is one. */
export function makeLink(text: string, from: number, to: number, url = ""): TextEdit {
  const selected = text.slice(from, to);
  if (url === "" && isUrl(selected)) {
    return { from, to, insert: `[](${selected})`, selectFrom: from + 1, selectTo: from + 1 };
  }
  const insert = `[${selected}](${url})`;
  const caret = selected === "" ? from + 1 : from + insert.length - (url === "" ? 1 : 0);
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

/** As `insertAtCaret`. Within a word, a code such as `:parrot:` would not be an emoji, so it gets spaces. */
export function insertEmoji(field: HTMLTextAreaElement, emoji: string): void {
  const { value, selectionStart: from, selectionEnd: to } = field;
  const isCode = emoji.startsWith(":");
  const before = isCode && /[\w:]$/.test(value.slice(0, from)) ? " " : "";
  const after = isCode && /^\w/.test(value.slice(to)) ? " " : "";
  insertAtCaret(field, before + emoji + after);
}
