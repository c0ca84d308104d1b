import { type ChannelView, randomId } from "@fanfare/client";
import type { Channel, Emoji, Message } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useEffect, useLayoutEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { hasPermission } from "@fanfare/contract/permissions";
import { useCall } from "../data/call.ts";
import { useActionQuery, useRetries } from "../data/data-context.ts";
import { useLive } from "../data/frames.ts";
import { useCommands } from "../data/group-settings.ts";
import { useMyPermissions } from "../data/groups.ts";
import { useHandler } from "../shared/hooks.ts";
import { showToast, showFailure } from "../ui/feedback.tsx";
import { type SendOptions, setReplyTo } from "../channel/messages/conversation.ts";
import { expectModal } from "../channel/messages/bot-modals.tsx";
import { isOutboxFull, sendMessage } from "../channel/messages/outbox.ts";
import {
  COMMAND,
  type CommandDialogs,
  parseCommand,
  textToSend,
  useOwnCommands,
  useRunCommand,
} from "./own-commands.ts";
import { runPluginCommand, usePlugins } from "../plugins/plugins.ts";
import { useHasPlugins } from "../session/server-meta.ts";
import { restoreDraft, setDraft } from "../state/drafts.ts";
import { COUNT_FROM_CHARS } from "./composer-status.tsx";
import { useUploads } from "./uploads.ts";
import type { Editor } from "./use-editor.ts";
import { useRunWhenReady } from "./use-run-when-ready.ts";

interface SendingOptions extends CommandDialogs {
  channel: Channel;
  view: ChannelView;
  editor: Editor;
  replyTo: Message | null;
  mentionAuthor: boolean;
  /** In a thread: whether its channel shows the message too. */
  alsoInChannel: boolean;
  /** Remaining wait in slow mode. */
  secondsLeft: number;
  onSent?: ((nonce: string) => void) | undefined;
  /** Replaces the text, such as by an empty one. */
  reset: (wire: string) => void;
}

interface Sending {
  canSend: boolean;
  isEmpty: boolean;
  /** Whether the text is a command instead of a message. */
  isCommand: boolean;
  /** At most `COUNT_FROM_CHARS`. Otherwise it would change with each key. */
  charsLeft: number;
  /** Whether usernames in the text, or its command, are being looked up. */
  isLookingUp: boolean;
  /** Whether the message is sent once they are looked up, or its uploads finish. */
  isWaiting: boolean;
  /** What holds back the message, other than usernames. */
  waitsFor: "uploads" | "commands" | null;
  submit: () => void;
  /** Sends a sticker or GIF at once. The text and files stay in the composer. */
  sendSticker: (sticker: Emoji) => void;
  stopWaiting: () => void;
}

const INCOMPLETE = { textKey: "composer:command.incomplete" } as const;

/** Sends the message once its files are uploaded. */
export function useSending(options: SendingOptions): Sending {
  const { channel, view, replyTo, mentionAuthor, alsoInChannel } = options;
  const { contents } = options.editor;
  const { secondsLeft, onSent, reset, onPoll, onTemplates } = options;
  const { t } = useTranslation("shared");
  const call = useCall();
  const { uploads, store } = useUploads(channel.id);
  const [waiting, setWaiting] = useState<AbortController | null>(null);
  const isBlank = useStore(contents, ({ wire }) => wire.trim() === "");
  const charsLeft = useStore(contents, ({ wire }) => countCharsLeft(wire.trim()));
  const hasUnknownNames = useStore(contents, ({ unknownNames }) => unknownNames.length > 0);
  /** The text if it can be a command. */
  const written = useStore(contents, ({ wire }) => (COMMAND.test(wire.trim()) ? wire.trim() : ""));
  const { commands, isLoading, loads } = useCommandLoads(channel, written !== "");
  const canBeCommand = written !== "" && uploads.length === 0;
  const isLoadingCommands = canBeCommand && isLoading;
  const ownCommands = useOwnCommands(channel);
  const runCommand = useRunCommand(channel, { onPoll, onTemplates });
  const ofBot = canBeCommand ? parseCommand(written, commands ?? []) : null;
  const own = canBeCommand ? parseCommand(written, ownCommands) : null;
  const pluginCommands = usePlugins(({ commands: all }) => all);
  const ofPlugin = canBeCommand ? parseCommand(written, pluginCommands) : null;
  const isUnderWay = uploads.some(({ state }) => state === "waiting" || state === "sending");
  const hasFailed = uploads.some(({ state }) => state === "failed");
  const isEmpty = isBlank && uploads.length === 0;
  const canSend = !isEmpty && charsLeft >= 0 && !hasFailed && secondsLeft === 0;

  const hasRoom = () => {
    if (!isOutboxFull()) return true;
    showToast({ text: t("error.TOO_MANY_PENDING"), tone: "danger" });
    return false;
  };

  const deliver = (text: string, more: SendOptions) => {
    const nonce = randomId();
    const options: SendOptions = {
      nonce,
      ...(replyTo !== null && { replyTo: replyTo.id, mentionAuthor }),
      ...(alsoInChannel && { alsoInChannel }),
      ...more,
    };
    void sendMessage(view, text, options);
    onSent?.(nonce);
    setReplyTo(channel.id, null);
  };

  const clear = () => {
    reset("");
    setDraft(channel.id, "");
  };

  const send = () => {
    const content = contents.getState().wire.trim();
    const giveBack = (error: unknown) => {
      restoreDraft(channel.id, content);
      showFailure(error);
    };
    if (ofBot !== null) {
      clear();
      const { command, text } = ofBot;
      call("command.invoke", { channelId: channel.id, name: command.name, text }).then(
        ({ invocation }) => expectModal(invocation.id),
        giveBack,
      );
      return;
    }
    if (ofPlugin !== null && own === null) {
      clear();
      void runPluginCommand(
        ofPlugin.command.action,
        { channelId: channel.id, text: ofPlugin.text },
        call,
      ).then((notice) => notice !== null && showToast({ text: notice, tone: "good" }), giveBack);
      return;
    }
    const replacement = own === null ? content : textToSend(own.command.name, own.text);
    if (own !== null && replacement === null) {
      const { name, fault = INCOMPLETE } = own.command;
      const next = runCommand(name, own.text);
      if (next !== null) reset(next);
      else showToast({ text: t(fault.textKey, { name }), tone: "danger" });
      return;
    }
    // The text and files stay in the composer.
    if (!hasRoom()) return;
    const attachmentIds = store.take(channel.id);
    // All files were removed while waiting for them.
    if (content === "" && attachmentIds.length === 0) return;
    deliver(replacement ?? content, attachmentIds.length > 0 ? { attachmentIds } : {});
    reset("");
  };

  const sendSticker = ({ id, name }: Emoji) => {
    if (secondsLeft > 0) showToast({ text: t("error.SLOW_MODE"), tone: "danger" });
    else if (hasRoom()) deliver(name, { stickerId: id });
  };

  // Leaving the channel cancels sending; the text stays as a draft.
  useEffect(() => () => waiting?.abort(), [waiting]);

  // The user can cancel the reply, or change who sees the message, while files are being uploaded.
  const sendNow = useHandler(send);
  const sendLater = async () => {
    const abort = new AbortController();
    setWaiting(abort);
    const isThere = await store.whenSettled(channel.id);
    if (abort.signal.aborted) return;
    setWaiting(null);
    if (isThere) sendNow();
  };

  const sendOnceUploaded = () => {
    if (isUnderWay) void sendLater();
    else send();
  };
  // Everyone would see a command that is sent as a message.
  const deferred = useRunWhenReady(hasUnknownNames, sendOnceUploaded, isLoadingCommands);
  useRetries(deferred.isLocked && isLoadingCommands, loads);
  const isWaiting = waiting !== null || deferred.isLocked;

  const submit = () => {
    if (canSend && !isWaiting) deferred.start();
  };

  const { stop } = deferred;
  const stopWaiting = useHandler(() => {
    stop();
    waiting?.abort();
    setWaiting(null);
  });

  // What was changed since isn't what the user wanted to send. Looked-up names only change one of the two.
  useEffect(
    () =>
      contents.subscribe((now, before) => {
        if (now.text !== before.text && now.wire !== before.wire) stopWaiting();
      }),
    [contents, stopWaiting],
  );
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- at each file that is added or removed
  useLayoutEffect(() => stop, [uploads.length, stop]);

  const isCommand = ofBot !== null || own !== null || ofPlugin !== null;
  return {
    canSend,
    isEmpty,
    isCommand,
    charsLeft,
    isLookingUp: hasUnknownNames || isLoadingCommands,
    isWaiting,
    waitsFor: waiting !== null ? "uploads" : deferred.isLocked && isLoadingCommands ? "commands" : null,
    submit,
    sendSticker,
    stopWaiting,
  };
}

/** What is loaded to know whether a text is a command. `isLoading` also after a failure. */
function useCommandLoads({ id, groupId }: Channel, enabled: boolean) {
  const ofBots = useCommands(id, { enabled });
  const permissions = useMyPermissions(groupId ?? "", { enabled: groupId !== null });
  const hasPlugins = useHasPlugins();
  // `Background` loads it.
  const ofPlugins = useActionQuery("plugin.list", {}, { enabled: false });
  const hasTheirs = usePlugins(({ isLoaded }) => isLoaded);
  const isLoading =
    ofBots.data === undefined ||
    (groupId !== null && permissions.data === undefined) ||
    (hasPlugins.data !== false && !hasTheirs);
  return { commands: ofBots.data, isLoading, loads: [ofBots, permissions, hasPlugins, ofPlugins] };
}

function countCharsLeft(content: string): number {
  return Math.min(COUNT_FROM_CHARS, LIMITS.messageMaxChars - content.length);
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
