import type { Params } from "@fanfare/contract";

/** At the first visit the service worker is still on its way. */
const WORKER_WITHIN_MS = 5000;

/** The service worker that shows pushes; null where this browser or this address has none. */
export async function pushWorker(): Promise<ServiceWorkerRegistration | null> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return null;
  const none = new Promise<null>((resolve) => setTimeout(() => resolve(null), WORKER_WITHIN_MS));
  return Promise.race([navigator.serviceWorker.ready, none]);
}

/**
 * Has the browser's push service send to this browser what comes with the server's key.
 * @throws {DOMException} when the browser does not allow it, or its push service is not reached
 */
export async function subscribeDevice(
  { pushManager }: ServiceWorkerRegistration,
  publicKey: string,
): Promise<Params<"push.subscribe">> {
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  let subscription: PushSubscription;
  try {
    subscription = await pushManager.subscribe(options);
  } catch (failure) {
    const former = await pushManager.getSubscription();
    if (former === null) throw failure;
    // It was made with another key.
    await former.unsubscribe();
    subscription = await pushManager.subscribe(options);
  }
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint: endpoint!, keys: { p256dh: keys!["p256dh"]!, auth: keys!["auth"]! } };
}

/** Ends it in this browser; answers its address, null where there was none. */
export async function unsubscribeDevice({ pushManager }: ServiceWorkerRegistration): Promise<string | null> {
  const subscription = await pushManager.getSubscription();
  await subscription?.unsubscribe();
  return subscription?.endpoint ?? null;
}
