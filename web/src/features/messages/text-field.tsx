import { MESSAGE_MAX_CHARS } from "@fanfare/client";
import type { KeyboardEvent } from "react";

interface TextFieldProps {
  label: string;
  value: string;
  placeholder?: string;
  autoFocus?: boolean;
  onChange: (text: string) => void;
  onEnter: () => unknown;
  onEscape?: () => void;
}

/** A field for the text of a message: Enter is done, Shift+Enter makes a new line. */
export function TextField({
  label,
  value,
  placeholder,
  autoFocus,
  onChange,
  onEnter,
  onEscape,
}: TextFieldProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    // While characters are composed (Japanese, Chinese, …) Enter chooses among them.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onEscape?.();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    onEnter();
  };
  return (
    <textarea
      aria-label={label}
      placeholder={placeholder}
      value={value}
      rows={1}
      maxLength={MESSAGE_MAX_CHARS}
      autoFocus={autoFocus}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onKeyDown}
    />
  );
}
