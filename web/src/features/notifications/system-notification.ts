import { navigate } from "wouter/use-browser-location";
import { permissionNow } from "../user-settings/notifications/permission.ts";

export interface SystemNotification {
  title: string;
  body: string;
  /** A newer one of the same channel takes the place of the one before, also of one that was pushed. */
  channelId: string;
  /** Where a click leads. */
  path: string;
}

/** Has the system show something, if the browser was allowed to. */
export async function showSystemNotification(notification: SystemNotification): Promise<void> {
  if (permissionNow() !== "granted") return;
  const { title, body, channelId, path } = notification;
  const options = { body, tag: channelId, icon: "/icons/icon-192.png" };
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker?.active) {
    // The service worker hears the click, also when this tab is gone by then.
    await worker.showNotification(title, { ...options, badge: "/icons/badge-96.png", data: { path } });
    return;
  }
  const plain = new Notification(title, options);
  plain.addEventListener("click", () => {
    window.focus();
    navigate(path);
    plain.close();
  });
}

/** Takes away what the system shows of channels: they were read. */
export async function closeNotifications(channelIds: readonly string[]): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration();
  for (const tag of channelIds) {
    for (const notification of (await worker?.getNotifications({ tag })) ?? []) notification.close();
  }
}
