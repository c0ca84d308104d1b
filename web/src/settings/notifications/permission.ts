export type PermissionState = NotificationPermission | "unsupported";

/** `default` means that the browser hasn't asked yet. */
export function getPermission(): PermissionState {
  return "Notification" in window && window.isSecureContext ? Notification.permission : "unsupported";
}

/** Prompts the user if the permission hasn't been decided. */
export async function requestNotificationPermission(): Promise<PermissionState> {
  return getPermission() === "default" ? Notification.requestPermission() : getPermission();
}
