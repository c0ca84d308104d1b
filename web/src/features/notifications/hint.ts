import i18next from "i18next";
import { setPreferences, usePreferences } from "../../state/preferences.ts";
import { loadStored, saveStored } from "../../state/stored.ts";
import { showToast } from "../../ui/toast.tsx";
import { askPermission, permissionNow } from "../user-settings/notifications/permission.ts";

const KEY = "fanfare.notificationHint";

/** Once in a browser, when there was something to be told of: that the browser can tell it. It is asked only when the user wants it. */
export function hintOnce(): void {
  if (permissionNow() !== "default" || usePreferences.getState().desktopNotifications) return;
  if (loadStored(KEY) !== null) return;
  saveStored(KEY, true);
  showToast({
    text: i18next.t("notifications:hint"),
    action: { label: i18next.t("notifications:turnOn"), onClick: () => void turnOn() },
  });
}

async function turnOn(): Promise<void> {
  if ((await askPermission()) === "granted") setPreferences({ desktopNotifications: true });
}
