import type { Channel } from "@fanfare/contract";
import { Suspense } from "react";
import type { Panel } from "../../../state/panels.ts";
import { lazy } from "../../../shared/later.tsx";

const PinsPanel = lazy(async () => (await import("./pins-panel.tsx")).PinsPanel);
const FilesPanel = lazy(async () => (await import("../files/files-panel.tsx")).FilesPanel);

const PluginPanel = lazy(async () => (await import("../../../plugins/plugin-panel.tsx")).PluginPanel);

interface ChannelPanelsProps {
  channel: Channel;
  panel: Panel;
  onClose: () => void;
}

/** The open panel, if it is one of those that all kinds of channels have. */
export function ChannelPanels({ channel, panel, onClose }: ChannelPanelsProps) {
  return (
    <Suspense fallback={null}>
      {panel === "pins" && <PinsPanel channel={channel} onClose={onClose} />}
      {panel?.startsWith("plugin:") === true && (
        <PluginPanel key={panel} channel={channel} name={panel} onClose={onClose} />
      )}
      {panel === "files" && <FilesPanel key={channel.id} channel={channel} onClose={onClose} />}
    </Suspense>
  );
}
