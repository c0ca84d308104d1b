import { Megaphone, Wrench } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useServerNotices } from "../../data/server-notices.ts";
import { Banner } from "./banner.tsx";

/** What those who run the server say to everybody: that nothing can be changed for now, and anything else. */
export function NoticeBanners() {
  const { t } = useTranslation("shell");
  const { announcement, pausedBecause, dismiss } = useServerNotices();
  return (
    <>
      <Banner isShown={pausedBecause !== null} icon={<Wrench size={16} aria-hidden />}>
        {t("paused")} {pausedBecause}
      </Banner>
      <Banner
        isShown={announcement !== null}
        icon={<Megaphone size={16} aria-hidden />}
        tone="accent"
        onDismiss={dismiss}
      >
        {announcement?.text}
      </Banner>
    </>
  );
}
