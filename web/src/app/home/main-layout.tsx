import type { Group } from "@fanfare/contract";
import { type ComponentType, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { useRoute, useLocation, useSearch as useAddressQuery } from "wouter";
import { useGroup } from "../../data/groups.ts";
import { useMe } from "../../data/me.ts";
import { parsePlace, ROUTES } from "../../routes.ts";
import { lastPlaces } from "../../state/last-channel.ts";
import { composerFieldId } from "../../composer/field.ts";
import { type CurrentCall, useCurrentCall } from "../../calls/call-store.ts";
import { offerInvite, useIsNewGroup } from "../../groups/new-group.ts";
import { ClaimBanner } from "../../session/claim-banner.tsx";
import { Megaphone, Wrench } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useServerNotices } from "../../data/store.ts";
import { useIsPhone } from "../../ui/hooks.ts";
import { pullDrawer, useSwipe } from "../../ui/swipe.ts";
import { Banner, ConnectionBanner } from "../shell/connection-banner.tsx";
import { PanelSlot, useShell } from "../shell/page-header.tsx";
import { Main } from "../../ui/main.tsx";
import { useFirstShown } from "../../shared/first-shown.ts";
import { afterFirst, later, lazy, TypedAhead } from "../../shared/later.tsx";
import { openPanel, usePanels } from "../../state/panels.ts";
import { useHasSearch, usePlace } from "../shortcuts/use-place.ts";
import { closeSearch, hasSearchEntry, useSearchHistory } from "../../search/search-store.ts";
import "../../search/search.css";

/** The page is shown before the lists beside it. */
const Lists = afterFirst(async () => (await import("../next.ts")).Lists, EmptyLists);
const PhoneCallBar = later(async () => (await import("../../calls/call-bar.tsx")).PhoneCallBar);

export function MainLayout({ children }: { children: ReactNode }) {
  const [, place] = useRoute("/groups/:groupId/*?");
  const channelId = place?.["*"]?.split("/")[1];
  const group = useGroup(place?.groupId ?? "");
  const lastGroup = useLastGroup();
  const [path] = useLocation();
  // Conversations report it once they have messages.
  useFirstShown(usePlace() === null && path !== ROUTES.landing);
  // Pages outside groups keep the sidebar of the last group.
  const listed = group ?? lastGroup;
  return (
    <AppShell lists={<Lists groupId={listed?.id} channelId={channelId} />}>
      <ClaimBanner />
      {group !== undefined && <NewGroupInvite group={group} channelId={channelId} />}
      {children}
      <SearchPanelHost />
    </AppShell>
  );
}

function useLastGroup() {
  const me = useMe();
  const [, , groupId = ""] = lastPlaces(me.id).path?.split("/") ?? [];
  return useGroup(groupId);
}

/** Shown once after creating a group. */
const InviteDialog = lazy(async () => (await import("../../groups/invites/invites.tsx")).InviteDialog);

function NewGroupInvite({ group, channelId = "" }: { group: Group; channelId: string | undefined }) {
  if (!useIsNewGroup(group.id)) return null;
  return (
    <Suspense>
      <InviteDialog
        group={group}
        onClose={() => offerInvite(null)}
        finalFocus={() => document.getElementById(composerFieldId(channelId))}
      />
    </Suspense>
  );
}

/** A bar that is only loaded for a call. */
export function InCall({ bar: Bar }: { bar: ComponentType<{ current: CurrentCall }> }) {
  const current = useCurrentCall();
  return current === null ? null : <Bar current={current} />;
}

interface AppShellProps {
  lists: ReactNode;
  /** A PageHeader and the page; can contain a SidePanel. */
  children: ReactNode;
}

/** rail | sidebar | main | panel. On phones one column, with rail and sidebar in a drawer that a swipe to the right opens. */
function AppShell({ lists, children }: AppShellProps) {
  const { t } = useTranslation("shell");
  const isPhone = useIsPhone();
  const { setDrawerAt } = useShell();
  const [path] = useLocation();
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const page = useRef<HTMLDivElement>(null);
  // On phones, lists and panels cover the page. The search can be what Back leads to.
  useEffect(
    () => () => {
      setDrawerAt(null);
      if (isPhone && !hasSearchEntry()) openPanel(null);
    },
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- navigation closes it
    [isPhone, path, setDrawerAt],
  );
  useSwipe(page, "end", () => (isPhone ? pullDrawer((isOpen) => setDrawerAt(isOpen ? path : null)) : null));
  return (
    <div className="flex min-h-0 flex-1">
      <a
        href="#main"
        className="sr-only rounded-md bg-raised px-4 py-2 font-medium text-accent-text shadow-raised focus:not-sr-only focus:fixed focus:top-2 focus:start-2 focus:z-60"
      >
        {t("skipToContent")}
      </a>
      {lists}
      <div ref={page} className="flex min-w-0 flex-1 flex-col max-md:swipe-x">
        <ConnectionBanner />
        <NoticeBanners />
        {isPhone && <InCall bar={PhoneCallBar} />}
        <div className="flex min-h-0 flex-1">
          <Main className="flex min-w-0 flex-1 flex-col">
            <PanelSlot value={slot}>{children}</PanelSlot>
          </Main>
          <div ref={setSlot} className="contents" />
        </div>
      </div>
    </div>
  );
}

/** Has the size of the lists, so that the page doesn't move when they are there. */
function EmptyLists() {
  return !useIsPhone() && <ListColumns />;
}

export function ListColumns({ rail, sidebar }: { rail?: ReactNode; sidebar?: ReactNode }) {
  return (
    <>
      <div className="flex w-16 shrink-0 flex-col overflow-y-auto bg-rail pt-[env(safe-area-inset-top)]">
        {rail}
      </div>
      <div className="flex min-w-0 flex-1 flex-col border-line bg-sidebar pt-[env(safe-area-inset-top)] md:w-64 md:flex-none md:border-e">
        {sidebar}
      </div>
    </>
  );
}

function NoticeBanners() {
  const { t } = useTranslation("shell");
  const { announcement, pausedBecause, dismiss } = useServerNotices();
  return (
    <>
      <Banner isShown={pausedBecause !== null} icon={<Wrench size={16} aria-hidden />}>
        {t("shared:error.MAINTENANCE")} {pausedBecause}
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

// Here, because styles that belong to code loaded later stay missing if they failed once.

const SearchPanel = later(
  async () => (await import("../../search/search-panel.tsx")).SearchPanel,
  () => <TypedAhead onClose={closeSearch} />,
);

/** Renders the open search panel. A thread takes its place. */
function SearchPanelHost() {
  const place = usePlace();
  const hasSearch = useHasSearch();
  const isOpen = usePanels(({ panel }) => panel === "search");
  const { thread } = parsePlace(useAddressQuery());
  const isShown = isOpen && hasSearch && thread === undefined;
  useSearchHistory(isShown);
  return isShown && <SearchPanel place={place} />;
}
