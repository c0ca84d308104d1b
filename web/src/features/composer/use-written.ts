import { type RefObject, useCallback, useRef, useState } from "react";
import { fromWire, nameToken, toWire, wiresIn, type NamedToken } from "./mention-text.ts";
import { useNames } from "./use-names.ts";

/** A text with its names, in a field. */
export interface Written {
  field: RefObject<HTMLTextAreaElement | null>;
  /** As it is shown. */
  text: string;
  /** As it would be sent. */
  wire: string;
  /** What the field says now. */
  onInput: (text: string) => void;
  /** The name to write for a user, a role or a channel. */
  nameFor: (wire: string, name: string) => string;
  /** Begins anew with another text. */
  reset: (wire: string) => void;
}

/** What is written in a field; `onType` hears what somebody has changed. */
export function useWritten(
  groupId: string | null,
  initialWire: string,
  onType?: (text: string) => void,
): Written {
  const field = useRef<HTMLTextAreaElement>(null);
  const [state, setState] = useState<{ text: string; tokens: readonly NamedToken[] }>({
    text: initialWire,
    tokens: [],
  });
  const { text, tokens } = state;
  const names = useNames(groupId, text);

  // Tokens become names as soon as those are known, whether they come with a draft or are pasted.
  if (wiresIn(text).some((wire) => names.has(wire))) {
    const shown = fromWire(text, tokens, (wire) => names.get(wire));
    if (shown.text !== text) setState(shown);
  }

  const onInput = (next: string) => {
    setState((now) => ({ ...now, text: next }));
    onType?.(next);
  };
  const nameFor = (wire: string, name: string): string => {
    const token = nameToken(tokens, wire, name);
    if (!tokens.includes(token)) setState((now) => ({ ...now, tokens: [...now.tokens, token] }));
    return token.label;
  };
  const reset = useCallback((wire: string) => setState({ text: wire, tokens: [] }), []);
  return { field, text, wire: toWire(text, tokens), onInput, nameFor, reset };
}
