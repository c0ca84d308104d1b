import type { InstalledPlugin, Result } from "@fanfare/contract";
import { Puzzle, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useInstalledPlugins } from "../data/admin.ts";
import { useCall } from "../data/call.ts";
import { PLUGIN_GUIDE } from "../routes.ts";
import { IconButton } from "../ui/button.tsx";
import { Badge } from "../ui/display.tsx";
import { EmptyState, Loaded, SkeletonRows } from "../ui/feedback.tsx";
import { ListRow } from "../ui/list-row.tsx";
import { openConfirm } from "../ui/open-dialog.tsx";

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
        {({ plugins, leftovers }) => (
          <>
            {plugins.length === 0 ? (
              <EmptyState icon={Puzzle} title={t("plugins.none")} text={t("plugins.noneText")} />
            ) : (
              <ul aria-label={t("sections.plugins")} className="grid gap-4">
                {plugins.map((plugin) => (
                  <PluginRow key={`${plugin.name} ${plugin.version}`} plugin={plugin} />
                ))}
              </ul>
            )}
            {leftovers.length > 0 && (
              <section className="grid gap-2">
                <h3 className="font-semibold">{t("plugins.leftovers")}</h3>
                <ul aria-label={t("plugins.leftovers")}>
                  {leftovers.map((leftover) => (
                    <LeftoverRow key={leftover.plugin} of={leftover} />
                  ))}
                </ul>
              </section>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function LeftoverRow({ of: { plugin, values } }: { of: Result<"admin.listPlugins">["leftovers"][number] }) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const remove = () =>
    openConfirm({
      title: t("plugins.delete.title", { plugin }),
      children: t("plugins.delete.text"),
      action: t("plugins.delete.action"),
      danger: true,
      onConfirm: () => call("admin.deletePluginData", { plugin }),
    });
  return (
    <ListRow
      title={plugin}
      subtitle={t("plugins.values", { values })}
      trailing={
        <IconButton
          icon={Trash2}
          label={t("groups.delete.of", { name: plugin })}
          variant="danger"
          tooltipSide="left"
          onClick={remove}
        />
      }
    />
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
  const readsMessages = server?.events.includes("message.stored") === true;
  const all: (readonly [readonly string[], (names: string) => string])[] = [
    [server?.actions.map(({ name }) => name) ?? [], (names) => t("plugins.actions", { names })],
    [readsMessages ? [""] : [], () => t("plugins.messages")],
    [server?.scopes ?? [], (names) => t("plugins.scopes", { names })],
    [readsMessages ? server.scopes : [], (names) => t("plugins.authors", { names })],
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
