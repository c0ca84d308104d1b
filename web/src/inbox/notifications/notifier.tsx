import type { Message } from "@fanfare/contract";
import { textOf } from "@fanfare/contract/cards";
import i18next from "i18next";
import { useEffect, useRef } from "react";
import { navigate } from "wouter/use-browser-location";
import { callText } from "../../calls/call-text.ts";
import { useBlocked } from "../../data/me.ts";
import type { ServerCache } from "../../data/cache.ts";
import { useServerCache } from "../../data/data-context.ts";
import { useNotificationPreferences, useNotificationSettings, useUnreadChannels } from "../../data/inbox.ts";
import { useOwnStatus } from "../../data/presence.ts";
import { isInAddress } from "../../data/shown-channels.ts";
import { inboxPath, placePath } from "../../routes.ts";
import { setPreferences, usePreferences } from "../../state/preferences.ts";
import { loadStored, saveStored } from "../../state/stored.ts";
import { showToast } from "../../ui/feedback.tsx";
import { lex, plainText } from "../../channel/messages/markdown/lex.ts";
import { watchMessages, watchReminders, type Notice, type NotifierState } from "./watch-messages.ts";
import { withNotifications } from "../../service-worker/messages.ts";
import { pause } from "../../shared/pause.ts";

const MAX_CHARS = 200;

const NEW_MESSAGE: readonly Note[] = [
  { hertz: 659, atS: 0 },
  { hertz: 880, atS: 0.11 },
];

const KEY = "fanfare.notificationHint";

/** The maximum delay of a message between tabs. */
const CLAIM_TTL_MS = 10_000;

/** Hidden tabs give a visible one this much time to notify first. */
const HIDDEN_TAB_DELAY_MS = 250;

/** Notifies about messages: inside the page, or with a system notification if no tab is visible. */
export function Notifier() {
  const cache = useServerCache();
  useNotificationSettings();
  const { data: blocked } = useBlocked();
  const { data: status } = useOwnStatus();
  useNotificationPreferences();
  const { data: unread } = useUnreadChannels();
  const wasUnread = useRef<ReadonlySet<string>>(new Set());
  const notifierState = useRef<NotifierState>({ blockedIds: [], doNotDisturb: false });
  useEffect(() => {
    notifierState.current = {
      blockedIds: blocked?.map(({ id }) => id) ?? [],
      doNotDisturb: status === "doNotDisturb",
    };
  }, [blocked, status]);
  useEffect(
    () =>
      watchMessages(
        cache,
        () => notifierState.current,
        (notice) => void notify(cache, notice),
      ),
    [cache],
  );
  useEffect(() => watchReminders(cache, (notice) => void notify(cache, notice)), [cache]);
  useEffect(() => {
    if (unread === undefined) return;
    const now = new Set(unread.map(({ channelId }) => channelId));
    const read = [...wasUnread.current].filter((id) => !now.has(id));
    wasUnread.current = now;
    if (read.length > 0) void closeNotifications(read);
  }, [unread]);
  return null;
}

async function notify(cache: ServerCache, notice: Notice): Promise<void> {
  const { message, reason } = notice;
  if (!(await claim(`${cache.client.user?.id} ${message.id}`))) return;
  if (isPageActive() && reason !== "reminder" && isShown(notice)) return;
  const { desktopNotifications, notificationSounds } = usePreferences.getState();
  if (notificationSounds) playNotes(NEW_MESSAGE);
  const words = await describeNotice(cache, notice);
  if (!isPageActive()) {
    if (desktopNotifications) await showSystemNotification(words);
  } else if (reason !== "any") {
    showToast({
      text: `${words.title}: ${words.body}`,
      action: { label: i18next.t("inbox:view"), onClick: () => navigate(words.path) },
    });
  }
  offerPermissionOnce();
}

/** Whether the message is visible already, in its channel or in the open inbox. */
function isShown({ channel, reason }: Notice): boolean {
  return isInAddress(channel.id) || (location.pathname === inboxPath() && reason === "mention");
}

export function isPageActive(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}

/**
 * Whether this tab shows the notification: the first tab of the browser that claims it. Without Web Locks (pages without https), every tab
 * does.
 */
export async function claim(name: string): Promise<boolean> {
  if (!isPageActive()) await pause(HIDDEN_TAB_DELAY_MS);
  if (!("locks" in navigator)) return true;
  return new Promise((resolve) => {
    void navigator.locks.request(`fanfare.${name}`, { ifAvailable: true }, async (lock) => {
      resolve(lock !== null);
      if (lock !== null) await pause(CLAIM_TTL_MS);
    });
  });
}

/** Offers browser notifications once per browser, at the first notification. Permission is requested only if the user accepts. */
function offerPermissionOnce(): void {
  if (getPermission() !== "default" || usePreferences.getState().desktopNotifications) return;
  if (loadStored(KEY) !== null) return;
  saveStored(KEY, true);
  showToast({
    text: i18next.t("inbox:notifyHint"),
    action: { label: i18next.t("common:turnOn"), onClick: () => void turnOn() },
  });
}

async function turnOn(): Promise<void> {
  if ((await requestNotificationPermission()) === "granted") setPreferences({ desktopNotifications: true });
}

async function describeNotice(
  cache: ServerCache,
  { message, channel, reason }: Notice,
): Promise<SystemNotification> {
  const author =
    message.as === undefined
      ? await nameOf(cache, message.authorId, channel.groupId)
      : i18next.t("inbox:fromWebhook", { name: message.as.name });
  const { groupId, name, id, parentId } = channel;
  const group = cache.store.state.groups?.[groupId ?? ""]?.name;
  const place = groupId === null ? name : [`#${name}`, group].filter(Boolean).join(", ");
  const path =
    parentId === null
      ? placePath(groupId, id, { message: message.id })
      : placePath(groupId, parentId, { thread: id, message: message.id });
  const title = place === "" ? author : `${author} (${place})`;
  return {
    title: reason === "reminder" ? i18next.t("inbox:reminderOf", { title }) : title,
    body: await bodyOf(cache, message, groupId),
    tag: id,
    path,
  };
}

async function bodyOf(cache: ServerCache, message: Message, groupId: string | null): Promise<string> {
  const { call, content, sticker } = message;
  if (call !== undefined) return callText(call, message.authorId === cache.client.user?.id);
  if (sticker !== undefined) return i18next.t(`messages:sticker.${sticker.kind}`, { name: content });
  const text = plainText(lex(textOf(message).slice(0, MAX_CHARS * 2)));
  const ids = [...new Set([...text.matchAll(/<@([0-9a-f]{24})>/g)].map(([, id]) => id!))];
  const named = ids.map(async (id) => [id, await nameOf(cache, id, groupId)] as const);
  const names = new Map(await Promise.all(named));
  const readable = text
    .replaceAll(/<@([0-9a-f]{24})>/g, (token, id: string) => `@${names.get(id) ?? token}`)
    .replaceAll(/<(@&|#)[0-9a-f]{24}>/g, (_, sign: string) => `${sign[0]}…`)
    .trim();
  if (readable === "") return i18next.t("inbox:sentFile");
  const chars = Array.from(readable);
  return chars.length > MAX_CHARS ? `${chars.slice(0, MAX_CHARS).join("")}…` : readable;
}

async function nameOf(cache: ServerCache, userId: string, groupId: string | null): Promise<string> {
  const { nicknames, users } = cache.store.state;
  const known = nicknames[groupId ?? ""]?.[userId]?.nickname ?? users[userId]?.nickname;
  if (known !== undefined) return known;
  const response = await cache.client.call("user.getMany", { userIds: [userId] }).catch(() => null);
  return response?.users[0]?.nickname ?? "…";
}

interface SystemNotification {
  title: string;
  body: string;
  /** Replaces an earlier notification with the same tag. With the channel's ID, also a pushed one. */
  tag: string;
  path: string;
}

/** Does nothing without the browser's permission. */
export async function showSystemNotification(notification: SystemNotification): Promise<void> {
  if (getPermission() !== "granted") return;
  const { title, body, tag, path } = notification;
  const options = { body, tag, icon: "/icons/icon-192.png" };
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker?.active) {
    // The service worker handles the click, even after this tab is closed.
    const shown = { ...options, badge: "/icons/badge-96.png", data: { path } };
    await withNotifications(() => worker.showNotification(title, shown));
    return;
  }
  const plain = new Notification(title, options);
  plain.addEventListener("click", () => {
    window.focus();
    navigate(path);
    plain.close();
  });
}

export async function closeNotifications(tags: readonly string[]): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker === undefined) return;
  const shown = await withNotifications(() => worker.getNotifications());
  for (const notification of shown) if (tags.includes(notification.tag)) notification.close();
}

/** The frequency and start of a note. */
export interface Note {
  hertz: number;
  atS: number;
}

const NOTE_S = 0.22;
const VOLUME = 0.08;

let audio: AudioContext | null = null;

export function playNotes(notes: readonly Note[]): void {
  audio ??= new AudioContext();
  if (audio.state === "suspended") void audio.resume();
  for (const { hertz, atS } of notes) {
    const note = audio.createOscillator();
    const loudness = audio.createGain();
    const startS = audio.currentTime + atS;
    note.frequency.value = hertz;
    loudness.gain.setValueAtTime(VOLUME, startS);
    loudness.gain.exponentialRampToValueAtTime(0.0001, startS + NOTE_S);
    note.connect(loudness).connect(audio.destination);
    note.start(startS);
    note.stop(startS + NOTE_S);
  }
}

export type PermissionState = NotificationPermission | "unsupported";

/** `default` means that the browser hasn't asked yet. */
export function getPermission(): PermissionState {
  return "Notification" in window && window.isSecureContext ? Notification.permission : "unsupported";
}

/** Prompts the user if the permission hasn't been decided. */
export async function requestNotificationPermission(): Promise<PermissionState> {
  return getPermission() === "default" ? Notification.requestPermission() : getPermission();
}
