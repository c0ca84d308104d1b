import type { Channel } from "@fanfare/contract";
import { Puzzle } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { SidePanel } from "../app/shell/side-panel.tsx";
import { useCall } from "../data/call.ts";
import { useServerCache } from "../data/data-context.ts";
import { useIsDark } from "../state/preferences.ts";
import { EmptyState } from "../ui/feedback.tsx";
import { PluginFrame } from "./plugin-frame.ts";
import { panelName, type PluginWithPage, usePlugins } from "./plugins.ts";

interface PluginPanelProps {
  channel: Channel;
  /** Its name among the page's panels. */
  name: string;
  onClose: () => void;
}

export function PluginPanel({ channel, name, onClose }: PluginPanelProps) {
  const { t } = useTranslation("shared");
  const plugins = usePlugins(({ withPage }) => withPage);
  const isDark = useIsDark();
  const [failed, setFailed] = useState(false);
  const plugin = plugins.find((each) => each.page.panels.some(({ id }) => panelName(each.name, id) === name));
  const panel = plugin?.page.panels.find(({ id }) => panelName(plugin.name, id) === name);
  if (plugin === undefined || panel === undefined) return null;
  return (
    <SidePanel title={panel.title} onClose={onClose}>
      {failed ? (
        <EmptyState icon={Puzzle} title={t("error.PLUGIN_FAILED")} />
      ) : (
        <PanelFrame
          // A frame belongs to one channel, and gets the colors when it starts.
          key={`${channel.id} ${isDark}`}
          plugin={plugin}
          panelId={panel.id}
          channel={channel}
          onFail={() => setFailed(true)}
        />
      )}
    </SidePanel>
  );
}

interface PanelFrameProps {
  plugin: PluginWithPage;
  panelId: string;
  channel: Channel;
  onFail: () => void;
}

function PanelFrame({ plugin, panelId, channel: { id: channelId, groupId }, onFail }: PanelFrameProps) {
  const call = useCall();
  const { client } = useServerCache();
  const container = useRef<HTMLDivElement>(null);
  const fail = useRef(onFail);
  useEffect(() => {
    const frame = new PluginFrame(plugin, call);
    frame.element.className = "size-full";
    container.current!.append(frame.element);
    const context = { channelId, groupId, language: frame.language };
    let isOpen = true;
    frame.request({ type: "panel", panel: panelId, context }).catch(() => isOpen && fail.current());
    const ends = [
      client.on("plugin.published", ({ key, data, ...from }) => {
        if (from.plugin === plugin.name && from.channelId === channelId) frame.publish({ key, data });
      }),
      client.on("ready", () => frame.publish(null)),
      client.on("resync", () => frame.publish(null)),
    ];
    return () => {
      isOpen = false;
      for (const end of ends) end();
      frame.close();
    };
  }, [plugin, panelId, channelId, groupId, call, client]);
  return <div ref={container} className="min-h-0 flex-1" />;
}
