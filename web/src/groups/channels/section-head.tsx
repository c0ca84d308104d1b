import type { Channel } from "@fanfare/contract";
import { ChevronRight, Ellipsis, Pencil, Plus, Trash2 } from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { ContextMenu, Menu, type MenuItem } from "../../ui/menu.tsx";
import { useCall } from "../../data/call.ts";
import { openConfirm } from "../../ui/open-dialog.tsx";
import { openGroupDialog } from "../open-group-dialog.tsx";
import { DropLine, type Edge, moveItems, type Reorder } from "./reorder.tsx";
import { create } from "zustand";
import { loadStored, saveStored } from "../../state/stored.ts";

interface CollapseButtonProps {
  id: string;
  name: string;
  isCollapsed: boolean;
}

export function CollapseButton({ id, name, isCollapsed }: CollapseButtonProps) {
  return (
    <button
      type="button"
      data-walk
      aria-expanded={!isCollapsed}
      onClick={() => setCollapsed(id, !isCollapsed)}
      className="flex min-h-row w-full min-w-0 flex-1 items-center gap-1 rounded-md px-1 text-start text-xs font-semibold text-muted -outline-offset-2 hover:text-text"
    >
      <ChevronRight
        size={14}
        aria-hidden
        className={cx("shrink-0 transition-transform", !isCollapsed && "rotate-90")}
      />
      <span className="truncate">{name}</span>
    </button>
  );
}

interface SectionHeadProps {
  section: Channel;
  isCollapsed: boolean;
  edge: Edge | null;
  reorder: Reorder;
}

export const SectionHead = memo(function SectionHead(props: SectionHeadProps) {
  const { t } = useTranslation("channels");
  const call = useCall();
  const { section, isCollapsed, edge, reorder } = props;
  const groupId = section.groupId!;
  const create = () => openGroupDialog(groupId, { kind: "createChannel", sectionId: section.id });
  // Its channels are kept.
  const remove = () =>
    openConfirm({
      danger: true,
      title: t("delete.sectionTitle", { name: section.name }),
      children: t("delete.sectionText"),
      action: t("delete.sectionAction"),
      onConfirm: () => call("channel.delete", { channelId: section.id }),
    });
  const items: MenuItem[] = [
    { label: t("menu.createHere"), icon: Plus, onSelect: create },
    {
      label: t("section.rename"),
      icon: Pencil,
      onSelect: () => openGroupDialog(groupId, { kind: "renameSection", channel: section }),
    },
    "separator",
    ...moveItems(section, reorder),
    "separator",
    { label: t("delete.sectionAction"), icon: Trash2, danger: true, onSelect: remove },
  ];
  const head = (
    <div
      {...reorder.handlers(section, null)}
      className="group relative flex min-h-row items-center gap-0.5 rounded-md"
    >
      <DropLine edge={edge} />
      <CollapseButton id={section.id} name={section.name} isCollapsed={isCollapsed} />
      {reorder.canMove && (
        <span className="flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-popup-open:opacity-100 touch:opacity-100">
          <IconButton
            icon={Plus}
            size="sm"
            label={t("menu.createIn", { section: section.name })}
            onClick={create}
          />
          <Menu
            items={items}
            trigger={
              <IconButton icon={Ellipsis} size="sm" label={t("menu.more", { channel: section.name })} />
            }
          />
        </span>
      )}
    </div>
  );
  return reorder.canMove ? <ContextMenu items={items}>{head}</ContextMenu> : head;
});

const KEY = "fanfare.collapsedSections";
/** The oldest entries are dropped beyond this number. */
const MAX_SECTIONS = 500;

/** Collapsed sections of channel lists in this browser, by ID. */
const useCollapsed = create<{ ids: readonly string[] }>(() => ({ ids: parseIds(loadStored(KEY)) }));

export function useCollapsedSections(): readonly string[] {
  return useCollapsed(({ ids }) => ids);
}

function setCollapsed(sectionId: string, isCollapsed: boolean): void {
  const others = useCollapsed.getState().ids.filter((id) => id !== sectionId);
  const ids = isCollapsed ? [...others, sectionId].slice(-MAX_SECTIONS) : others;
  useCollapsed.setState({ ids });
  saveStored(KEY, ids.length === 0 ? null : ids);
}

function parseIds(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.filter((id): id is string => typeof id === "string") : [];
}
