import { randomId } from "@fanfare/client";
import type { Channel, Params } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import type { ParseKeys } from "i18next";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { openOverlay } from "../state/panels.ts";
import { usePlace } from "../app/shortcuts/use-place.ts";
import { sendMessage } from "../channel/messages/outbox.ts";
import { useCall } from "../data/call.ts";
import { useServerCache } from "../data/data-context.ts";
import { hasMessages, useChannelPermissions } from "../data/groups.ts";
import { useMe } from "../data/me.ts";
import { FOREVER } from "../groups/channels/mute.ts";
import { useOpenDirect } from "../people/directs/use-direct.tsx";
import { openSearch, setSearchText } from "../search/search-store.ts";
import { dayAndTime } from "../shared/times.ts";
import { showFailure, showToast } from "../ui/feedback.tsx";
import { findTemplate, useTemplates } from "./templates.ts";

/** A command of the page itself, as opposed to those of bots. */
interface OwnCommand {
  readonly name: string;
  /** Its description. */
  readonly textKey: ParseKeys;
  /** What follows the name. */
  readonly usage?: { readonly textKey: ParseKeys; readonly required: boolean };
  /** Says what it needs, if that isn't just more text. */
  readonly fault?: { readonly textKey: ParseKeys };
  /** The permission it needs in the channel. */
  readonly needs?: "manageChannels";
}

const TEXT = { textKey: "composer:command.text", required: false } as const;
const QUESTION = { textKey: "composer:command.question", required: false } as const;
const STATUS = { textKey: "composer:command.emojiAndText", required: false } as const;
const MESSAGE = { textKey: "composer:command.userAndText", required: true } as const;

const NAME = { textKey: "composer:command.name", required: false } as const;
const NAME_FAULT = { textKey: "composer:command.templateFault" } as const;

const TIME = { textKey: "composer:command.timeAndText", required: true } as const;
const TIME_FAULT = { textKey: "composer:command.remindFault" } as const;

const OWN_COMMANDS = [
  { name: "me", textKey: "composer:command.me", usage: { ...TEXT, required: true } },
  { name: "shrug", textKey: "composer:command.shrug", usage: TEXT },
  { name: "tableflip", textKey: "composer:command.tableflip", usage: TEXT },
  { name: "unflip", textKey: "composer:command.unflip", usage: TEXT },
  { name: "msg", textKey: "composer:command.msg", usage: MESSAGE },
  { name: "poll", textKey: "composer:command.poll", usage: QUESTION },
  { name: "remind", textKey: "composer:command.remind", usage: TIME, fault: TIME_FAULT },
  { name: "search", textKey: "search:field", usage: TEXT },
  { name: "template", textKey: "composer:command.template", usage: NAME, fault: NAME_FAULT },
  { name: "status", textKey: "composer:command.status", usage: STATUS },
  { name: "online", textKey: "composer:command.online" },
  { name: "away", textKey: "composer:command.away" },
  { name: "dnd", textKey: "composer:command.dnd" },
  { name: "mute", textKey: "composer:command.mute" },
  { name: "unmute", textKey: "composer:command.unmute" },
  { name: "topic", textKey: "composer:command.topic", usage: TEXT, needs: "manageChannels" },
  { name: "shortcuts", textKey: "composer:command.shortcuts" },
] as const satisfies readonly OwnCommand[];

type Name = (typeof OWN_COMMANDS)[number]["name"];

/** Backslashes keep the underscores from being formatting. */
const SIGNS = {
  shrug: "¯\\\\\\_(ツ)\\_/¯",
  tableflip: "(╯°□°)╯︵ ┻━┻",
  unflip: "┬─┬ノ( º \\_ ºノ)",
} as const;
const PRESENCES = { online: "online", away: "idle", dnd: "doNotDisturb" } as const;

/** The commands that the user can use in a channel. */
export function useOwnCommands(channel: Channel): readonly OwnCommand[] {
  const permissions = useChannelPermissions(channel);
  return OWN_COMMANDS.filter(
    (command: OwnCommand) =>
      command.needs === undefined || (hasMessages(channel) && hasPermission(permissions, command.needs)),
  );
}

export const COMMAND = /^\/([a-z0-9_-]+)(?:\s+([\s\S]*))?$/;

/** A command at the beginning of a text, and what follows it; null if there is none of these. */
export function parseCommand<C extends { readonly name: string }>(
  text: string,
  commands: readonly C[],
): { command: C; text: string } | null {
  const match = COMMAND.exec(text);
  const command = commands.find(({ name }) => name === match?.[1]);
  return command === undefined ? null : { command, text: match![2]?.trim() ?? "" };
}

/** The text that a command sends instead of itself; null if it does something else. */
export function textToSend(name: string, text: string): string | null {
  if (name === "me") return text === "" ? null : `_${text}_`;
  return Object.hasOwn(SIGNS, name) ? `${text} ${SIGNS[name as keyof typeof SIGNS]}`.trim() : null;
}

/** What commands open. */
export interface CommandDialogs {
  onPoll: (question: string) => void;
  onTemplates: () => void;
}

/**
 * Runs commands that don't send a message to the channel.
 * @returns a function that is called with a command's name and what follows it, and returns what replaces them, or null if that is not what it needs
 */
export function useRunCommand(
  channel: Channel,
  dialogs: CommandDialogs,
): (name: string, text: string) => string | null {
  const { templates } = useTemplates();
  const run = useRunPlainCommand(channel, dialogs);
  return (name, text) => {
    if (name === "template" && text !== "") return findTemplate(templates, text)?.text ?? null;
    return run(name, text) ? "" : null;
  };
}

function useRunPlainCommand(
  channel: Channel,
  { onPoll, onTemplates }: CommandDialogs,
): (name: string, text: string) => boolean {
  const call = useCall();
  const { client } = useServerCache();
  const place = usePlace();
  const [, navigate] = useLocation();
  const openDirect = useOpenDirect();
  const remind = useRemind();
  return (name, text) => {
    const setting = { channelId: channel.id };
    switch (name as Exclude<Name, "me" | keyof typeof SIGNS>) {
      case "msg": {
        const [, userId, content] = /^<@([0-9a-f]{24})>\s*(\S[\s\S]*)$/.exec(text) ?? [];
        if (userId === undefined || content === undefined) return false;
        void openDirect(userId, (channelId) => void sendMessage(client.channel(channelId), content));
        return true;
      }
      case "poll":
        onPoll(text);
        return true;
      case "remind": {
        const reminder = parseReminder(text, new Date());
        return reminder !== null && attempt(remind(reminder));
      }
      case "template":
        onTemplates();
        return true;
      case "search":
        setSearchText(text);
        openSearch(place, navigate);
        return true;
      case "status":
        return attempt(call("user.updateProfile", { customStatus: statusOf(text) }));
      case "online":
      case "away":
      case "dnd":
        return attempt(call("presence.setStatus", { status: PRESENCES[name as keyof typeof PRESENCES] }));
      case "mute":
        return attempt(call("notification.set", { ...setting, mutedUntil: FOREVER }));
      case "unmute":
        return attempt(call("notification.set", { ...setting, mutedUntil: null }));
      case "topic":
        return attempt(call("channel.update", { ...setting, topic: text }));
      case "shortcuts":
        openOverlay("shortcuts");
        return true;
    }
    return false;
  };
}

/** Writes the text to the user's notes to themselves, with a reminder. */
function useRemind(): (reminder: WrittenReminder) => Promise<void> {
  const { t } = useTranslation("messages");
  const call = useCall();
  const { id: userId } = useMe();
  return async ({ time, text: content }) => {
    const {
      channel: { id: channelId },
    } = await call("channel.openDirect", { userId });
    const { message } = await call("message.send", { channelId, content, nonce: randomId() });
    const remindAt = time.toISOString();
    await call("saved.add", { channelId, messageId: message.id, remindAt });
    showToast({ text: t("reminder.isSet", { time: dayAndTime(remindAt) }), tone: "good" });
  };
}

function attempt(work: Promise<unknown>): true {
  work.catch(showFailure);
  return true;
}

/** An emoji at the beginning is the emoji of the status. Without a text, it removes the status. */
function statusOf(text: string): Params<"user.updateProfile">["customStatus"] {
  if (text === "") return null;
  const emoji = /^(?:\p{RGI_Emoji})/v.exec(text)?.[0] ?? null;
  return { emoji, text: text.slice(emoji?.length ?? 0).trim(), expiresAt: null };
}

/** A reminder as it is written after `/remind`. */
interface WrittenReminder {
  time: Date;
  text: string;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const MORNING = "9:00";
/** `20m`, or `1h30m`. */
const SPAN = /^((?:\d{1,4}[mhdw])+)\s+(\S[\s\S]*)$/i;
/** `9:00`, `2026-12-01 9:00` or `2026-12-01`. */
const DATE = /^(?:(\d{4})-(\d{1,2})-(\d{1,2}))?(?:(?:^|\s+)(\d{1,2}:\d{2}))?\s+(\S[\s\S]*)$/;

/** The same in all languages. @returns null if there is no time, no text, or the time isn't in the future */
export function parseReminder(written: string, now: Date): WrittenReminder | null {
  const [, span, soon] = SPAN.exec(written) ?? [];
  if (span !== undefined && soon !== undefined) {
    const parts = [...span.toLowerCase().matchAll(/(\d+)([mhdw])/g)];
    const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS_MS[unit!]!, 0);
    return ms === 0 ? null : { time: new Date(now.getTime() + ms), text: soon };
  }
  const [, year, month, day, clock, text] = DATE.exec(written) ?? [];
  if (text === undefined || (year ?? clock) === undefined) return null;
  const [hours, minutes] = (clock ?? MORNING).split(":").map(Number) as [number, number];
  const date =
    year === undefined
      ? [now.getFullYear(), now.getMonth(), now.getDate()]
      : [Number(year), Number(month) - 1, Number(day)];
  const [y, m, d] = date as [number, number, number];
  const time = new Date(y, m, d, hours, minutes);
  // Such as February 30 or 25:00, which JavaScript moves to another day.
  if (hours > 23 || minutes > 59 || time.getMonth() !== m || time.getDate() !== d) return null;
  if (year === undefined && time <= now) time.setDate(d + 1);
  return time > now ? { time, text } : null;
}
