import { create } from "zustand";
import { type LucideIcon, Menu as MenuIcon } from "lucide-react";
import { type ComponentProps, createContext, type ReactNode, type Ref } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { cx } from "../../ui/cx.ts";
import { IconButton } from "../../ui/button.tsx";
import { usePageTitle } from "../../ui/hooks.ts";
import { Spinner, Pending } from "../../ui/feedback.tsx";

interface ShellState {
  /** The path on which a phone's drawer was opened. Navigation closes the drawer. */
  drawerAt: string | null;
  setDrawerAt: (path: string | null) => void;
}

export const useShell = create<ShellState>((set) => ({
  drawerAt: null,
  setDrawerAt: (drawerAt) => set({ drawerAt }),
}));

/** The element that SidePanel renders into; null until it is mounted. */
export const PanelSlot = createContext<HTMLElement | null>(null);

interface PageHeaderProps {
  icon?: LucideIcon;
  /** Omit it on pages with their own heading; then only phones show the header. */
  title?: string;
  /** In the tab, if it isn't the title. */
  tabTitle?: string;
  /** Next to the title if there is room, such as a channel's topic. */
  subtitle?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ icon: Icon, title, tabTitle, subtitle, actions }: PageHeaderProps) {
  usePageTitle(tabTitle ?? title ?? "");
  const { t } = useTranslation("shell");
  const setDrawerAt = useShell((state) => state.setDrawerAt);
  const [path] = useLocation();
  return (
    <header
      className={cx(
        "@container flex min-h-13 shrink-0 items-center gap-2 border-line px-2 pt-[env(safe-area-inset-top)] md:px-4",
        title === undefined ? "md:hidden" : "border-b",
      )}
    >
      <span className="md:hidden">
        <IconButton
          icon={MenuIcon}
          label={t("openLists")}
          tooltipSide="right"
          onClick={() => setDrawerAt(path)}
        />
      </span>
      {Icon && <Icon size={20} aria-hidden className="shrink-0 text-muted" />}
      <div className="flex min-w-0 flex-1 items-center gap-3 max-md:flex-col max-md:items-start max-md:gap-0">
        {title !== undefined && (
          <h1
            className={cx(
              "max-w-full shrink-0 text-lg font-semibold max-md:leading-tight",
              subtitle === undefined ? "max-md:line-clamp-2 max-md:wrap-anywhere md:truncate" : "truncate",
            )}
          >
            {title}
          </h1>
        )}
        {subtitle !== undefined && (
          <p className="max-w-full truncate border-line text-sm text-muted md:border-s md:ps-3">{subtitle}</p>
        )}
      </div>
      {actions !== undefined && <div className="flex shrink-0 items-center gap-1">{actions}</div>}
    </header>
  );
}

/** The content of a page without messages, which scrolls. */
export function PageBody({ ref, children }: { ref?: Ref<HTMLDivElement>; children: ReactNode }) {
  return (
    <div ref={ref} className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto grid max-w-3xl gap-4 p-4 pb-[max(1rem,env(safe-area-inset-bottom))]">
        {children}
      </div>
    </div>
  );
}

/** Placeholder while a page's data loads. */
export function PagePending({ of }: Pick<ComponentProps<typeof Pending>, "of">) {
  if (of.error === null) return <PageLoading />;
  return (
    <div className="m-auto p-6">
      <Pending of={of} />
    </div>
  );
}

export function PageLoading() {
  const { t } = useTranslation("shell");
  return (
    <div className="flex min-h-0 flex-1 text-muted">
      <Spinner label={t("ui:loading")} className="m-auto" />
    </div>
  );
}
