import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { directPath } from "../../routes.ts";
import { errorText } from "../../shared/use-action.ts";
import { showToast } from "../../ui/toast.tsx";
import { isNotReachable } from "../friends/is-not-reachable.ts";

/** Goes to the direct channel with somebody, which is made where there is none; says why where that cannot be. */
export function useOpenDirect(): (userId: string) => Promise<void> {
  const { t } = useTranslation("directs");
  const call = useCall();
  const [, navigate] = useLocation();
  const isAccount = useMe().kind === "member";
  return useCallback(
    async (userId) => {
      try {
        const { channel } = await call("channel.openDirect", { userId });
        navigate(directPath(channel.id));
      } catch (error) {
        if (!isNotReachable(error)) return showToast({ text: errorText(error), tone: "danger" });
        const ask = () =>
          void call("friend.request", { userId }).then(
            () => showToast({ text: t("friends:add.requestedThem"), tone: "good" }),
            () => showToast({ text: t("friends:add.refused"), tone: "danger" }),
          );
        showToast({
          text: t("notReachable"),
          tone: "danger",
          ...(isAccount && { action: { label: t("members:action.befriend"), onClick: ask } }),
        });
      }
    },
    [t, call, navigate, isAccount],
  );
}
