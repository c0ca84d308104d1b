import type { Channel } from "@fanfare/contract";
import { useCallback } from "react";
import { useServerCache } from "../data/data-context.ts";
import { lazy } from "../shared/later.tsx";
import { openDialog } from "../ui/open-dialog.tsx";
import { useCallSettings } from "./call-settings.ts";
import { joinCall } from "./calls.ts";

const DeviceDialog = lazy(async () => (await import("./device-dialog.tsx")).DeviceDialog);

interface JoinOptions {
  withCamera?: boolean;
  onJoined?: () => void;
  /** The user closed the choice of devices. */
  onCancel?: () => void;
}

/** Joins or starts the call of a channel. The first time, it asks for the devices. */
export function useJoin(): (channel: Pick<Channel, "id" | "groupId">, options?: JoinOptions) => void {
  const cache = useServerCache();
  return useCallback(
    (channel, { withCamera = false, onJoined, onCancel } = {}) => {
      const join = async (): Promise<void> => {
        if (await joinCall(cache, channel, { withCamera })) onJoined?.();
      };
      if (useCallSettings.getState().hasChosen) return void join();
      openDialog((close) => <DeviceDialog onClose={close} onJoin={() => void join()} onCancel={onCancel} />);
    },
    [cache],
  );
}
