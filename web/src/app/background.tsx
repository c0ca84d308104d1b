import { useEffect } from "react";
import { CallHost } from "../calls/call-host.tsx";
import { useActionQuery } from "../data/data-context.ts";
import { getPermission, Notifier } from "../inbox/notifications/notifier.tsx";
import { PageBadge } from "../inbox/notifications/unmuted-unread.ts";
import { setPlugins } from "../plugins/plugins.ts";
import { useHasPlugins } from "../session/server-meta.ts";
import { later } from "../shared/later.tsx";
import { GlobalShortcuts } from "./shortcuts/global-shortcuts.tsx";

const PushRenewal = later(
  async () => (await import("../settings/notifications/device-push.tsx")).PushRenewal,
);

/** What works on all pages without being a part of them. */
export function Background() {
  const { data: hasPlugins } = useHasPlugins();
  return (
    <>
      <CallHost />
      <GlobalShortcuts />
      <Notifier />
      <PageBadge />
      {hasPlugins === true && <PluginLoader />}
      {(window.fanfareApp || getPermission() === "granted") && <PushRenewal />}
    </>
  );
}

/** Loads the list of plug-ins. Renders nothing. */
function PluginLoader() {
  const { data } = useActionQuery("plugin.list", {});
  useEffect(() => {
    if (data !== undefined) setPlugins(data.plugins);
  }, [data]);
  // The next session loads them again: programs and their cards end with this one.
  useEffect(() => () => setPlugins(null), []);
  return null;
}
