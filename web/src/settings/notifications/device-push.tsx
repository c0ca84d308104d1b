import type { Call, Params } from "@fanfare/contract";
import { useEffect } from "react";
import { useCall } from "../../data/call.ts";
import { useServerCache } from "../../data/data-context.ts";
import { usePushSubscriptions } from "../../data/inbox.ts";
import type { ToPage } from "../../service-worker/messages.ts";
import { useHandler } from "../../shared/hooks.ts";
import { loadStored, saveStored } from "../../state/stored.ts";

declare global {
  interface Window {
    /** Set by the apps for Android and iOS in web/shells/mobile. `push`: the endpoint of this app. */
    fanfareApp?: { push: `${"fcm" | "apns"}:${string}` };
  }
}

const KEY = "fanfare.push";
/** On the first visit, the service worker is still being installed. */
const WORKER_WITHIN_MS = 5000;

/** What the server has. It belongs to the session: another user can have logged in since. */
interface Subscribed {
  sessionId: string;
  endpoint: string;
}

/**
 * Google, Apple and browsers replace an endpoint now and then, and the server removes those that have expired: if this session is
 * subscribed, the server gets the new one.
 */
export function PushRenewal() {
  const { client } = useServerCache();
  const call = useCall();
  const { data: subscriptions } = usePushSubscriptions();
  const sessionId = client.tokens?.sessionId;
  const isOn = subscriptions?.some((one) => one.sessionId === sessionId);
  const renew = useHandler(async (isOn: boolean) => {
    const known = loadStored(KEY) as Subscribed | null;
    if (sessionId === undefined || (!isOn && known?.sessionId !== sessionId)) return;
    try {
      if (known !== null && (await currentEndpoint()) === known.endpoint) {
        if (isOn) return;
        // The push service refused it, which this browser hasn't noticed.
        const former = window.fanfareApp === undefined ? await browserSubscription() : null;
        // Another tab may have renewed it meanwhile.
        if ((loadStored(KEY) as Subscribed | null)?.endpoint !== known.endpoint) return;
        if (former?.endpoint === known.endpoint) await former.unsubscribe();
      }
      await subscribeDevice(call, sessionId, (await client.call("push.getKey", {})).publicKey);
    } catch {
      // The next start tries again.
    }
  });
  useEffect(() => {
    if (isOn === undefined) return undefined;
    renew(isOn);
    const stop = new AbortController();
    const onMessage = ({ data }: MessageEvent<ToPage>) => data.type === "subscriptionChanged" && renew(isOn);
    navigator.serviceWorker?.addEventListener("message", onMessage, { signal: stop.signal });
    return () => stop.abort();
  }, [renew, isOn]);
  return null;
}

/**
 * Subscribes this app or browser to push notifications.
 * @param publicKey the server's
 * @throws {DOMException} if the browser refuses or its push service can't be reached
 */
export async function subscribeDevice(call: Call, sessionId: string, publicKey: string): Promise<void> {
  const app = window.fanfareApp?.push;
  const params = app === undefined ? await subscribeBrowser(publicKey) : { endpoint: app };
  await call("push.subscribe", params);
  saveStored(KEY, { sessionId, endpoint: params.endpoint } satisfies Subscribed);
}

export async function unsubscribeDevice(call: Call): Promise<void> {
  const app = window.fanfareApp?.push;
  const former = app === undefined ? await browserSubscription() : null;
  await former?.unsubscribe();
  saveStored(KEY, null);
  // Without the endpoint, which can have changed, the server ends the session's subscription.
  await call("push.unsubscribe", { endpoint: app ?? former?.endpoint ?? "" });
}

async function currentEndpoint(): Promise<string | undefined> {
  return window.fanfareApp?.push ?? (await browserSubscription())?.endpoint;
}

async function browserSubscription(): Promise<PushSubscription | null> {
  return (await pushWorker())?.pushManager.getSubscription() ?? null;
}

async function subscribeBrowser(publicKey: string): Promise<Params<"push.subscribe">> {
  const { pushManager } = (await pushWorker())!;
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  let subscription: PushSubscription;
  try {
    subscription = await pushManager.subscribe(options);
  } catch (failure) {
    const former = await pushManager.getSubscription();
    if (former === null) throw failure;
    // The subscription used another key.
    await former.unsubscribe();
    subscription = await pushManager.subscribe(options);
  }
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint: endpoint!, keys: { p256dh: keys!["p256dh"]!, auth: keys!["auth"]! } };
}

/** The service worker that shows push notifications; null if the browser or address doesn't support them. */
export async function pushWorker(): Promise<ServiceWorkerRegistration | null> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return null;
  const none = new Promise<null>((resolve) => setTimeout(() => resolve(null), WORKER_WITHIN_MS));
  return Promise.race([navigator.serviceWorker.ready, none]);
}
