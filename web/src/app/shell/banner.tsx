import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "../../ui/cx.ts";
import { IconButton } from "../../ui/icon-button.tsx";

interface BannerProps {
  isShown: boolean;
  icon: ReactNode;
  tone?: "warn" | "accent";
  onDismiss?: () => void;
  children: ReactNode;
}

/** A line above everything. Its region is there before its text: only then is the text read out. */
export function Banner({ isShown, icon, tone = "warn", onDismiss, children }: BannerProps) {
  const { t } = useTranslation("ui");
  return (
    <div role="status">
      {isShown && (
        <div
          className={cx(
            "flex min-h-9 items-center justify-center gap-2.5 px-4 py-1 text-sm",
            tone === "warn" ? "bg-warn-soft text-warn-text" : "bg-accent-soft text-accent-text",
          )}
        >
          <span className="flex shrink-0">{icon}</span>
          <p className="wrap-anywhere">{children}</p>
          {onDismiss && (
            <IconButton icon={X} label={t("close")} size="sm" tooltipSide="left" onClick={onDismiss} />
          )}
        </div>
      )}
    </div>
  );
}
