import { SHARED, type ToPage, type ToWorker, withNotifications } from "./messages.ts";
import { notificationOf, planFor, windowToUse } from "./plan.ts";

// Caches the application so that it starts fast and offline, and shows push notifications. Built by build/service-worker.ts.

declare const self: ServiceWorkerGlobalScope;
/** Set by the build. The version changes with any precached file. */
declare const PRECACHE: readonly string[];
declare const VERSION: string;

const PREFIX = "fanfare-shell-";
const CACHE = PREFIX + VERSION;
const PAGE = "/";
const precached: ReadonlySet<string> = new Set(PRECACHE);
/** If the network doesn't respond in time, the cached page is used. */
const PAGE_TIMEOUT_MS = 4000;
/** Files don't depend on the origin; `Vary: Origin` is for API responses. */
const ANY = { ignoreVary: true };
/** A page loads more than a hundred files; a longer list isn't from this application. */
const MAX_CACHED = 500;

self.addEventListener("install", (event) => event.waitUntil(precache()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname: path } = new URL(request.url);
  const plan = planFor(
    { method: request.method, mode: request.mode, origin, path },
    self.location.origin,
    precached,
  );
  if (plan === "page") event.respondWith(page(request));
  else if (plan === "kept") event.respondWith(cachedFile(request));
  else if (plan === "share") event.respondWith(share(request));
});
self.addEventListener("message", (event) => {
  const message = event.data as ToWorker;
  if (message.type === "takeOver") void self.skipWaiting();
  else event.waitUntil(cacheFiles(message.paths));
});
self.addEventListener("push", (event) => event.waitUntil(withNotifications(() => show(event.data))));
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renewSubscription()));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { path } = event.notification.data as { path: string };
  event.waitUntil(open(path));
});

async function precache(): Promise<void> {
  const cache = await caches.open(CACHE);
  // Bypasses the HTTP cache, which can have older versions of files without a hash in their name.
  await cache.addAll(PRECACHE.map((path) => new Request(path, { cache: "no-cache" })));
}

async function takeOver(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)),
  );
  await self.clients.claim();
}

async function page(request: Request): Promise<Response> {
  let response: Response | undefined;
  try {
    response = await fetch(request, { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) });
    if (response.status < 500) return response;
  } catch {
    // Offline: use the cache or the browser's error page.
  }
  const cache = await caches.open(CACHE);
  return (await cache.match(PAGE, ANY)) ?? response ?? Response.error();
}

async function cachedFile(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const found = await cache.match(request, ANY);
  if (found !== undefined) return found;
  const response = await fetch(request);
  // Full storage must not fail the request.
  if (response.ok && response.type === "basic") await cache.put(request, response.clone()).catch(() => {});
  return response;
}

/** Keeps the form for the page, which asks where to send it. */
async function share(request: Request): Promise<Response> {
  const headers = { "content-type": request.headers.get("content-type") ?? "" };
  try {
    const cache = await caches.open(SHARED.cache);
    await cache.put(SHARED.path, new Response(await request.blob(), { headers }));
  } catch {
    // Full storage: the page opens without it.
  }
  return Response.redirect(SHARED.path, 303);
}

async function cacheFiles(paths: readonly string[]): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const path of paths.slice(0, MAX_CACHED)) {
    if (!path.startsWith("/assets/") || (await cache.match(path, ANY)) !== undefined) continue;
    await cache.add(path).catch(() => {});
  }
}

async function show(data: PushMessageData | null): Promise<void> {
  let pushed: unknown = null;
  try {
    pushed = data?.json();
  } catch {
    // Invalid JSON: browsers require that every push shows a notification.
  }
  const { title, body, tag, path } = notificationOf(pushed);
  const icon = "/icons/icon-192.png";
  await self.registration.showNotification(title, {
    body,
    tag,
    icon,
    badge: "/icons/badge-96.png",
    data: { path },
  });
  // The number on the app's icon: channels with a notification. An opened page sets its own.
  const shown = await self.registration.getNotifications();
  await self.navigator.setAppBadge?.(shown.length).catch(() => {});
}

/** Only pages have a session, so they renew it. If none is open, the next one does so when it starts. */
async function renewSubscription(): Promise<void> {
  const message: ToPage = { type: "subscriptionChanged" };
  for (const window of await allWindows()) window.postMessage(message);
}

async function open(path: string): Promise<void> {
  const window = windowToUse(await allWindows());
  if (window === undefined) {
    await self.clients.openWindow(path);
    return;
  }
  // Not allowed by all browsers.
  await window.focus().catch(() => {});
  const message: ToPage = { type: "open", path };
  window.postMessage(message);
}

function allWindows(): Promise<readonly WindowClient[]> {
  return self.clients.matchAll({ type: "window", includeUncontrolled: true });
}
