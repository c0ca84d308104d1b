import type { FanfareClient } from "@fanfare/client";
import type { Ephemeral } from "@fanfare/contract";
import { create } from "zustand";

/** Per channel; the oldest are dropped. */
const MAX_EPHEMERALS = 20;
const NOTHING: readonly Ephemeral[] = [];

/** By channel: the messages that only this user sees, oldest first. They are kept until they are dismissed or the page is closed. */
const useStore = create<Readonly<Record<string, readonly Ephemeral[]>>>(() => ({}));

export function useEphemerals(channelId: string): readonly Ephemeral[] {
  return useStore((all) => all[channelId] ?? NOTHING);
}

/** @returns a function that ends it and forgets the messages of this user */
export function receiveEphemerals(client: Pick<FanfareClient, "on">): () => void {
  const end = client.on("ephemeral.created", ({ ephemeral }) => {
    change(ephemeral.channelId, (shown) => [
      // A repeated delivery replaces it.
      ...shown.filter(({ id }) => id !== ephemeral.id).slice(1 - MAX_EPHEMERALS),
      ephemeral,
    ]);
  });
  return () => {
    end();
    useStore.setState({}, true);
  };
}

export function dismissEphemeral({ id: dismissedId, channelId }: Ephemeral): void {
  change(channelId, (shown) => shown.filter(({ id }) => id !== dismissedId));
}

function change(channelId: string, next: (shown: readonly Ephemeral[]) => readonly Ephemeral[]): void {
  useStore.setState((all) => ({ [channelId]: next(all[channelId] ?? NOTHING) }));
}
