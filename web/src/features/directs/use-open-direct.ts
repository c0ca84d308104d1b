import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { directPath } from "../../routes.ts";
import { errorText } from "../../shared/error-text.ts";
import { showToast } from "../../ui/toast.tsx";
import { isNotReachable } from "../friends/is-not-reachable.ts";

/** Goes to the direct channel with somebody, which is made where there is none; says why where that cannot be. */
export function useOpenDirect(): (userId: string) => Promise<void> {
  const { t } = useTranslation("directs");
  const call = useCall();
  const [, navigate] = useLocation();
  return useCallback(
    async (userId) => {
      try {
        const { channel } = await call("channel.openDirect", { userId });
        navigate(directPath(channel.id));
      } catch (error) {
        showToast({ text: isNotReachable(error) ? t("notReachable") : errorText(error), tone: "danger" });
      }
    },
    [t, call, navigate],
  );
}
