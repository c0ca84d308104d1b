import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "../ui/cx.ts";
import { Button } from "../ui/button.tsx";
import { usePageTitle } from "./use-fragment-token.ts";
import type { SessionNotice } from "./session-store.ts";

interface OutcomeProps {
  icon: LucideIcon;
  title: string;
  text: ReactNode;
  tone?: "good" | "danger";
  children?: ReactNode;
}

/** How something ended, and what to do next. It is read out. */
export function Outcome({ icon: Icon, title, text, tone = "good", children }: OutcomeProps) {
  usePageTitle(title);
  return (
    <div role="status" className="grid justify-items-center gap-2 text-center">
      <span
        className={cx(
          "mb-1 flex size-14 items-center justify-center rounded-full",
          tone === "good" ? "bg-good-soft text-good" : "bg-danger-soft text-danger-text",
        )}
      >
        <Icon size={26} aria-hidden />
      </span>
      <h2 className="text-2xl font-semibold">{title}</h2>
      <p className="text-muted wrap-anywhere">{text}</p>
      {children !== undefined && <div className="mt-3 grid w-full gap-2">{children}</div>}
    </div>
  );
}

/** Why the user was logged out. */
export function NoticeLine({ notice }: { notice: SessionNotice | null }) {
  const { t } = useTranslation("session");
  if (notice === null) return null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text"
    >
      <p>{t(`notice.${notice}`)}</p>
      {notice === "updated" && (
        <Button size="sm" onClick={() => location.reload()}>
          {t("shell:reload")}
        </Button>
      )}
    </div>
  );
}

export const ENTRANCE_LINK = "rounded-sm font-medium text-accent-text underline-offset-2 hover:underline";

/** What a page before the login is for. */
export function EntranceTitle({ title, text }: { title: string; text?: string | undefined }) {
  usePageTitle(title);
  return (
    <header className="grid gap-1">
      <h2 className="text-2xl font-semibold">{title}</h2>
      {text !== undefined && <p className="text-muted">{text}</p>}
    </header>
  );
}
