import { type ReactNode, Suspense, useEffect } from "react";
import { useLocation } from "wouter";
import { create } from "zustand";
import { later } from "../shared/later.tsx";
import type { ConfirmDialogProps } from "./dialog.tsx";

const ConfirmDialog = later(async () => (await import("./popups.ts")).ConfirmDialog);

interface Opened {
  id: number;
  render: (close: () => void) => ReactNode;
}

const useOpened = create<{ dialogs: readonly Opened[] }>(() => ({ dialogs: [] }));
let lastId = 0;
/** Whether the code of the last one is being loaded. */
let isLoading = false;

/**
 * Opens a dialog over the page, until it closes itself or the address changes. Not from another dialog, which Esc would close as well: that one
 * renders its own.
 */
export function openDialog(render: Opened["render"]): void {
  // A second click replaces what the first one is still loading.
  const end = isLoading ? -1 : undefined;
  isLoading = true;
  lastId += 1;
  const opened = { id: lastId, render };
  useOpened.setState(({ dialogs }) => ({ dialogs: [...dialogs.slice(0, end), opened] }));
}

/** Asks before something is done. */
export function openConfirm(props: Omit<ConfirmDialogProps, "onClose">): void {
  openDialog((close) => <ConfirmDialog {...props} onClose={close} />);
}

function closeDialog(id: number): void {
  useOpened.setState(({ dialogs }) => ({ dialogs: dialogs.filter((one) => one.id !== id) }));
}

function closeAll(): void {
  isLoading = false;
  useOpened.setState({ dialogs: [] });
}

/** Renders the open dialogs. Mounted once. */
export function OpenDialogs() {
  const { dialogs } = useOpened();
  const [path] = useLocation();
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- at each change of the address
  useEffect(() => closeAll, [path]);
  return dialogs.map(({ id, render }) => (
    <Suspense key={id}>
      {render(() => closeDialog(id))}
      <MarkLoaded />
    </Suspense>
  ));
}

function MarkLoaded() {
  useEffect(() => {
    isLoading = false;
  }, []);
  return null;
}
