import type { ChannelView } from "@fanfare/client";
import type { Channel, Command, Message } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { hasPermission } from "@fanfare/contract/permissions";
import { useCall } from "../data/call.ts";
import { useLive } from "../data/frames.ts";
import { useCommands } from "../data/group-settings.ts";
import { showToast, showFailure } from "../ui/feedback.tsx";
import { type SendOptions, setReplyTo } from "../channel/messages/conversation.ts";
import { isOutboxFull, sendMessage } from "../channel/messages/outbox.ts";
import { useUploads } from "./uploads.ts";

interface SendingOptions {
  channel: Channel;
  view: ChannelView;
  /** The text in wire format. */
  wire: string;
  /** Whether usernames in the text are being looked up. */
  isLookingUp: boolean;
  replyTo: Message | null;
  mentionAuthor: boolean;
  /** Remaining wait in slow mode. */
  secondsLeft: number;
  /** Replaces the text: by an empty one, or by a command that failed. */
  reset: (wire: string) => void;
}

interface Sending {
  canSend: boolean;
  charsLeft: number;
  /** Whether the message is sent once its usernames are looked up. */
  isLocked: boolean;
  /** Whether the message is sent once its uploads finish. */
  isWaiting: boolean;
  submit: () => void;
  stopWaiting: () => void;
}

/** A message isn't held back longer than this by usernames, such as without a connection. */
const LOOKUP_MAX_MS = 2000;
const LOOKUP_POLL_MS = 20;

/** Sends the message once its files are uploaded. */
export function useSending(options: SendingOptions): Sending {
  const { channel, view, wire, isLookingUp, replyTo, mentionAuthor, secondsLeft, reset } = options;
  const { t } = useTranslation("shared");
  const call = useCall();
  const { uploads, store } = useUploads(channel.id);
  const [isLocked, setLocked] = useState(false);
  const [waiting, setWaiting] = useState<AbortController | null>(null);
  const content = wire.trim();
  const { data: commands = [] } = useCommands(channel.id, { enabled: content.startsWith("/") });
  const charsLeft = LIMITS.messageMaxChars - content.length;
  const isUnderWay = uploads.some(({ state }) => state === "waiting" || state === "sending");
  const hasFailed = uploads.some(({ state }) => state === "failed");
  const isEmpty = content === "" && uploads.length === 0;
  const canSend = !isEmpty && charsLeft >= 0 && !hasFailed && secondsLeft === 0;

  const send = () => {
    const command = uploads.length === 0 ? parseCommand(content, commands) : null;
    if (command !== null) {
      reset("");
      call("command.invoke", { channelId: channel.id, ...command }).catch((error: unknown) => {
        reset(content);
        showFailure(error);
      });
      return;
    }
    // The text and files stay in the composer.
    if (isOutboxFull()) {
      showToast({ text: t("error.TOO_MANY_PENDING"), tone: "danger" });
      return;
    }
    const attachmentIds = store.take(channel.id);
    // All files were removed while waiting for them.
    if (content === "" && attachmentIds.length === 0) return;
    const more: SendOptions = {
      ...(replyTo !== null && { replyTo: replyTo.id, mentionAuthor }),
      ...(attachmentIds.length > 0 && { attachmentIds }),
    };
    void sendMessage(view, content, more);
    setReplyTo(channel.id, null);
    reset("");
  };

  // Leaving the channel cancels sending; the text stays as a draft.
  useEffect(() => () => waiting?.abort(), [waiting]);

  const sendLater = async () => {
    const abort = new AbortController();
    setWaiting(abort);
    const isThere = await store.whenSettled(channel.id);
    if (abort.signal.aborted) return;
    setWaiting(null);
    if (isThere) send();
  };

  const submitNow = () => {
    if (isUnderWay) void sendLater();
    else send();
  };

  const latest = useRef({ isLookingUp, submitNow, isGone: false });
  useEffect(() => {
    latest.current = { isLookingUp, submitNow, isGone: false };
  });
  useEffect(
    () => () => {
      latest.current.isGone = true;
    },
    [],
  );

  /** Sends once the usernames are known. Until then, the text can't be changed. */
  const sendNamed = async () => {
    setLocked(true);
    const untilMs = performance.now() + LOOKUP_MAX_MS;
    while (latest.current.isLookingUp && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, LOOKUP_POLL_MS));
    }
    setLocked(false);
    if (!latest.current.isGone) latest.current.submitNow();
  };

  const submit = () => {
    if (!canSend || waiting !== null || isLocked) return;
    if (isLookingUp) void sendNamed();
    else submitNow();
  };

  const stopWaiting = () => {
    waiting?.abort();
    setWaiting(null);
  };

  return { canSend, charsLeft, isLocked, isWaiting: waiting !== null, submit, stopWaiting };
}

/** The command and its arguments; null if the text isn't a command of a bot in this channel. */
export function parseCommand(
  text: string,
  commands: readonly Pick<Command, "name">[],
): { name: string; text: string } | null {
  const match = /^\/([a-z0-9_-]+)(?:\s+([\s\S]*))?$/.exec(text);
  if (match === null || !commands.some(({ name }) => name === match[1])) return null;
  return { name: match[1]!, text: match[2]?.trim() ?? "" };
}

/** The remaining wait in seconds. Clocks differ, so it is never longer than the interval itself. */
export function slowModeLeft(lastSentAt: string | undefined, slowModeSeconds: number, nowMs: number): number {
  if (lastSentAt === undefined || slowModeSeconds === 0) return 0;
  const leftMs = Date.parse(lastSentAt) + slowModeSeconds * 1000 - nowMs;
  return Math.min(slowModeSeconds, Math.max(0, Math.ceil(leftMs / 1000)));
}

interface SlowModeOptions {
  view: ChannelView;
  ownId: string;
  slowModeSeconds: number;
  permissions: number;
}

/** The remaining wait in slow mode in seconds, counted down. */
export function useSlowMode({ view, ownId, slowModeSeconds, permissions }: SlowModeOptions): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  const isExempt =
    hasPermission(permissions, "manageMessages") || hasPermission(permissions, "manageChannels");
  const hasWait = slowModeSeconds > 0 && !isExempt;
  const lastSentAt = useLive(view, () =>
    hasWait ? view.messages.findLast(({ authorId }) => authorId === ownId)?.createdAt : undefined,
  );
  const left = slowModeLeft(lastSentAt, slowModeSeconds, nowMs);
  useEffect(() => {
    if (left === 0) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [left]);
  return left;
}
