import type { Channel } from "@fanfare/contract";
import {
  type ClipboardEvent,
  type ComponentProps,
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
} from "react";
import { useTranslation } from "react-i18next";
import { Hash } from "lucide-react";
import { cx } from "../ui/cx.ts";
import { findEmoji, loadEmojiIndex } from "../channel/emoji/emoji-index.ts";
import { Avatar } from "../ui/display.tsx";
import {
  editField,
  isInOpenFence,
  isUrl,
  makeLink,
  type TextEdit,
  toggleCode,
  toggleMark,
} from "./markdown-edit.ts";
import { NameLookup, SuggestionSource } from "./suggestion-sources.tsx";
import { findShortcode, type Suggestion, type Suggestions, useSuggestions } from "./suggestions.ts";
import { filesOf } from "./upload-strip.tsx";
import type { Editor } from "./use-editor.ts";

const GROWS = CSS.supports("field-sizing", "content");

type Edit = (text: string, from: number, to: number) => TextEdit;

const EDITS: Readonly<Record<string, Edit>> = {
  b: (...at) => toggleMark(...at, "**"),
  i: (...at) => toggleMark(...at, "*"),
  e: toggleCode,
  k: makeLink,
};

/** On touch screens, Enter starts a new line, as the keyboard says; sending takes the button. */
const TOUCH = "(hover: none) and (pointer: coarse)";

interface MessageFieldProps {
  editor: Editor;
  channel: Channel;
  permissions: number;
  label: string;
  id?: string;
  placeholder?: string;
  className?: string;
  autoFocus?: boolean;
  readOnly?: boolean;
  describedBy?: string | undefined;
  onSend: () => void;
  /** Keys that don't change the text: ↑ in an empty field, Esc. */
  onKey?: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  /** Pasted files. Without it they are ignored. */
  onFiles?: ((files: File[]) => void) | undefined;
}

/**
 * The text field of a message, with suggestions, formatting keys and Enter to submit. Suggestions are positioned above the closest
 * `relative` ancestor.
 */
export function MessageField(props: MessageFieldProps) {
  const { editor, channel, permissions, label, onSend, onKey, onFiles, autoFocus = false } = props;
  const { t, i18n } = useTranslation("composer");
  const { field, text, onInput } = editor;
  const suggestions = useSuggestions(editor);
  const { isOpen, options, trigger, found } = suggestions;

  useLayoutEffect(() => {
    // A dialog that closes in the same commit returns the focus in a microtask, which would override the `autoFocus` attribute.
    if (autoFocus) queueMicrotask(() => field.current?.focus());
  }, [autoFocus, field]);

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (suggestions.onKey(event) || markdownKey(event)) return;
    if (isSendKey(event)) {
      event.preventDefault();
      suggestions.close();
      onSend();
      return;
    }
    onKey?.(event);
  };

  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { clipboardData, currentTarget } = event;
    const files = filesOf(clipboardData);
    const pasted = clipboardData.getData("text/plain");
    const { value, selectionStart: from, selectionEnd: to } = currentTarget;
    if (files.length > 0 && onFiles !== undefined) {
      event.preventDefault();
      onFiles(files);
    } else if (from < to && isUrl(pasted.trim()) && !isUrl(value.slice(from, to))) {
      event.preventDefault();
      editField(currentTarget, makeLink(value, from, to, pasted.trim()));
    }
  };

  return (
    <div className="min-w-0 flex-1">
      {isOpen && <SuggestionList suggestions={found} options={options} />}
      {trigger !== null && (
        <SuggestionSource
          kind={trigger.kind}
          channel={channel}
          permissions={permissions}
          query={trigger.query}
          onFound={suggestions.onFound}
        />
      )}
      {editor.unknownNames.map((name) => (
        <NameLookup key={name} channel={channel} name={name} onNamed={editor.onNamed} />
      ))}
      <GrowingField
        fieldRef={field}
        id={props.id}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={isOpen ? options.listProps.id : undefined}
        aria-activedescendant={options.fieldProps["aria-activedescendant"]}
        aria-describedby={props.describedBy}
        placeholder={props.placeholder}
        value={text}
        readOnly={props.readOnly}
        className={props.className}
        onChange={(event) => {
          onInput(event.target.value);
          suggestions.look();
          if (event.target.value[event.target.selectionStart - 1] === ":")
            // This moves the caret and restores it, so suggestions must be updated.
            void replaceClosedEmoji(event.target, i18n.language).then(suggestions.look);
        }}
        onSelect={suggestions.look}
        onBlur={suggestions.close}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <p aria-live="polite" className="sr-only">
        {isOpen && t("suggest.count", { count: found.length })}
      </p>
    </div>
  );
}

/** Replaces a shortcode that ends at the caret with its emoji. */
async function replaceClosedEmoji(field: HTMLTextAreaElement, language: string): Promise<void> {
  const named = findShortcode(field.value, field.selectionStart);
  if (named === null) return;
  // Without the emoji list, the shortcode stays.
  const index = await loadEmojiIndex(language).catch(() => null);
  const emoji = index === null ? undefined : findEmoji(index, named.name);
  const to = named.start + named.name.length + 2;
  const isStillThere = field.value.slice(named.start, to) === `:${named.name}:`;
  if (emoji === undefined || !isStillThere) return;
  const moved = field.selectionStart - to + named.start + emoji.length;
  editField(field, { from: named.start, to, insert: emoji, selectFrom: moved, selectTo: moved });
}

/** Ctrl or ⌘ with B, I, E, or K with a selection. Returns whether the key was handled. */
function markdownKey(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
  const { currentTarget: field, key } = event;
  const { value, selectionStart: from, selectionEnd: to } = field;
  if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return false;
  const edit = EDITS[key.toLowerCase()];
  // Without a selection, K is a global shortcut.
  if (edit === undefined || (edit === makeLink && from === to)) return false;
  event.preventDefault();
  event.stopPropagation();
  editField(field, edit(value, from, to));
  return true;
}

function isSendKey(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
  const { key, shiftKey, altKey, currentTarget: field, nativeEvent } = event;
  // While an input method composes text (Japanese, Chinese, …), Enter selects a candidate.
  if (key !== "Enter" || shiftKey || altKey || nativeEvent.isComposing || matchMedia(TOUCH).matches) {
    return false;
  }
  return event.ctrlKey || event.metaKey || !isInOpenFence(field.value, field.selectionStart);
}

interface GrowingFieldProps extends Omit<ComponentProps<"textarea">, "ref"> {
  fieldRef: RefObject<HTMLTextAreaElement | null>;
  value: string;
}

function GrowingField({ fieldRef, className, ...rest }: GrowingFieldProps) {
  useLayoutEffect(() => {
    const { current: element } = fieldRef;
    if (GROWS || element === null) return;
    // For browsers without `field-sizing`.
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  });
  return (
    <textarea
      ref={fieldRef}
      rows={1}
      className={cx("field-sizing-content max-h-[40dvh] w-full min-w-0 resize-none", className)}
      {...rest}
    />
  );
}

function SuggestionList({
  suggestions,
  options,
}: {
  suggestions: readonly Suggestion[];
  options: Suggestions["options"];
}) {
  const { t } = useTranslation("composer");
  return (
    <div
      {...options.listProps}
      aria-label={t("suggest.label")}
      className="absolute inset-x-0 bottom-full z-10 mb-1.5 max-h-[40dvh] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-raised"
    >
      {suggestions.map((suggestion, index) => (
        <div
          {...options.optionProps(index)}
          key={suggestion.key}
          className={cx(
            "flex min-h-row cursor-default items-center gap-2.5 rounded-sm px-2 py-1",
            index === options.active && "bg-selected",
          )}
        >
          <Picture suggestion={suggestion} />
          <span className="shrink-0 font-medium">{suggestion.label}</span>
          {suggestion.detail !== undefined && (
            <span className="truncate text-sm text-muted">{suggestion.detail}</span>
          )}
        </div>
      ))}
    </div>
  );
}

function Picture({ suggestion: { picture, label } }: { suggestion: Suggestion }) {
  switch (picture.kind) {
    case "user":
      return <Avatar name={label} id={picture.id} src={picture.avatarUrl} size={24} />;
    case "channel":
      return (
        <span className="flex size-6 shrink-0 items-center justify-center text-muted">
          <Hash size={18} aria-hidden />
        </span>
      );
    case "sign": {
      const style = picture.color === undefined ? {} : { color: cssColor(picture.color) };
      return (
        <span aria-hidden className="flex size-6 shrink-0 items-center justify-center text-lg" style={style}>
          {picture.sign}
        </span>
      );
    }
  }
}

const cssColor = (rgb: number): string => `#${rgb.toString(16).padStart(6, "0")}`;
