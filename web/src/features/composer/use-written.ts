import type { Channel, Role } from "@fanfare/contract";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useCallback, useRef, useState, useMemo } from "react";
import { askChannels } from "../../data/channels.ts";
import { useAsk, useServerCache } from "../../data/data-context.ts";
import { useUsers } from "../../data/users.ts";
import { fromWire, nameToken, toWire, wiresIn, type NamedToken } from "./mention-text.ts";

const NO_ROLES: readonly Role[] = [];

const NO_CHANNELS: readonly Channel[] = [];

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

/** The names of the tokens in a text, as far as they are known. */
function useNames(groupId: string | null, text: string): ReadonlyMap<string, string> {
  const joined = wiresIn(text).join(" ");
  const userIds = useMemo(() => joined.match(/(?<=<@)[0-9a-f]{24}/g) ?? [], [joined]);
  const users = useUsers(userIds);
  const params = { groupId: groupId ?? "" };
  const { data: roles = NO_ROLES } = useAsk("role.list", params, {
    enabled: groupId !== null && joined.includes("<@&"),
    select: (answer) => answer.roles,
  });
  const { data: channels = NO_CHANNELS } = useQuery({
    ...askChannels(useServerCache(), params.groupId),
    enabled: groupId !== null && joined.includes("<#"),
    select: (answer) => answer.channels,
  });
  const names = new Map<string, string>();
  for (const user of users) names.set(`<@${user.id}>`, user.nickname);
  for (const role of roles) names.set(`<@&${role.id}>`, role.name);
  for (const channel of channels) names.set(`<#${channel.id}>`, channel.name);
  return names;
}
