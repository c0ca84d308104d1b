import type { ToPage, ToWorker } from "./messages.ts";
import { notificationOf } from "./notification.ts";
import { planFor } from "./plan.ts";

// Keeps the application itself, so that it starts at once and while the server is away; shows pushes. Built by build/service-worker.ts.

declare const self: ServiceWorkerGlobalScope;
/** Both put in by the build: another version whenever something precached is another. */
declare const PRECACHE: readonly string[];
declare const VERSION: string;

const PREFIX = "fanfare-shell-";
const CACHE = PREFIX + VERSION;
const PAGE = "/";
const precached: ReadonlySet<string> = new Set(PRECACHE);
/** A network that is there but does not answer must not keep the page from starting. */
const PAGE_TIMEOUT_MS = 4000;
/** A file is the same whoever asks: `Vary: Origin` is for answers of the API. */
const ANY = { ignoreVary: true };
/** A page loads more than a hundred small files; what lists more than this is no page of ours. */
const MAX_KEEP = 500;

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
  else if (plan === "kept") event.respondWith(kept(request));
});
self.addEventListener("message", (event) => {
  const message = event.data as ToWorker;
  if (message.type === "takeOver") void self.skipWaiting();
  else event.waitUntil(keep(message.paths));
});
self.addEventListener("push", (event) => event.waitUntil(show(event.data)));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { path } = event.notification.data as { path: string };
  event.waitUntil(open(path));
});

async function precache(): Promise<void> {
  const cache = await caches.open(CACHE);
  // Names without a hash may stand for something older in the browser's own cache.
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
  let answer: Response | undefined;
  try {
    answer = await fetch(request, { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) });
    if (answer.status < 500) return answer;
  } catch {
    // Not reachable: what is kept, or the browser's own page.
  }
  const cache = await caches.open(CACHE);
  return (await cache.match(PAGE, ANY)) ?? answer ?? Response.error();
}

async function kept(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const found = await cache.match(request, ANY);
  if (found !== undefined) return found;
  const answer = await fetch(request);
  // Storage that is full is no reason to go without.
  if (answer.ok && answer.type === "basic") await cache.put(request, answer.clone()).catch(() => {});
  return answer;
}

async function keep(paths: readonly string[]): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const path of paths.slice(0, MAX_KEEP)) {
    if (!path.startsWith("/assets/") || (await cache.match(path, ANY)) !== undefined) continue;
    await cache.add(path).catch(() => {});
  }
}

async function show(data: PushMessageData | null): Promise<void> {
  let pushed: unknown = null;
  try {
    pushed = data?.json();
  } catch {
    // No JSON: shown without what it says, because browsers ask that every push shows something.
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
}

async function open(path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const [window] = windows.toSorted((one, other) => Number(other.focused) - Number(one.focused));
  if (window === undefined) {
    await self.clients.openWindow(path);
    return;
  }
  // Some browsers do not allow it: then the user goes there by themselves.
  await window.focus().catch(() => {});
  const message: ToPage = { type: "open", path };
  window.postMessage(message);
}
