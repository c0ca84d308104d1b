import type { FanfareClient } from "@fanfare/client";
import type { OpenedModal } from "@fanfare/contract";
import { lazy } from "../../shared/later.tsx";
import { openDialog } from "../../ui/open-dialog.tsx";

/** Of each kind; the oldest are dropped. */
const MAX_WAITING = 10;

const BotModal = lazy(async () => (await import("./item/bot-modal.tsx")).BotModal);

/** Modals whose call has not returned yet, or was made by another page of the user. */
const early = new Map<string, OpenedModal>();
/** Ids of what this page has called, for which a bot can open a modal. */
const expected = new Set<string>();

/** @returns a function that ends it */
export function receiveModals(client: Pick<FanfareClient, "on">): () => void {
  const end = client.on("modal.opened", ({ modal }) => {
    if (expected.delete(modal.id)) return show(modal);
    early.set(modal.id, modal);
    dropOldest(early);
  });
  return () => {
    end();
    early.clear();
    expected.clear();
  };
}

/** @param id of an interaction, invocation or submission */
export function expectModal(id: string): void {
  const modal = early.get(id);
  if (modal !== undefined) {
    early.delete(id);
    return show(modal);
  }
  expected.add(id);
  dropOldest(expected);
}

function show(modal: OpenedModal): void {
  openDialog((close) => <BotModal key={modal.id} opened={modal} onClose={close} />);
}

function dropOldest(waiting: Map<string, unknown> | Set<string>): void {
  const [oldest] = waiting.keys();
  if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
}
