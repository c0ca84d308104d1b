import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "../../ui/icon-button.tsx";

interface SidePanelProps {
  title: ReactNode;
  onClose: () => void;
  /** Buttons before the one that closes. */
  actions?: ReactNode;
  /** Fills the height; it scrolls by itself. */
  children: ReactNode;
}

/** At the right of the page; on phones a page of its own. */
export function SidePanel({ title, onClose, actions, children }: SidePanelProps) {
  const { t } = useTranslation("shell");
  return (
    <aside className="flex flex-col bg-canvas max-md:fixed max-md:inset-0 max-md:z-20 max-md:h-dvh md:w-80 md:shrink-0 md:border-l md:border-line xl:w-88">
      <header className="flex min-h-13 shrink-0 items-center gap-1 border-b border-line pr-2 pl-4 pt-[env(safe-area-inset-top)]">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{title}</h2>
        {actions}
        <IconButton icon={X} label={t("closePanel")} tooltipSide="left" onClick={onClose} />
      </header>
      <div className="flex min-h-0 flex-1 flex-col pb-[env(safe-area-inset-bottom)]">{children}</div>
    </aside>
  );
}
