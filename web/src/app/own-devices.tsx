import type { FanfareClient } from "@fanfare/client";
import type { Call, OwnUser } from "@fanfare/contract";
import { useEffect } from "react";
import { receiveModals } from "../channel/messages/bot-modals.tsx";
import { receiveEphemerals } from "../channel/messages/ephemerals.ts";
import { useCall } from "../data/call.ts";
import { useServerCache } from "../data/data-context.ts";
import { useLive } from "../data/frames.ts";
import { useMe } from "../data/me.ts";
import { useLoaded } from "../data/store.ts";
import { chooseLanguage, mailLanguage } from "../i18n/language.ts";
import { onUnsentDrafts, receiveDrafts, sendUnsentDrafts } from "../state/drafts.ts";
import {
  onUnsentPreferences,
  receivePreferences,
  sentPreferences,
  unsentPreferences,
} from "../state/preferences.ts";

/** A draft is sent once it hasn't changed for this time, or the page is hidden. */
const SEND_DRAFTS_AFTER_MS = 1500;

/** Keeps drafts and preferences the same on all of the user's devices. Without a connection, changes are sent later. */
export function OwnDevices() {
  const { client, store } = useServerCache();
  const call = useCall();
  const { preferences } = useMe();
  const { data: drafts } = useLoaded("draft.list", {}, (state) => state.drafts ?? undefined);
  // What was stored in an earlier visit can be older than this browser's own copy.
  const isOutdated = useLive(store, () => store.isOutdated);

  // Asked again in the effects, because the first one starts to load them.
  useEffect(() => {
    if (!isOutdated && !store.isOutdated) receivePreferences(preferences);
  }, [store, preferences, isOutdated]);
  useEffect(() => {
    if (isOutdated || store.isOutdated || drafts === undefined) return;
    const texts = Object.values(drafts).map(({ channelId, content }) => [channelId, content]);
    receiveDrafts(Object.fromEntries(texts));
  }, [store, drafts, isOutdated]);

  useEffect(() => receiveEphemerals(client), [client]);
  useEffect(() => receiveModals(client), [client]);

  useEffect(() => {
    const known = (channelId: string) => store.state.drafts?.[channelId]?.content ?? "";
    const sendDrafts = sender(client, () => sendUnsentDrafts(call, known));
    const sendPreferences = sender(client, () => sendUnsentPreferences(call, store.state.me));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(sendDrafts, SEND_DRAFTS_AFTER_MS);
    };
    const ends = [
      onUnsentDrafts(later),
      onUnsentPreferences(sendPreferences),
      client.on("ready", sendDrafts),
      client.on("ready", sendPreferences),
    ];
    document.addEventListener("visibilitychange", sendDrafts);
    sendDrafts();
    sendPreferences();
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", sendDrafts);
      for (const end of ends) end();
    };
  }, [client, store, call]);
  return null;
}

/** Runs one at a time, and again if it was called meanwhile. What fails is sent with the next change or connection. */
function sender(client: FanfareClient, send: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  const run = async (): Promise<void> => {
    isWanted = true;
    if (isRunning || client.state !== "online") return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await send().catch(() => undefined);
    }
    isRunning = false;
  };
  return () => void run();
}

async function sendUnsentPreferences(call: Call, me: OwnUser | null): Promise<void> {
  const changes = unsentPreferences();
  if (Object.keys(changes).length === 0) return;
  await call("user.setPreferences", changes);
  const { language } = changes;
  // Mails and push notifications are in the language of the page.
  const locale = mailLanguage(chooseLanguage(language, navigator.languages));
  if (language !== undefined && locale !== me?.locale) await call("user.updateProfile", { locale });
  sentPreferences(changes);
}
