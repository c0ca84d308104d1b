import type { Channel, Role } from "@fanfare/contract";
import { type RefObject, useCallback, useMemo, useRef, useState } from "react";
import { useChannels, useRoles } from "../data/groups.ts";
import { useUsers } from "../data/people.ts";

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
  const { data: roles = NO_ROLES } = useRoles(groupId ?? "", {
    enabled: groupId !== null && joined.includes("<@&"),
  });
  const { data: channels = NO_CHANNELS } = useChannels(groupId ?? "", {
    enabled: groupId !== null && joined.includes("<#"),
  });
  const names = new Map<string, string>();
  for (const user of users) names.set(`<@${user.id}>`, user.nickname);
  for (const role of roles) names.set(`<@&${role.id}>`, role.name);
  for (const channel of channels) names.set(`<#${channel.id}>`, channel.name);
  return names;
}

/**
 * What stands for a user, a role or a channel: `<@id>` on the wire, a name in the field.
 *
 * The rule: a name becomes its token where it stands as it was chosen – not in code, not behind a backslash, and not as a part of a
 * longer word. Of two names of which one begins with the other the longer one counts. A token that has no name yet stays a token in
 * the field, and means the same.
 */
export interface NamedToken {
  /** As it is shown, with its sign: `@Ada`, `#general`. Never the same for two tokens of a text. */
  readonly label: string;
  /** As it is sent: `<@…>`, `<@&…>`, `<#…>`. */
  readonly wire: string;
}

/** What is never looked into: a character behind a backslash, a fenced block, a code span. */
const OPAQUE =
  "\\\\[\\s\\S]|^ {0,3}(?<fence>`{3,}|~{3,})[^\\n]*(?:\\n[\\s\\S]*?(?:^ {0,3}\\k<fence>[ \\t]*$|$(?![\\s\\S]))|$(?![\\s\\S]))" +
  "|(?<!`)(?<ticks>`+)(?!`)[\\s\\S]*?(?<!`)\\k<ticks>(?!`)";
const WIRE = "<(?:@&?|#)[0-9a-f]{24}>";
const ANY_WIRE = new RegExp(WIRE, "g");

/** The text as it is sent: names that were chosen become tokens. */
export function toWire(text: string, tokens: readonly NamedToken[]): string {
  if (tokens.length === 0) return text;
  const wireOf = new Map(tokens.map(({ label, wire }) => [label, wire]));
  const labels = [...wireOf.keys()].toSorted((a, b) => b.length - a.length).map(labelPattern);
  const pattern = new RegExp(`${OPAQUE}|(?<![\\w@#<.])(?:${labels.join("|")})`, "gm");
  return text.replace(pattern, (found) => wireOf.get(found) ?? found);
}

/** The text as it is shown: tokens whose names are known become names, which are added to those that are known already. */
export function fromWire(
  text: string,
  tokens: readonly NamedToken[],
  nameOf: (wire: string) => string | undefined,
): { text: string; tokens: readonly NamedToken[] } {
  let known = tokens;
  const pattern = new RegExp(`${OPAQUE}|${WIRE}`, "gm");
  const shown = text.replace(pattern, (found) => {
    // All that is never looked into begins with another sign.
    if (!found.startsWith("<")) return found;
    const name = nameOf(found);
    if (name === undefined) return found;
    const token = nameToken(known, found, name);
    if (!known.includes(token)) known = [...known, token];
    return token.label;
  });
  return { text: shown, tokens: known };
}

/** The tokens in a text, each once. */
export function wiresIn(text: string): string[] {
  return [...new Set(text.match(ANY_WIRE) ?? [])];
}

/** The token under its name; where another one has this name already, with a number. */
export function nameToken(tokens: readonly NamedToken[], wire: string, name: string): NamedToken {
  const held = tokens.find((token) => token.wire === wire);
  if (held !== undefined) return held;
  const sign = wire.startsWith("<#") ? "#" : "@";
  const plain = `${sign}${name}`;
  const isTaken = (label: string): boolean =>
    label === "@everyone" || label === "@here" || tokens.some((token) => token.label === label);
  let label = plain;
  for (let number = 2; isTaken(label); number++) label = `${plain} (${number})`;
  return { label, wire };
}

/** A name that ends in a Latin letter or digit ends there: in other writings words stand side by side without spaces. */
function labelPattern(label: string): string {
  const escaped = label.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return /\w$/.test(label) ? `${escaped}(?!\\w)` : escaped;
}

/** The id of the field in which one writes in a channel. */
export const composerFieldId = (channelId: string): string => `composer-${channelId}`;

/** Puts the focus where one writes in a channel. */
export function focusComposer(channelId: string): void {
  document.getElementById(composerFieldId(channelId))?.focus();
}
