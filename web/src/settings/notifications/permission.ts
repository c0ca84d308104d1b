export type PermissionState = NotificationPermission | "unsupported";

/** Whether this browser lets the page notify; `default`: it has not been asked. */
export function permissionNow(): PermissionState {
  return "Notification" in window && window.isSecureContext ? Notification.permission : "unsupported";
}

/** Has the browser ask, where it has not been decided. */
export async function askPermission(): Promise<PermissionState> {
  return permissionNow() === "default" ? Notification.requestPermission() : permissionNow();
}
