import { Megaphone, Wrench } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useServerNotices } from "../../data/store.ts";
import { Drawer } from "../../ui/drawer.tsx";
import { useIsPhone } from "../../ui/hooks.ts";
import { Banner } from "./banner.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { PanelSlot } from "./panel-slot.ts";
import { useShell } from "./shell-store.ts";

interface AppShellProps {
  /** The groups: 64 px at the left. */
  rail: ReactNode;
  /** What is in the place: channels, or direct messages. */
  sidebar: ReactNode;
  /** A PageHeader, then the page; a SidePanel anywhere in it stands beside it. */
  children: ReactNode;
}

/** Where everything stands: rail | sidebar | main | panel; on phones one column, with rail and sidebar in a drawer. */
export function AppShell({ rail, sidebar, children }: AppShellProps) {
  const { t } = useTranslation("shell");
  const isPhone = useIsPhone();
  const { drawerAt, setDrawerAt } = useShell();
  const [path] = useLocation();
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const lists = (
    <>
      <div className="flex w-16 shrink-0 flex-col overflow-y-auto bg-rail pt-[env(safe-area-inset-top)]">
        {rail}
      </div>
      <div className="flex min-w-0 flex-1 flex-col border-line bg-sidebar pt-[env(safe-area-inset-top)] md:w-64 md:flex-none md:border-r">
        {sidebar}
      </div>
    </>
  );
  return (
    <div className="flex min-h-0 flex-1">
      <a
        href="#main"
        className="sr-only rounded-md bg-raised px-4 py-2 font-medium text-accent-text shadow-raised focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-60"
      >
        {t("skipToContent")}
      </a>
      {isPhone ? (
        <Drawer open={drawerAt === path} onClose={() => setDrawerAt(null)} label={t("lists")}>
          {lists}
        </Drawer>
      ) : (
        lists
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <ConnectionBanner />
        <NoticeBanners />
        <div className="flex min-h-0 flex-1">
          <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
            <PanelSlot value={slot}>{children}</PanelSlot>
          </main>
          <div ref={setSlot} className="contents" />
        </div>
      </div>
    </div>
  );
}

/** Notices by the admins: maintenance and announcements. */
function NoticeBanners() {
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
