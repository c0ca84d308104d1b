import { type FocusEvent, useLayoutEffect, useRef, type RefObject } from "react";
import { create, useStore, type StoreApi, type UseBoundStore } from "zustand";
import { useServerCache } from "../data/data-context.ts";
import { perCache } from "../data/lookup.ts";

/** Which messages are listed. */
export type Kind = "everything" | "mentions" | "replies";

/** What the inbox shows. It is restored when the user goes back to it from a message. */
interface InboxView {
  tab: string;
  kind: Kind;
  /** How far the page is scrolled. */
  top: number;
  /** The ID of the row with the focus. */
  rowId: string | null;
  /** The message with an open reply. */
  replyingTo: string | null;
  /** The nonces of replies that were sent since the page was opened, by the message that they reply to. */
  replies: Readonly<Record<string, string>>;
}

const START: InboxView = {
  tab: "unread",
  kind: "everything",
  top: 0,
  rowId: null,
  replyingTo: null,
  replies: {},
};

const viewOf = perCache(() => create<InboxView>(() => START));

/** Kept until the session ends. */
export function useInboxStore(): UseBoundStore<StoreApi<InboxView>> {
  return viewOf(useServerCache());
}

export function useInboxView<T>(pick: (view: InboxView) => T): T {
  return useStore(useInboxStore(), pick);
}

/** Whether the page was shown before at the current entry of the browser's history. */
const wasShown = (): boolean => (history.state as { inbox?: true } | null)?.inbox === true;

/**
 * After the browser's Back: scrolls the page to where the user left it, and returns the focus to the row that led
 * away. Otherwise the page starts afresh.
 */
export function useReturn(): RefObject<HTMLDivElement | null> {
  const store = useInboxStore();
  const body = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const page = body.current;
    if (page === null) return undefined;
    if (wasShown()) {
      const { top, rowId } = store.getState();
      page.scrollTop = top;
      // What had the focus in the channel is gone.
      if (rowId !== null && document.activeElement === document.body) focusRow(rowId);
    } else {
      store.setState(START);
      history.replaceState({ ...history.state, inbox: true }, "");
    }
    return () => store.setState({ top: page.scrollTop, replyingTo: null, replies: {} });
  }, [store]);
  return body;
}

export function focusRow(rowId: string): void {
  document.getElementById(rowId)?.focus({ preventScroll: true });
}

interface FocusHandlers {
  onFocus: (event: FocusEvent) => void;
  onBlur: (event: FocusEvent) => void;
}

/**
 * The focus goes from a row that is removed to the next one, or to the tab if there is none.
 * @returns handlers for the list
 */
export function useFocusAfterRemoval(list: RefObject<HTMLElement | null>): FocusHandlers {
  const store = useInboxStore();
  const listed = useRef<readonly string[]>([]);
  useLayoutEffect(() => {
    const before = listed.current;
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-walk]") ?? [])];
    listed.current = rows.map(({ id }) => id);
    const { rowId } = store.getState();
    const at = rowId === null ? -1 : before.indexOf(rowId);
    if (at === -1 || listed.current.includes(before[at]!) || document.activeElement !== document.body) return;
    const isLeft = (id: string) => listed.current.includes(id);
    const nextId = before.slice(at).find(isLeft) ?? before.slice(0, at).findLast(isLeft);
    const next = rows.find(({ id }) => id === nextId);
    const tab = document.querySelector<HTMLElement>("[role=tab][aria-selected=true]");
    (next ?? tab)?.focus({ preventScroll: true });
  });
  return {
    onFocus: ({ target }) => store.setState({ rowId: target.closest("[data-walk]")?.id ?? null }),
    onBlur({ target }) {
      // It keeps the focus while another window is used.
      if (document.activeElement !== target) store.setState({ rowId: null });
    },
  };
}
