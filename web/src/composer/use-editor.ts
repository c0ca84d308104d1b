import type { Channel, Role } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import { createStore, type StoreApi, useStore } from "zustand";
import { useChannels, useRoles } from "../data/groups.ts";
import { useNicknames } from "../data/members.ts";
import { useUsers } from "../data/people.ts";
import { useHandler } from "../shared/hooks.ts";
import type { FormatRange } from "./live-format.ts";

const NO_ROLES: readonly Role[] = [];
const NO_CHANNELS: readonly Channel[] = [];
const NO_NAMES: readonly string[] = [];

/** What is in a field in which mentions are shown as names. */
interface Contents extends Source {
  /** As sent. */
  wire: string;
  /** The names in the text that are sent as mentions. */
  mentions: readonly Mention[];
  /** Usernames that were typed as `@name` and haven't been looked up. */
  unknownNames: readonly string[];
}

/** What the rest of the contents follows from. */
interface Source {
  /** As displayed. */
  text: string;
  tokens: readonly NamedToken[];
  /** The users with the usernames that were looked up; null: no one has it. */
  userIds: ReadonlyMap<string, string | null>;
}

export interface Editor {
  field: RefObject<HTMLTextAreaElement | null>;
  /** Changes with each key. Components only subscribe to what they show, so that typing stays quick. */
  contents: Readonly<StoreApi<Contents>>;
  onInput: (text: string) => void;
  /** The label of a user, role or channel, to insert into the field. */
  labelFor: (wire: string, name: string) => string;
  /** Replaces the text. */
  reset: (wire: string) => void;
  /** Shows tokens in the text as names. */
  showNames: (names: ReadonlyMap<string, string>) => void;
  /** Adds a looked-up username; null: no one has it. */
  onNamed: (name: string, userId: string | null) => void;
}

/** @param onType called after each edit by the user */
export function useEditor(initialWire: string, onType?: (text: string) => void): Editor {
  const field = useRef<HTMLTextAreaElement>(null);
  const afterInput = useHandler((text: string) => onType?.(text));
  const [contents] = useState(() =>
    createStore(() => contentsOf({ text: initialWire, tokens: [], userIds: new Map() })),
  );
  return useMemo(() => {
    const change = (changes: Partial<Source>) =>
      contents.setState((now) => contentsOf({ ...now, ...changes }));
    return {
      field,
      contents,
      onInput(text) {
        change({ text });
        afterInput(text);
      },
      labelFor(wire, name) {
        const { tokens } = contents.getState();
        const token = nameToken(tokens, wire, name);
        if (!tokens.includes(token)) change({ tokens: [...tokens, token] });
        return token.label;
      },
      reset: (wire) => change({ text: wire, tokens: [] }),
      showNames(names) {
        const { text, tokens } = contents.getState();
        const shown = fromWire(text, tokens, (wire) => names.get(wire));
        if (shown.text !== text) change(shown);
      },
      onNamed: (name, userId) => change({ userIds: new Map(contents.getState().userIds).set(name, userId) }),
    };
  }, [contents, afterInput]);
}

function contentsOf(source: Source): Contents {
  const { text, tokens, userIds } = source;
  const typed = findTypedNames(text);
  const typedTokens = typed.flatMap((name): NamedToken[] => {
    const userId = userIds.get(name.toLowerCase()) ?? null;
    return userId === null ? [] : [{ label: `@${name}`, wire: `<@${userId}>` }];
  });
  // A chosen name wins over an equal username.
  const mentions = findMentions(text, [...typedTokens, ...tokens]);
  const unknown = new Set(typed.map((name) => name.toLowerCase()).filter((name) => !userIds.has(name)));
  return {
    ...source,
    mentions,
    wire: toWire(text, mentions),
    unknownNames: unknown.size === 0 ? NO_NAMES : [...unknown],
  };
}

/** Shows tokens from drafts or pasted text as names, once those are loaded. */
export function useTokenNames({ contents, showNames }: Editor, groupId: string | null): void {
  const text = useStore(contents, (now) => (findTokens(now.text).length > 0 ? now.text : ""));
  const joined = findTokens(text).join(" ");
  const userIds = useMemo(() => joined.match(/(?<=<@)[0-9a-f]{24}/g) ?? [], [joined]);
  const users = useUsers(userIds);
  const { data: roles = NO_ROLES } = useRoles(groupId ?? "", {
    enabled: groupId !== null && joined.includes("<@&"),
  });
  const { data: channels = NO_CHANNELS } = useChannels(groupId ?? "", {
    enabled: groupId !== null && joined.includes("<#"),
  });
  const nicknames = useNicknames(userIds.length === 0 ? null : groupId);
  useLayoutEffect(() => {
    if (text === "") return;
    const names = new Map<string, string>();
    for (const { id, nickname } of users) names.set(`<@${id}>`, nicknames[id]?.nickname ?? nickname);
    for (const role of roles) names.set(`<@&${role.id}>`, role.name);
    for (const channel of channels) names.set(`<#${channel.id}>`, channel.name);
    showNames(names);
  }, [text, users, roles, channels, nicknames, showNames]);
}

/**
 * A mention: `<@id>` on the wire, a name in the field.
 *
 * A name becomes a token unless it is in code, after a backslash or part of a longer word. If one name is a prefix of another, the longer
 * one wins. A token whose name isn't known stays a token in the field.
 */
export interface NamedToken {
  /** As displayed, with its sign: `@Ada`, `#general`. Unique within a text. */
  readonly label: string;
  /** As sent: `<@…>`, `<@&…>`, `<#…>`. */
  readonly wire: string;
}

/** Parts in which no names are replaced: escaped characters, code blocks, code spans. */
const LITERAL_PARTS =
  "\\\\[\\s\\S]|^ {0,3}(?<fence>`{3,}|~{3,})[^\\n]*(?:\\n[\\s\\S]*?(?:^ {0,3}\\k<fence>[ \\t]*$|$(?![\\s\\S]))|$(?![\\s\\S]))" +
  "|(?<!`)(?<ticks>`+)(?!`)[\\s\\S]*?(?<!`)\\k<ticks>(?!`)";
const WIRE = "<(?:@&?|#)[0-9a-f]{24}>";
const ANY_WIRE = new RegExp(WIRE, "g");

/** A name in a text, and the token that is sent for it. */
interface Mention extends FormatRange {
  readonly wire: string;
}

const NO_MENTIONS: readonly Mention[] = [];

export function findMentions(text: string, tokens: readonly NamedToken[]): readonly Mention[] {
  if (tokens.length === 0) return NO_MENTIONS;
  const wireOf = new Map(tokens.map(({ label, wire }) => [label, wire]));
  const labels = [...wireOf.keys()].toSorted((a, b) => b.length - a.length).map(labelPattern);
  const pattern = new RegExp(`${LITERAL_PARTS}|(?<![\\w@#<.])(?:${labels.join("|")})`, "gm");
  return [...text.matchAll(pattern)].flatMap(({ 0: found, index }) => {
    const wire = wireOf.get(found);
    return wire === undefined
      ? []
      : [{ format: "mention" as const, from: index, to: index + found.length, wire }];
  });
}

export function toWire(text: string, mentions: readonly Mention[]): string {
  let wire = "";
  let at = 0;
  for (const mention of mentions) {
    wire += text.slice(at, mention.from) + mention.wire;
    at = mention.to;
  }
  return wire + text.slice(at);
}

/** Replaces tokens with known names, and adds those to `tokens`. */
export function fromWire(
  text: string,
  tokens: readonly NamedToken[],
  nameOf: (wire: string) => string | undefined,
): { text: string; tokens: readonly NamedToken[] } {
  let known = tokens;
  const pattern = new RegExp(`${LITERAL_PARTS}|${WIRE}`, "gm");
  const shown = text.replace(pattern, (found) => {
    // All other matches are opaque.
    if (!found.startsWith("<")) return found;
    const name = nameOf(found);
    if (name === undefined) return found;
    const token = nameToken(known, found, name);
    if (!known.includes(token)) known = [...known, token];
    return token.label;
  });
  return { text: shown, tokens: known };
}

export function findTokens(text: string): string[] {
  return [...new Set(text.match(ANY_WIRE) ?? [])];
}

const TYPED_NAME = `(?<![\\w@#<.])@(?<name>[\\w.-]{${LIMITS.usernameMinChars},${LIMITS.usernameMaxChars}})(?![\\w@])`;

/** The words after an `@` that can be usernames, also without punctuation that ends a sentence. */
export function findTypedNames(text: string): string[] {
  if (!text.includes("@")) return [];
  const found = new Set<string>();
  for (const { groups } of text.matchAll(new RegExp(`${LITERAL_PARTS}|${TYPED_NAME}`, "gm"))) {
    const name = groups?.["name"];
    if (name === undefined || /^(?:everyone|here)[.-]*$/i.test(name)) continue;
    found.add(name);
    const bare = name.replace(/[.-]+$/, "");
    if (bare.length >= LIMITS.usernameMinChars) found.add(bare);
  }
  return [...found];
}

/** Adds a number if another token in the text has the same name. */
export function nameToken(tokens: readonly NamedToken[], wire: string, name: string): NamedToken {
  const existing = tokens.find((token) => token.wire === wire);
  if (existing !== undefined) return existing;
  const sign = wire.startsWith("<#") ? "#" : "@";
  const plain = `${sign}${name}`;
  const isTaken = (label: string): boolean =>
    label === "@everyone" || label === "@here" || tokens.some((token) => token.label === label);
  let label = plain;
  for (let number = 2; isTaken(label); number++) label = `${plain} (${number})`;
  return { label, wire };
}

/** A name that ends in a Latin letter or digit needs a word boundary; other scripts don't separate words by spaces. */
function labelPattern(label: string): string {
  const escaped = label.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return /\w$/.test(label) ? `${escaped}(?!\\w)` : escaped;
}
