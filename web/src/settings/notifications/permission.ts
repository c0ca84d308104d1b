export type PermissionState = NotificationPermission | "unsupported";

/** `default` means that the browser hasn't asked yet. */
export function permissionNow(): PermissionState {
  return "Notification" in window && window.isSecureContext ? Notification.permission : "unsupported";
}

/** Prompts the user if the permission hasn't been decided. */
export async function askPermission(): Promise<PermissionState> {
  return permissionNow() === "default" ? Notification.requestPermission() : permissionNow();
}
