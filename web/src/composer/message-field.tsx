import type { Channel, Emoji } from "@fanfare/contract";
import {
  type ClipboardEvent,
  type ComponentProps,
  type KeyboardEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Hash } from "lucide-react";
import { colorText } from "../shared/formats.ts";
import { usePreferences } from "../state/preferences.ts";
import { cx } from "../ui/cx.ts";
import { findEmoji, loadEmojiIndex } from "../channel/emoji/emoji-index.ts";
import { useOwnEmoji } from "../data/groups.ts";
import { isApple, isCombo } from "../app/shortcuts/shortcuts.ts";
import { Avatar } from "../ui/display.tsx";
import { FORMATTING } from "./formatting-bar.tsx";
import { type FormatRange, LiveFormatter } from "./live-format.ts";
import { LiveText } from "./live-text.tsx";
import { editField, EDITS, isInOpenFence, isUrl, makeLink } from "./markdown-edit.ts";
import { NameLookup, SuggestionSource } from "./suggestion-sources.tsx";
import { findShortcode, type Suggestion, type Suggestions, useSuggestions } from "./suggestions.ts";
import { filesOf } from "./upload-strip.tsx";
import { type Editor, useTokenNames } from "./use-editor.ts";

const GROWS = CSS.supports("field-sizing", "content");

/** On touch screens, Enter starts a new line, as the keyboard says; sending takes the button. */
const TOUCH = "(hover: none) and (pointer: coarse)";

interface MessageFieldProps {
  editor: Editor;
  channel: Channel;
  permissions: number;
  label: string;
  id?: string;
  placeholder?: string;
  /** Of the text. */
  className?: string;
  /** Of the box that scrolls if the text is long. */
  boxClassName?: string;
  autoFocus?: boolean;
  readOnly?: boolean;
  describedBy?: string | undefined;
  /** Where there may be no room above. */
  suggestsBelow?: boolean;
  onSend: () => void;
  /** Keys that don't change the text: ↑ in an empty field, Esc. */
  onKey?: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  /** Pasted files. Without it they are ignored. */
  onFiles?: ((files: File[]) => void) | undefined;
}

/**
 * The text field of a message, with suggestions, formatting keys and Enter to submit. Suggestions are positioned above or below the
 * closest `relative` ancestor.
 */
export function MessageField(props: MessageFieldProps) {
  const {
    editor,
    channel,
    permissions,
    label,
    onSend,
    onKey,
    onFiles,
    autoFocus = false,
    suggestsBelow = false,
  } = props;
  const { t, i18n } = useTranslation("composer");
  const { field, onInput } = editor;
  const unknownNames = useStore(editor.contents, (contents) => contents.unknownNames);
  useTokenNames(editor, channel.groupId);
  const suggestions = useSuggestions(editor);
  const own = useOwnEmoji(channel.groupId);
  const { isOpen, options, trigger, found } = suggestions;

  useLayoutEffect(() => {
    // A dialog that closes in the same commit returns the focus in a microtask, which would override the `autoFocus` attribute.
    if (autoFocus)
      queueMicrotask(() => {
        if (mayTakeFocus(field.current)) field.current?.focus();
      });
  }, [autoFocus, field]);

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
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
    const pasted = clipboardData.getData("text/plain").trim();
    // Spreadsheets add a picture to a copied text, browsers an address to a copied picture.
    const isText = pasted !== "" && !isUrl(pasted) && clipboardData.types.includes("text/html");
    const { value, selectionStart: from, selectionEnd: to } = currentTarget;
    if (files.length > 0 && onFiles !== undefined && !isText) {
      event.preventDefault();
      onFiles(files);
    } else if (from < to && isUrl(pasted) && !isUrl(value.slice(from, to))) {
      event.preventDefault();
      editField(currentTarget, makeLink(value, from, to, pasted));
    }
  };

  return (
    <div className="min-w-0 flex-1">
      {isOpen && <SuggestionList suggestions={found} options={options} isBelow={suggestsBelow} />}
      {trigger !== null && (
        <SuggestionSource
          kind={trigger.kind}
          channel={channel}
          permissions={permissions}
          query={trigger.query}
          onFound={suggestions.onFound}
        />
      )}
      {unknownNames.map((name) => (
        <NameLookup key={name} channel={channel} name={name} onNamed={editor.onNamed} />
      ))}
      <GrowingField
        editor={editor}
        id={props.id}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={isOpen ? options.listProps.id : undefined}
        aria-activedescendant={options.fieldProps["aria-activedescendant"]}
        aria-describedby={props.describedBy}
        placeholder={props.placeholder}
        readOnly={props.readOnly}
        className={props.className}
        boxClassName={props.boxClassName}
        onChange={(event) => {
          onInput(event.target.value);
          suggestions.look();
          if (event.target.value[event.target.selectionStart - 1] === ":")
            // This moves the caret and restores it, so suggestions must be updated.
            void replaceClosedEmoji(event.target, i18n.language, own).then(suggestions.look);
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

/** Replaces a shortcode that ends at the caret with its emoji, unless the group has its own with this name. */
async function replaceClosedEmoji(
  field: HTMLTextAreaElement,
  language: string,
  own: ReadonlyMap<string, Emoji>,
): Promise<void> {
  const named = findShortcode(field.value, field.selectionStart);
  if (named === null || own.has(named.name)) return;
  // Without the emoji list, the shortcode stays.
  const index = await loadEmojiIndex(language).catch(() => null);
  const emoji = index === null ? undefined : findEmoji(index, named.name);
  const to = named.start + named.name.length + 2;
  const isStillThere = field.value.slice(named.start, to) === `:${named.name}:`;
  if (emoji === undefined || !isStillThere) return;
  const moved = field.selectionStart - to + named.start + emoji.length;
  editField(field, { from: named.start, to, insert: emoji, selectFrom: moved, selectTo: moved });
}

let isFirst = true;

/**
 * What is there before the field keeps the focus: the messages above it and, while the page that was opened is still loading, everything
 * else.
 */
function mayTakeFocus(field: HTMLElement | null): boolean {
  const [opened] = performance.getEntriesByType("navigation");
  const isOpening = isFirst && opened !== undefined && new URL(opened.name).pathname === location.pathname;
  isFirst = false;
  const kept = isOpening ? document.body : field?.closest("aside, main")?.querySelector("[role=log]");
  const { activeElement } = document;
  return activeElement === document.body || kept?.contains(activeElement) !== true;
}

/** Returns whether the key was handled. */
function markdownKey(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
  const { currentTarget: field, nativeEvent } = event;
  const { value, selectionStart: from, selectionEnd: to } = field;
  const apple = isApple();
  const pressed = FORMATTING.flat().find(({ combo }) => combo !== null && isCombo(combo, nativeEvent, apple));
  // Without a selection, K is a global shortcut.
  if (pressed === undefined || (pressed.edit === "link" && from === to)) return false;
  event.preventDefault();
  event.stopPropagation();
  editField(field, EDITS[pressed.edit](value, from, to));
  return true;
}

function isSendKey(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
  const { key, shiftKey, altKey, currentTarget: field } = event;
  if (key !== "Enter" || shiftKey || altKey || matchMedia(TOUCH).matches) return false;
  if (event.ctrlKey || event.metaKey) return true;
  return usePreferences.getState().sendKey === "enter" && !isInOpenFence(field.value, field.selectionStart);
}

interface GrowingFieldProps extends Omit<ComponentProps<"textarea">, "ref" | "value"> {
  editor: Editor;
  boxClassName: string | undefined;
}

/** The box scrolls instead of the field, so that the field and the formatted text behind it always have the same size. */
function GrowingField({ editor, className, boxClassName, ...rest }: GrowingFieldProps) {
  const { field: fieldRef, contents } = editor;
  const { text, mentions } = useStore(contents);
  const box = useRef<HTMLDivElement>(null);
  const [formatter] = useState(() => new LiveFormatter());
  const [composing, compositionProps] = useComposing();
  const parts = useMemo(
    () => formatter.format(text, composing === null ? mentions : [...mentions, composing]),
    [formatter, text, mentions, composing],
  );
  const isLive = parts.some((pieces) =>
    pieces.some(({ formats }) => formats.some((one) => one !== "composing")),
  );
  useLayoutEffect(() => {
    const { current: element } = fieldRef;
    if (GROWS || element === null || box.current === null) return;
    // For browsers without `field-sizing`.
    const { scrollTop } = box.current;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
    box.current.scrollTop = scrollTop;
  });
  return (
    <div ref={box} className={cx("max-h-[40dvh] overflow-y-auto", boxClassName)}>
      {isLive && <LiveText parts={parts} className={className} />}
      {/* The field's own is clipped while it has the focus. */}
      {text === "" && (
        <div
          aria-hidden
          className={cx(
            "pointer-events-none absolute inset-x-0 top-0 truncate text-muted select-none forced-colors:hidden",
            className,
          )}
        >
          {rest.placeholder}
        </div>
      )}
      <textarea
        ref={fieldRef}
        rows={1}
        value={text}
        data-live={isLive || undefined}
        className={cx(
          "live-field relative block field-sizing-content w-full min-w-0 resize-none overflow-hidden outline-none placeholder:truncate placeholder:text-transparent",
          className,
        )}
        {...compositionProps}
        {...rest}
      />
    </div>
  );
}

/** The text that an input method hasn't committed. Its own underline has the color of the field's text, which is transparent. */
function useComposing(): [FormatRange | null, ComponentProps<"textarea">] {
  const [composing, setComposing] = useState<FormatRange | null>(null);
  const from = useRef(0);
  return [
    composing,
    {
      onCompositionStart: ({ currentTarget }) => {
        from.current = currentTarget.selectionStart;
      },
      onCompositionUpdate: ({ data }) =>
        setComposing({ format: "composing", from: from.current, to: from.current + data.length }),
      onCompositionEnd: () => setComposing(null),
    },
  ];
}

function SuggestionList({
  suggestions,
  options,
  isBelow,
}: {
  suggestions: readonly Suggestion[];
  options: Suggestions["options"];
  isBelow: boolean;
}) {
  const { t } = useTranslation("composer");
  return (
    <div
      {...options.listProps}
      aria-label={t("common:suggestions")}
      className={cx(
        "absolute inset-x-0 z-10 max-h-[40dvh] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-raised",
        isBelow ? "top-full mt-1.5" : "bottom-full mb-1.5",
      )}
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
    case "image":
      return <img src={picture.url} alt="" className="size-6 shrink-0 object-contain" />;
    case "sign": {
      const style = picture.color === undefined ? {} : { color: colorText(picture.color) };
      return (
        <span aria-hidden className="flex size-6 shrink-0 items-center justify-center text-lg" style={style}>
          {picture.sign}
        </span>
      );
    }
  }
}
