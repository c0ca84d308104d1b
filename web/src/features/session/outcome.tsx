import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "../../ui/cx.ts";
import { usePageTitle } from "./use-page-title.ts";

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
