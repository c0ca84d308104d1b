import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useInsertionEffect,
  useState,
} from "react";
import { useTranslation } from "react-i18next";
import { AlertDialog as AlertBase } from "@base-ui/react/alert-dialog";
import { useAction } from "../shared/use-action.ts";
import { useBack } from "./use-back.ts";
import { cx } from "./cx.ts";
import { IconButton, Button } from "./button.tsx";
import { ErrorNote } from "./feedback.tsx";
import { SheetHandle } from "./sheet.tsx";
import { type Direction, DRAWER_ID, followFinger, useSwipe } from "./swipe.ts";

export interface DialogProps {
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the primary one last. */
  footer?: ReactNode;
  size?: "sm" | "md" | "lg";
  /** Only its buttons close it, because it shows something that can't be shown again. */
  isOnce?: boolean;
  /** The element to focus after closing; by default the one that had the focus before. */
  finalFocus?: () => HTMLElement | null;
}

const OPERABLE = "a[href], button, input, select, textarea, summary, [tabindex]";
const SIZES = { sm: "max-w-sm", md: "max-w-md", lg: "max-w-2xl" };

/** A modal dialog. By default, Esc or a click outside closes it. */
export function Dialog(props: DialogProps) {
  const { onClose, title, description, children, footer, size = "md", isOnce = false, finalFocus } = props;
  const { t } = useTranslation("ui");
  const content = useRef<HTMLDivElement>(null);
  // Without this, the close button would get the focus: its tooltip would take the first Esc, and keys wouldn't scroll long content.
  const focusText = () => {
    if (content.current === null || content.current.querySelector(OPERABLE) !== null || footer !== undefined)
      return true;
    content.current.tabIndex = 0;
    return content.current;
  };
  return (
    <Modal
      onClose={onClose}
      isOnce={isOnce}
      initialFocus={focusText}
      {...(finalFocus && { finalFocus })}
      className={cx(
        "top-[calc(var(--visible-top)+var(--visible-height)/2)] left-1/2 flex max-h-[calc(var(--visible-height)-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-line bg-raised rise max-md:sheet",
        SIZES[size],
      )}
    >
      {!isOnce && <SheetHandle onClose={onClose} />}
      <header className="grid gap-1 py-1 pt-5 pe-14 ps-5 not-first:max-md:pt-0">
        <Base.Title className="text-xl font-semibold">{title}</Base.Title>
        {description !== undefined && (
          <Base.Description className="text-sm text-muted">{description}</Base.Description>
        )}
      </header>
      <div ref={content} className="grid gap-4 overflow-y-auto outline-none px-5 pt-3 pb-5">
        {children}
      </div>
      {footer !== undefined && (
        <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>
      )}
      {/* Last in order, so that the first field gets the initial focus. */}
      <Base.Close
        render={
          <IconButton
            icon={X}
            label={t("close")}
            size="sm"
            className="absolute top-3.5 end-3.5"
            tooltipSide="left"
          />
        }
      />
    </Modal>
  );
}

export interface ConfirmDialogProps {
  onClose: () => void;
  title: string;
  /** The consequences, and whether it can be undone. */
  children?: ReactNode;
  /** The button's label: a verb such as "Delete channel". */
  action: string;
  danger?: boolean;
  /** The dialog closes when it resolves; errors are shown. */
  onConfirm: () => Promise<unknown>;
}

export function ConfirmDialog({
  onClose,
  title,
  children,
  action,
  danger = false,
  onConfirm,
}: ConfirmDialogProps) {
  const { t } = useTranslation("ui");
  const { busy, error, run } = useAction();
  const [isOpen, setOpen] = useState(false);
  // Opens after it is mounted, and closes before it is unmounted, to be animated.
  useEffect(() => queueMicrotask(() => setOpen(true)), []);
  const confirm = async () => {
    if (await run(onConfirm)) setOpen(false);
  };
  const popup = useRef<HTMLDivElement>(null);
  useModal(isOpen, popup);
  const cancel = () => setOpen(false);
  useBack(isOpen, cancel);
  return (
    <AlertBase.Root
      open={isOpen}
      onOpenChange={setOpen}
      onOpenChangeComplete={(isStill) => !isStill && onClose()}
    >
      <AlertBase.Portal>
        <AlertBase.Backdrop className="fixed inset-0 z-40 bg-overlay fade" />
        <AlertBase.Popup
          ref={popup}
          className="fixed top-1/2 left-1/2 z-40 grid w-[calc(100vw-2rem)] max-w-sm -translate-x-1/2 -translate-y-1/2 gap-3 rounded-lg border border-line bg-raised p-5 shadow-raised outline-none rise max-md:sheet max-md:pt-0"
        >
          <SheetHandle onClose={cancel} />
          <AlertBase.Title className="text-xl font-semibold">{title}</AlertBase.Title>
          {children !== undefined && (
            <AlertBase.Description render={<div />} className="text-muted">
              {children}
            </AlertBase.Description>
          )}
          <ErrorNote text={error} />
          <div className="mt-2 flex flex-wrap justify-end gap-2 max-md:mb-2">
            <AlertBase.Close render={<Button />}>{t("cancel")}</AlertBase.Close>
            <Button variant={danger ? "danger" : "primary"} busy={busy} onClick={() => void confirm()}>
              {action}
            </Button>
          </div>
        </AlertBase.Popup>
      </AlertBase.Portal>
    </AlertBase.Root>
  );
}

type Popup = RefObject<HTMLDivElement | null>;

/** Open modal popups, topmost last. */
const stack: Popup[] = [];

interface ModalProps extends Omit<ComponentProps<typeof Base.Popup>, "ref" | "className"> {
  className: string;
  open?: boolean;
  onClose: () => void;
  isOnce?: boolean;
  popup?: Popup;
  layer?: "z-30" | "z-40";
  /** Whether Back leads to the place before by itself. */
  isPlace?: boolean;
}

/** A popup over a backdrop. */
function Modal(props: ModalProps) {
  const { open = true, onClose, isOnce = false, popup, layer = "z-40", className, ...others } = props;
  const { isPlace = false, ...rest } = others;
  const own = useRef<HTMLDivElement>(null);
  useModal(open, popup ?? own);
  useBack(open && !isPlace, () => !isOnce && onClose());
  const onOpenChange: Base.Root.Props["onOpenChange"] = (isOpen, change) => {
    if (isOnce && change.reason !== "close-press") change.cancel();
    else if (!isOpen) onClose();
  };
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className={cx("fixed inset-0 bg-overlay fade", layer)} />
        <Base.Popup
          ref={popup ?? own}
          className={cx("fixed shadow-raised outline-none", layer, className)}
          {...rest}
        />
      </Base.Portal>
    </Base.Root>
  );
}

/**
 * Traps the focus in the topmost modal popup by making the application and all other modal popups inert. Otherwise a field that is mounted
 * late with `autoFocus`, such as the composer of a new channel, would take keystrokes meant for the dialog.
 */
function useModal(open: boolean, popup: Popup): void {
  // Runs after the popup has recorded the element to return the focus to.
  useEffect(() => {
    if (!open) return;
    stack.push(popup);
    update();
  }, [open, popup]);
  // Runs before the focus returns, because inert elements can't be focused.
  useLayoutEffect(() => {
    if (!open) return undefined;
    return () => release(popup);
  }, [open, popup]);
}

function release(popup: Popup): void {
  const at = stack.indexOf(popup);
  if (at < 0) return;
  stack.splice(at, 1);
  if (popup.current !== null) popup.current.inert = false;
  update();
}

function update(): void {
  document.getElementById("root")!.inert = stack.length > 0;
  for (const [index, { current }] of stack.entries())
    if (current !== null) current.inert = index < stack.length - 1;
}

interface DrawerProps {
  open: boolean;
  onClose: () => void;
  /** The accessible name. */
  label: string;
  /** Covers the whole window. */
  isFull?: boolean;
  isPlace?: boolean;
  children: ReactNode;
}

/** Slides in from where lines begin: the navigation on phones. A swipe to where it came from closes it. */
export function Drawer({ open, onClose, label, isFull = false, isPlace = false, children }: DrawerProps) {
  const popup = useRef<HTMLDivElement>(null);
  useSwipeClose(popup, isFull ? "end" : "start", onClose);
  return (
    <Modal
      open={open}
      onClose={onClose}
      popup={popup}
      isPlace={isPlace}
      // Otherwise the first button would have the focus ring.
      initialFocus={popup}
      layer="z-30"
      {...(!isFull && { id: DRAWER_ID })}
      aria-label={label}
      className={cx(
        "swipe-x top-(--visible-top) bottom-(--visible-bottom) start-0 flex bg-sidebar transition-[translate] duration-(--motion-panel) ease-out",
        isFull
          ? "w-full data-ending-style:translate-x-[calc(100%*var(--forward))] data-starting-style:translate-x-[calc(100%*var(--forward))]"
          : "w-[min(20rem,calc(100vw-3rem))] data-ending-style:translate-x-[calc(-100%*var(--forward))] data-starting-style:translate-x-[calc(-100%*var(--forward))]",
      )}
    >
      {children}
    </Modal>
  );
}

interface SheetProps {
  onClose: () => void;
  /** The accessible name. */
  title: string;
  children: ReactNode;
}

/** Rises from the bottom edge, in reach of the thumb. For phones. Pulling its handle down closes it. */
export function Sheet({ onClose, title, children }: SheetProps) {
  const { t } = useTranslation("ui");
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Modal onClose={onClose} popup={popup} initialFocus={popup} className="sheet border-line bg-raised px-3">
      <SheetHandle onClose={onClose} />
      <Base.Title className="sr-only">{title}</Base.Title>
      {children}
      <Base.Close className="sr-only">{t("close")}</Base.Close>
    </Modal>
  );
}

/** Closes a popup by a swipe. */
function useSwipeClose(popup: Popup, direction: Direction, onClose: () => void): void {
  useSwipe(popup, direction, () => {
    if (popup.current === null) return null;
    const { move, release } = followFinger(popup.current, direction);
    return {
      onMove: move,
      onEnd(isDone) {
        release(isDone);
        if (isDone) onClose();
      },
    };
  });
}

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  /** The accessible name. */
  label: string;
  /** A field with `autoFocus`, so that immediate keystrokes aren't lost, and its results. */
  children: ReactNode;
}

/** A command palette near the top of the window. Esc or a click outside closes it. */
export function Palette({ open, onClose, label, children }: PaletteProps) {
  const before = useRef<HTMLElement | null>(null);
  // Runs before `autoFocus`; otherwise the popup would record the field as the element to return the focus to.
  useInsertionEffect(() => {
    if (open && document.activeElement instanceof HTMLElement) before.current = document.activeElement;
  }, [open]);
  return (
    <Modal
      open={open}
      onClose={onClose}
      finalFocus={() => (before.current?.isConnected ? before.current : true)}
      aria-label={label}
      className="inset-x-2 top-[calc(var(--visible-top)+env(safe-area-inset-top)+0.5rem)] mx-auto flex max-h-[calc(var(--visible-height)-1rem)] max-w-xl flex-col overflow-hidden rounded-lg border border-line bg-raised rise md:top-[12dvh] md:max-h-[70dvh]"
    >
      {children}
    </Modal>
  );
}
