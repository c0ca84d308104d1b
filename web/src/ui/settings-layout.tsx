import { type LucideIcon, X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { cx } from "./cx.ts";
import { IconButton } from "./button.tsx";
import { useEscape, usePageTitle } from "./hooks.ts";
import { Main } from "./main.tsx";

interface SettingsSection {
  id: string;
  label: string;
  href: string;
  icon?: LucideIcon;
  /** Starts a group of sections with this title. */
  heading?: string;
  /** After the label, such as a count. */
  badge?: ReactNode;
  danger?: boolean;
}

interface SettingsLayoutProps {
  title: string;
  sections: readonly SettingsSection[];
  /** Undefined: the address is none of a section, as the children say. */
  current: string | undefined;
  onClose: () => void;
  /** For tables. */
  isWide?: boolean | undefined;
  children: ReactNode;
}

/** A full-page settings view with its sections on the left, on phones in a row on top. Esc closes it. */
export function SettingsLayout(props: SettingsLayoutProps) {
  const { title, sections, current, onClose, isWide = false, children } = props;
  const { t } = useTranslation("ui");
  useEscape(onClose);
  const shown = sections.find(({ id }) => id === current);
  const heading = current === undefined ? t("home:notFound") : shown?.label;
  usePageTitle(heading === undefined ? title : `${heading} · ${title}`);
  return (
    <div className="flex min-h-0 flex-1 flex-col md:grid md:grid-cols-[15rem_minmax(0,1fr)]">
      <nav
        aria-label={title}
        className="shrink-0 border-line bg-sidebar pt-[env(safe-area-inset-top)] max-md:border-b md:overflow-y-auto md:border-e"
      >
        <div className="md:px-3 md:py-6">
          <div className="flex items-center justify-between gap-2 px-4 py-2 md:px-2.5">
            <p className="truncate text-lg font-semibold">{title}</p>
            <span className="md:hidden">
              <IconButton icon={X} label={t("close")} onClick={onClose} tooltipSide="left" />
            </span>
          </div>
          <ul className="flex gap-1 overflow-x-auto px-3 pb-2 md:grid md:overflow-visible md:px-0">
            {sections.map(({ id, label, href, icon: Icon, heading, badge, danger }) => (
              // On phones the row is wider than the window.
              <li key={id} className="shrink-0" ref={id === current ? bringIntoView : undefined}>
                {heading !== undefined && (
                  <p className="px-2.5 pt-4 pb-1 text-xs font-semibold text-muted max-md:hidden">{heading}</p>
                )}
                <Link
                  href={href}
                  replace
                  aria-current={id === current ? "page" : undefined}
                  className={cx(
                    "flex min-h-row items-center gap-2.5 rounded-md px-2.5 text-sm font-medium -outline-offset-2",
                    danger === true
                      ? "text-danger-text"
                      : id === current
                        ? "text-text"
                        : "text-muted hover:text-text",
                    id === current ? "bg-selected" : "hover:bg-hover",
                  )}
                >
                  {Icon && <Icon size={16} aria-hidden className="max-md:hidden" />}
                  {label}
                  {badge}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      </nav>
      <Main className="relative flex min-h-0 flex-1 flex-col">
        <span className="absolute top-4 end-4 z-1 max-md:hidden">
          <IconButton icon={X} label={t("close")} onClick={onClose} tooltipSide="left" />
        </span>
        <div className="min-h-0 flex-1 overflow-y-auto px-4 py-5 md:px-16 md:py-10">
          <div
            className={cx(
              "mx-auto grid content-start gap-6 pb-[env(safe-area-inset-bottom)]",
              isWide ? "max-w-4xl" : "max-w-160",
            )}
          >
            {heading !== undefined && <h1 className="text-xl font-semibold">{heading}</h1>}
            {children}
          </div>
        </div>
      </Main>
    </div>
  );
}

function bringIntoView(item: HTMLElement | null): void {
  item?.scrollIntoView({ block: "nearest", inline: "center" });
}

interface SectionProps {
  title: string;
  text?: ReactNode;
  children?: ReactNode;
}

export function Section({ title, text, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid content-start gap-4">
      <header className="grid gap-1">
        <h2 id={id} className="text-lg font-semibold">
          {title}
        </h2>
        {text !== undefined && <p className="text-sm text-muted">{text}</p>}
      </header>
      {children}
    </section>
  );
}
