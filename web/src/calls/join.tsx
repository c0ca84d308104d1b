import type { Channel } from "@fanfare/contract";
import type { ServerCache } from "../data/cache.ts";
import { lazy } from "../shared/later.tsx";
import { openDialog } from "../ui/open-dialog.tsx";
import { useCallSettings } from "./call-settings.ts";
import { joinCall } from "./calls.ts";

const DeviceDialog = lazy(async () => (await import("./device-dialog.tsx")).DeviceDialog);

export interface JoinOptions {
  withCamera?: boolean;
  onJoined?: () => void;
  /** The user closed the choice of devices. */
  onCancel?: () => void;
}

/** Joins or starts the call of a channel. The first time, it asks for the devices. */
export function join(
  cache: ServerCache,
  channel: Pick<Channel, "id" | "groupId">,
  { withCamera = false, onJoined, onCancel }: JoinOptions = {},
): void {
  const joinNow = async (): Promise<void> => {
    if (await joinCall(cache, channel, { withCamera })) onJoined?.();
  };
  if (useCallSettings.getState().hasChosen) return void joinNow();
  openDialog((close) => <DeviceDialog onClose={close} onJoin={() => void joinNow()} onCancel={onCancel} />);
}
