import { CallHost } from "../calls/call-host.tsx";
import { getPermission, Notifier } from "../inbox/notifications/notifier.tsx";
import { PageBadge } from "../inbox/notifications/unmuted-unread.ts";
import { useHasPlugins } from "../session/server-meta.ts";
import { later } from "../shared/later.tsx";
import { GlobalShortcuts } from "./shortcuts/global-shortcuts.tsx";

const PluginLoader = later(async () => (await import("../plugins/plugin-loader.tsx")).PluginLoader);
const PushRenewal = later(
  async () => (await import("../settings/notifications/device-push.tsx")).PushRenewal,
);

/** What works on all pages without being a part of them. */
export function Background() {
  const hasPlugins = useHasPlugins();
  return (
    <>
      <CallHost />
      <GlobalShortcuts />
      <Notifier />
      <PageBadge />
      {hasPlugins && <PluginLoader />}
      {(window.fanfareApp || getPermission() === "granted") && <PushRenewal />}
    </>
  );
}
