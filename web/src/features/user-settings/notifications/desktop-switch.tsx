import { useState } from "react";
import { useTranslation } from "react-i18next";
import { setPreferences, usePreferences } from "../../../state/preferences.ts";
import { Switch } from "../../../ui/switch.tsx";
import { askPermission, type PermissionState, permissionNow } from "./permission.ts";

/** Notifications of the browser, which it has to allow. */
export function DesktopSwitch() {
  const { t } = useTranslation("user-settings");
  const isWanted = usePreferences((preferences) => preferences.desktopNotifications);
  const [permission, setPermission] = useState<PermissionState>(permissionNow);
  const change = async (desktopNotifications: boolean) => {
    if (!desktopNotifications) return setPreferences({ desktopNotifications });
    const answer = await askPermission();
    setPermission(answer);
    setPreferences({ desktopNotifications: answer === "granted" });
  };
  return (
    <Switch
      label={t("notify.desktop")}
      hint={permission === "granted" || permission === "default" ? undefined : t(`notify.${permission}`)}
      checked={isWanted && permission === "granted"}
      disabled={permission === "unsupported"}
      onChange={(isOn) => void change(isOn)}
    />
  );
}
