import { useTranslation } from "react-i18next";
import { deviceOf } from "./device.ts";

/** How to call what a session was opened with. */
export function useDeviceName(): (userAgent: string | null) => string {
  const { t } = useTranslation("settings");
  return (userAgent) => {
    const { browser, system } = deviceOf(userAgent);
    if (browser !== null && system !== null) return t("sessions.device", { browser, system });
    return browser ?? system ?? (userAgent === null || userAgent === "" ? t("sessions.unknown") : userAgent);
  };
}
