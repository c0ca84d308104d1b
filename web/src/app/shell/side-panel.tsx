import { createContext, type ReactNode, useContext } from "react";
import { X } from "lucide-react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { Drawer } from "../../ui/dialog.tsx";
import { IconButton } from "../../ui/button.tsx";
import { useEscape, useIsPhone } from "../../ui/hooks.ts";

/** Where a SidePanel stands, whatever part of the page opens it; null until it is there. */
export const PanelSlot = createContext<HTMLElement | null>(null);

interface SidePanelProps {
  title: string;
  /** Beside the title, such as a number. */
  more?: ReactNode;
  actions?: ReactNode;
  onClose: () => void;
  /** Fills the height; it scrolls by itself. */
  children: ReactNode;
}

/**
 * At the right of the page, whatever part of it this is rendered by; on phones a page of its own. One at a time: members,
 * a thread, pins or search. Esc closes it.
 */
export function SidePanel(props: SidePanelProps) {
  const slot = useContext(PanelSlot);
  const isPhone = useIsPhone();
  if (isPhone) {
    return (
      <Drawer open onClose={props.onClose} label={props.title} isFull>
        <div className="flex min-w-0 flex-1 flex-col bg-canvas">
          <Content {...props} />
        </div>
      </Drawer>
    );
  }
  return (
    slot &&
    createPortal(
      <aside
        aria-label={props.title}
        className="flex h-full w-80 shrink-0 flex-col border-l border-line bg-canvas xl:w-88"
      >
        <EscapeCloses onClose={props.onClose} />
        <Content {...props} />
      </aside>,
      slot,
    )
  );
}

function Content({ title, more, actions, onClose, children }: SidePanelProps) {
  const { t } = useTranslation("shell");
  return (
    <>
      <header className="flex min-h-13 shrink-0 items-center gap-1 border-b border-line pt-[env(safe-area-inset-top)] pr-2 pl-4">
        <div className="flex min-w-0 flex-1 items-baseline gap-2">
          <h2 className="truncate font-semibold">{title}</h2>
          {more}
        </div>
        {actions}
        <IconButton icon={X} label={t("closePanel")} tooltipSide="left" onClick={onClose} />
      </header>
      <div className="flex min-h-0 flex-1 flex-col pb-[env(safe-area-inset-bottom)]">{children}</div>
    </>
  );
}

function EscapeCloses({ onClose }: { onClose: () => void }) {
  useEscape(onClose);
  return null;
}
