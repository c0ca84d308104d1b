import { navigate } from "wouter/use-browser-location";
import type { ToPage, ToWorker } from "../../service-worker/messages.ts";
import { useUpdate } from "./update-store.ts";

const LOOK_EVERY_MS = 60 * 60_000;

/** Registers the service worker where there is one, and learns of new versions. Does nothing while developing. */
export function startServiceWorker(): void {
  // A chunk of a version that the server no longer has.
  addEventListener("vite:preloadError", () => offer(() => location.reload()));
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
    if (data.type === "open") navigate(data.path);
  });
  // What the page itself needs comes first.
  addEventListener("load", () => void register());
  if (document.readyState === "complete") void register();
}

async function register(): Promise<void> {
  const { serviceWorker } = navigator;
  const wasControlled = serviceWorker.controller !== null;
  let registration: ServiceWorkerRegistration;
  try {
    registration = await serviceWorker.register("/sw.js");
  } catch {
    // A private window, or storage that is off: the page works without.
    return;
  }
  serviceWorker.addEventListener("controllerchange", () => {
    // Another window has brought the new version in.
    if (wasControlled) offer(() => location.reload());
    else keepLoaded();
  });
  if (registration.waiting !== null && wasControlled) offerWorker(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const worker = registration.installing;
    worker?.addEventListener("statechange", () => {
      if (worker.state === "installed" && serviceWorker.controller !== null) offerWorker(worker);
    });
  });
  setInterval(() => void registration.update().catch(() => {}), LOOK_EVERY_MS);
  keepLoaded();
}

function offer(apply: () => void): void {
  useUpdate.setState({ apply });
}

function offerWorker(worker: ServiceWorker): void {
  offer(() => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
    tell(worker, { type: "takeOver" });
  });
}

function tell(worker: ServiceWorker, message: ToWorker): void {
  worker.postMessage(message);
}

/**
 * The service worker sees by itself what is asked for from here on. What the page has loaded without it, it is told: also what was
 * under way when it came, which is listed once it is there.
 */
function keepLoaded(): void {
  const { controller } = navigator.serviceWorker;
  if (controller === null) return;
  const tellOf = (entries: PerformanceEntryList): void => {
    const paths = (entries as PerformanceResourceTiming[])
      .filter(isOwn)
      .map(({ name }) => new URL(name).pathname);
    if (paths.length > 0) tell(controller, { type: "keep", paths });
  };
  new PerformanceObserver((list) => tellOf(list.getEntries())).observe({ type: "resource", buffered: true });
}

function isOwn({ name, workerStart }: PerformanceResourceTiming): boolean {
  return workerStart === 0 && new URL(name).origin === location.origin;
}
