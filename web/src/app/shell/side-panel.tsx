import { type ReactNode, useContext } from "react";
import { X } from "lucide-react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { Drawer } from "../../ui/dialog.tsx";
import { IconButton } from "../../ui/button.tsx";
import { useEscape, useIsPhone } from "../../ui/hooks.ts";
import { PanelSlot } from "./page-header.tsx";

interface SidePanelProps {
  title: string;
  /** Next to the title, such as a count. */
  more?: ReactNode;
  actions?: ReactNode;
  onClose: () => void;
  /** Whether Back leads to the place before by itself, on a phone. */
  isPlace?: boolean;
  /** Takes the full height and scrolls by itself. */
  children: ReactNode;
}

/** A panel at the right edge, rendered through a portal; full screen on phones. Only one is open at a time. */
export function SidePanel(props: SidePanelProps) {
  const slot = useContext(PanelSlot);
  const isPhone = useIsPhone();
  if (isPhone) {
    return (
      <Drawer open onClose={props.onClose} label={props.title} isFull isPlace={props.isPlace ?? false}>
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
        ref={returnFocus}
        aria-label={props.title}
        className="flex h-full w-80 shrink-0 flex-col border-s border-line bg-canvas xl:w-88 *:animate-slide"
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
      <header className="flex min-h-13 shrink-0 items-center gap-1 border-b border-line pt-[env(safe-area-inset-top)] pe-2 ps-4">
        <div className="flex min-w-0 flex-1 items-baseline gap-2">
          <h2 className="truncate font-semibold">{title}</h2>
          {more}
        </div>
        {actions}
        <IconButton icon={X} label={t("ui:close")} tooltipSide="left" onClick={onClose} />
      </header>
      <div className="flex min-h-0 flex-1 flex-col pb-[env(safe-area-inset-bottom)]">{children}</div>
    </>
  );
}

/** When a panel that has the focus closes, the focus returns to where it was. */
function returnFocus(panel: HTMLElement): () => void {
  const before = document.activeElement;
  return () => {
    if (!panel.contains(document.activeElement)) return;
    queueMicrotask(() => {
      if (document.activeElement !== document.body) return;
      const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
      (isThere ? before : document.getElementById("main"))?.focus({ preventScroll: true });
    });
  };
}

function EscapeCloses({ onClose }: { onClose: () => void }) {
  useEscape(onClose);
  return null;
}
