import { ChevronLeft, ChevronRight, Download, type LucideIcon, X, ZoomIn, ZoomOut } from "lucide-react";
import { type CSSProperties, type KeyboardEvent, type ReactNode, type Ref, useEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { useBack } from "../../../ui/use-back.ts";
import { useZoom } from "./use-zoom.ts";

/** What the content of the window must have. */
export interface Zoomed<E extends HTMLElement> {
  ref: Ref<E>;
  className: string;
  style: CSSProperties;
}

interface ViewerProps<E extends HTMLElement> {
  name: string;
  /** To download; undefined while it is unknown. */
  url: string | undefined;
  /** Of the shown picture or page. */
  index: number;
  total: number;
  labels: { previous: string; next: string };
  onTurn: (index: number) => void;
  /** Shown instead of the position. */
  note?: string | undefined;
  /** More buttons. */
  tools?: ReactNode;
  onClose: () => void;
  children: (zoomed: Zoomed<E>) => ReactNode;
}

const BUTTON =
  "flex size-11 items-center justify-center rounded-full bg-viewer/60 text-on-viewer hover:bg-viewer aria-disabled:opacity-40";
const ZOOM_STEP = 1.5;
const MOVE_PX = 80;
const MOVES: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [MOVE_PX, 0],
  ArrowRight: [-MOVE_PX, 0],
  ArrowUp: [0, MOVE_PX],
  ArrowDown: [0, -MOVE_PX],
};
const TURNS: Readonly<Record<string, 1 | -1>> = { PageDown: 1, PageUp: -1 };

/** A window over everything in which pictures or pages can be turned and zoomed. */
export function Viewer<E extends HTMLElement>(props: ViewerProps<E>) {
  const { name, url, index, total, labels, onTurn, note, tools, onClose, children } = props;
  const { t } = useTranslation("messages");
  const dialog = useRef<HTMLDialogElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const content = useRef<E>(null);
  const close = () => dialog.current?.close();
  useBack(true, () => {
    // Gives the focus back; its event comes later.
    close();
    onClose();
  });
  const zoom = useZoom({
    stage,
    picture: content,
    onSwipe: (from) => (from === "top" ? close() : turn((from === "right") === isRightToLeft() ? -1 : 1)),
    onOutside: close,
  });
  // A native modal dialog traps the focus and restores it.
  useEffect(() => dialog.current?.showModal(), [dialog]);

  function turn(by: 1 | -1): void {
    if (index + by < 0 || index + by >= total) return;
    onTurn(index + by);
    zoom.reset();
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    // The browser's own zoom.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = MOVES[event.key];
    const by = TURNS[event.key];
    if (event.key === "+" || event.key === "=") zoom.zoomBy(ZOOM_STEP);
    else if (event.key === "-") zoom.zoomBy(1 / ZOOM_STEP);
    else if (event.key === "0") zoom.reset();
    else if (by !== undefined) turn(by);
    else if (move === undefined) return;
    else if (zoom.scale > 1) zoom.moveBy({ x: move[0], y: move[1] });
    else if (move[0] !== 0) turn((event.key === "ArrowRight") === isRightToLeft() ? -1 : 1);
    else return;
    event.preventDefault();
  };
  return createPortal(
    <dialog
      ref={dialog}
      aria-label={name}
      className="m-auto h-dvh max-h-none w-screen max-w-none overflow-hidden bg-transparent p-0 backdrop:bg-viewer/85"
      onClose={onClose}
      onKeyDown={onKeyDown}
      // The message that it belongs to has clicks and a menu of its own.
      onClick={(event) => event.stopPropagation()}
      onContextMenu={(event) => event.stopPropagation()}
    >
      <div
        ref={stage}
        className="flex size-full touch-none items-center justify-center p-4 md:p-12"
        {...zoom.handlers}
      >
        {children({
          ref: content,
          className: `max-h-full w-auto max-w-full rounded-sm object-contain select-none ${zoom.scale > 1 ? "cursor-grab" : ""}`,
          style: { transform: zoom.transform },
        })}
      </div>
      <div className="absolute inset-x-3 top-3 flex items-center gap-2 text-on-viewer">
        <p
          role="status"
          className="me-auto rounded-full bg-viewer/60 px-3 py-1 text-sm tabular-nums empty:opacity-0"
        >
          {note ?? (total > 1 && t("viewer.position", { number: index + 1, total }))}
        </p>
        <Tool
          icon={ZoomOut}
          label={t("viewer.zoomOut")}
          disabled={zoom.scale === 1}
          onClick={() => zoom.zoomBy(1 / ZOOM_STEP)}
        />
        <Tool icon={ZoomIn} label={t("viewer.zoomIn")} onClick={() => zoom.zoomBy(ZOOM_STEP)} />
        {tools}
        {url !== undefined && (
          <a
            className={BUTTON}
            href={url}
            download={name}
            aria-label={t("attachment.download", { name: name })}
          >
            <Download size={20} aria-hidden />
          </a>
        )}
        <Tool icon={X} label={t("ui:close")} onClick={close} />
      </div>
      {total > 1 && (
        <>
          <span className="absolute start-3 top-1/2 -translate-y-1/2">
            <Tool
              icon={ChevronLeft}
              label={labels.previous}
              disabled={index === 0}
              onClick={() => turn(-1)}
            />
          </span>
          <span className="absolute end-3 top-1/2 -translate-y-1/2">
            <Tool
              icon={ChevronRight}
              label={labels.next}
              disabled={index === total - 1}
              onClick={() => turn(1)}
            />
          </span>
        </>
      )}
    </dialog>,
    document.body,
  );
}

interface ToolProps {
  icon: LucideIcon;
  label: string;
  disabled?: boolean;
  onClick: () => void;
}

export function Tool({ icon: Icon, label, disabled = false, onClick }: ToolProps) {
  return (
    <button
      type="button"
      className={BUTTON}
      aria-label={label}
      title={label}
      // A disabled button would lose the focus at the last one.
      aria-disabled={disabled}
      onClick={onClick}
    >
      <Icon size={20} aria-hidden />
    </button>
  );
}

function isRightToLeft(): boolean {
  return document.documentElement.dir === "rtl";
}
