import type { InstalledPlugin } from "@fanfare/contract";
import { Puzzle } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useInstalledPlugins } from "../data/admin.ts";
import { PLUGIN_GUIDE } from "../routes.ts";
import { Badge } from "../ui/display.tsx";
import { EmptyState, Loaded, SkeletonRows } from "../ui/feedback.tsx";

/** The plug-ins, and all that each can do. */
export function AdminPlugins() {
  const { t } = useTranslation("admin");
  return (
    <>
      <p className="text-muted">
        {t("plugins.hint")}{" "}
        <a href={PLUGIN_GUIDE} target="_blank" rel="noopener" className="text-accent-text underline">
          {t("plugins.guide")}
        </a>
      </p>
      <Loaded of={useInstalledPlugins()} placeholder={<SkeletonRows count={3} />}>
        {(plugins) =>
          plugins.length === 0 ? (
            <EmptyState icon={Puzzle} title={t("plugins.none")} text={t("plugins.noneText")} />
          ) : (
            <ul aria-label={t("sections.plugins")} className="grid gap-4">
              {plugins.map((plugin) => (
                <PluginRow key={plugin.name} plugin={plugin} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function PluginRow({ plugin }: { plugin: InstalledPlugin }) {
  const { t } = useTranslation("admin");
  const { title, version, description, server } = plugin;
  return (
    <li className="grid gap-1.5 rounded-lg border border-line px-4 py-3">
      <h3 className="flex flex-wrap items-baseline gap-2 font-semibold">
        {title}
        <span className="text-sm font-normal text-muted">{version}</span>
        {server !== null && (
          <Badge tone={server.isRunning ? "good" : "danger"}>
            {server.isRunning ? t("plugins.running") : t("plugins.stopped")}
          </Badge>
        )}
      </h3>
      <p className="text-muted">{description}</p>
      {server !== null && server.lastError !== null && (
        <p className="text-sm wrap-anywhere text-danger-text">
          {t("plugins.lastError", { restarts: server.restarts, error: server.lastError })}
        </p>
      )}
      <ul className="grid list-disc gap-1 ps-5 text-sm wrap-anywhere">
        {usePermissions(plugin).map((permission) => (
          <li key={permission}>{permission}</li>
        ))}
      </ul>
    </li>
  );
}

/** What the plug-in can do, in sentences. */
function usePermissions({ server, page, commands }: InstalledPlugin): string[] {
  const { t } = useTranslation("admin");
  const list = (names: readonly string[]): string => names.join(", ");
  const all: (readonly [readonly string[], (names: string) => string])[] = [
    [server?.actions.map(({ name }) => name) ?? [], (names) => t("plugins.actions", { names })],
    [server?.events.includes("message.stored") === true ? [""] : [], () => t("plugins.messages")],
    [server?.scopes ?? [], (names) => t("plugins.scopes", { names })],
    [server?.hosts ?? [], (names) => t("plugins.hosts", { names })],
    [server?.settings.map(({ variable }) => variable) ?? [], (names) => t("plugins.settings", { names })],
    [page?.messageCards ?? [], (names) => t("plugins.cards", { names })],
    [page?.composerActions ?? [], (names) => t("plugins.composer", { names })],
    [page?.panels ?? [], (names) => t("plugins.panels", { names })],
    [commands.map((name) => `/${name}`), (names) => t("plugins.commands", { names })],
    [page?.actions ?? [], (names) => t("plugins.calls", { names })],
  ];
  return all.flatMap(([names, sentence]) => (names.length === 0 ? [] : [sentence(list(names))]));
}
