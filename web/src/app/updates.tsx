import { create } from "zustand";
import { navigate } from "wouter/use-browser-location";
import type { ToPage, ToWorker } from "../service-worker/messages.ts";
import { Sparkles } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { firstShown } from "../shared/first-shown.ts";
import { Button } from "../ui/button.tsx";

interface UpdateState {
  /** Activates the new version and reloads the page; null if there is none. */
  apply: (() => void) | null;
}

const useUpdate = create<UpdateState>(() => ({ apply: null }));

const CHECK_INTERVAL_MS = 60 * 60_000;

/** Registers the service worker and watches for new versions. Does nothing in development. */
export function startServiceWorker(): void {
  // The server no longer has a chunk of this version.
  addEventListener("vite:preloadError", () => {
    if (navigator.onLine) offer(() => location.reload());
  });
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
    if (data.type === "open") navigate(data.path);
  });
  // What it stores must not share the bandwidth with the first page.
  void firstShown.then(register);
}

async function register(): Promise<void> {
  const { serviceWorker } = navigator;
  let isControlled = serviceWorker.controller !== null;
  let registration: ServiceWorkerRegistration;
  try {
    registration = await serviceWorker.register("/sw.js");
  } catch {
    // Private windows or disabled storage: the page works without a service worker.
    return;
  }
  serviceWorker.addEventListener("controllerchange", () => {
    // Another tab activated the new version.
    if (isControlled) offer(() => location.reload());
    else cacheLoaded();
    isControlled = true;
  });
  if (registration.waiting !== null && isControlled) offerWorker(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing: worker, active } = registration;
    // The first one is no update. WebKit reports it as installed after it has taken control.
    if (active === null) return;
    worker?.addEventListener("statechange", () => {
      if (worker.state === "installed" && serviceWorker.controller !== null) offerWorker(worker);
    });
  });
  setInterval(() => void registration.update().catch(() => {}), CHECK_INTERVAL_MS);
  cacheLoaded();
}

function offer(apply: () => void): void {
  useUpdate.setState({ apply });
}

function offerWorker(worker: ServiceWorker): void {
  offer(() => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
    postToWorker(worker, { type: "takeOver" });
  });
}

function postToWorker(worker: ServiceWorker, message: ToWorker): void {
  worker.postMessage(message);
}

/**
 * The service worker caches what it fetches from now on. Files that were loaded before it took control are reported to it, including
 * requests that were in flight.
 */
function cacheLoaded(): void {
  const { controller } = navigator.serviceWorker;
  if (controller === null) return;
  const tellOf = (entries: PerformanceEntryList): void => {
    const paths = (entries as PerformanceResourceTiming[])
      .filter(isOwn)
      .map(({ name }) => new URL(name).pathname);
    if (paths.length > 0) postToWorker(controller, { type: "keep", paths });
  };
  new PerformanceObserver((list) => tellOf(list.getEntries())).observe({ type: "resource", buffered: true });
}

function isOwn({ name, workerStart }: PerformanceResourceTiming): boolean {
  return workerStart === 0 && new URL(name).origin === location.origin;
}

export function UpdatePrompt() {
  const { t } = useTranslation("ui");
  const apply = useUpdate((state) => state.apply);
  const [putOff, setPutOff] = useState<(() => void) | null>(null);
  const shown = apply !== null && apply !== putOff;
  return (
    <div role="status">
      {shown && (
        <div className="fixed inset-x-3 bottom-[calc(env(safe-area-inset-bottom)+5.5rem)] z-30 mx-auto flex max-w-md flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line bg-raised px-4 py-3 shadow-raised md:bottom-24">
          <Sparkles size={18} aria-hidden className="shrink-0 text-accent-text" />
          <p className="min-w-40 flex-1 text-sm">{t("newVersion")}</p>
          <div className="flex gap-1">
            <Button size="sm" variant="ghost" onClick={() => setPutOff(() => apply)}>
              {t("later")}
            </Button>
            <Button size="sm" variant="primary" onClick={apply}>
              {t("reload")}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}
