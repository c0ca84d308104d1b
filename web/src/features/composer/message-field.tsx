import type { Channel } from "@fanfare/contract";
import type { ClipboardEvent, KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { editField } from "./edit-field.ts";
import { isSendKey, markdownKey } from "./field-keys.ts";
import { GrowingField } from "./growing-field.tsx";
import { isUrl, makeLink } from "./markdown-edit.ts";
import { optionId, SuggestionList } from "./suggestion-list.tsx";
import { SuggestionSource } from "./suggestion-sources.tsx";
import { replaceClosedEmoji } from "./closed-emoji.ts";
import { filesOf } from "./use-file-drop.ts";
import { useSuggestions } from "./use-suggestions.ts";
import type { Written } from "./use-written.ts";

interface MessageFieldProps {
  written: Written;
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
  /** Keys that mean nothing to the text: ↑ in an empty field, Esc. */
  onKey?: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  /** Files that are pasted; without it they are not taken. */
  onFiles?: ((files: File[]) => void) | undefined;
}

/**
 * Where the text of a message is written: names are proposed, marks are set by keys, Enter is done. The proposals stand above the next
 * element around it that is `relative`.
 */
export function MessageField(props: MessageFieldProps) {
  const { written, channel, permissions, label, onSend, onKey, onFiles } = props;
  const { t, i18n } = useTranslation("composer");
  const { field, text, onInput } = written;
  const suggestions = useSuggestions(written);
  const { isOpen, listId, trigger, found, activeIndex } = suggestions;

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
      {isOpen && (
        <SuggestionList
          id={listId}
          suggestions={found}
          activeIndex={activeIndex}
          onActivate={suggestions.setActive}
          onPick={suggestions.pick}
        />
      )}
      {trigger !== null && (
        <SuggestionSource
          kind={trigger.kind}
          channel={channel}
          permissions={permissions}
          query={trigger.query}
          onFound={suggestions.onFound}
        />
      )}
      <GrowingField
        fieldRef={field}
        id={props.id}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen ? optionId(listId, activeIndex) : undefined}
        aria-describedby={props.describedBy}
        placeholder={props.placeholder}
        value={text}
        autoFocus={props.autoFocus}
        readOnly={props.readOnly}
        className={props.className}
        onChange={(event) => {
          onInput(event.target.value);
          suggestions.look();
          if (event.target.value[event.target.selectionStart - 1] === ":")
            // It moves the caret and puts it back: proposals for what is written behind it go on.
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
