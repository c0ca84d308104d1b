import type { Role } from "@fanfare/contract";
import { ChevronDown, ChevronUp, Users } from "lucide-react";
import { type DragEvent, type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useAction } from "../../../shared/use-action.ts";
import { cx } from "../../../ui/cx.ts";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { IconButton } from "../../../ui/button.tsx";
import { RoleName, type OwnAuthority } from "../authority.tsx";

interface RoleListProps {
  groupId: string;
  /** Highest first. */
  roles: readonly Role[];
  /** null selects the default role. */
  chosenId: string | null;
  onChoose: (roleId: string | null) => void;
  authority: OwnAuthority;
}

const ROW_CLASS =
  "flex min-h-row min-w-0 flex-1 items-center gap-2 rounded-md px-2.5 text-start text-sm font-medium -outline-offset-2";

/** Roles can be reordered by dragging, with the buttons, or with Alt and an arrow key. */
export function RoleList({ groupId, roles, chosenId, onChoose, authority }: RoleListProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { error, run } = useAction();
  const [dragged, setDragged] = useState<string | null>(null);
  const [overIndex, setOverIndex] = useState<number | null>(null);

  /** Whether a role can be moved there: members can't move roles at or above their own. */
  const canStand = (from: number, to: number): boolean =>
    to >= 0 &&
    to < roles.length &&
    from !== to &&
    roles.slice(Math.min(from, to), Math.max(from, to) + 1).every(authority.canManageRole);
  const move = (from: number, to: number): void => {
    if (!canStand(from, to)) return;
    const order = [...roles];
    order.splice(to, 0, ...order.splice(from, 1));
    const roleIds = order.toReversed().map(({ id }) => id);
    void run(() => call("role.reorder", { groupId, roleIds }));
  };
  const fromIndex = roles.findIndex(({ id }) => id === dragged);
  const dragHandlers = (index: number, role: Role) => ({
    draggable: authority.canManageRole(role),
    onDragStart: () => setDragged(role.id),
    onDragOver(event: DragEvent) {
      if (fromIndex === -1 || !canStand(fromIndex, index)) return;
      event.preventDefault();
      setOverIndex(index);
    },
    onDrop(event: DragEvent) {
      event.preventDefault();
      move(fromIndex, index);
      setDragged(null);
      setOverIndex(null);
    },
    onDragEnd() {
      setDragged(null);
      setOverIndex(null);
    },
    onKeyDown(event: KeyboardEvent) {
      if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
      event.preventDefault();
      move(index, event.key === "ArrowUp" ? index - 1 : index + 1);
    },
  });
  return (
    <div className="grid gap-2">
      <ErrorNote text={error} />
      <ol aria-label={t("roles.list")} className="grid gap-px">
        {roles.map((role, index) => (
          <li
            key={role.id}
            {...dragHandlers(index, role)}
            className={cx(
              "group flex items-center rounded-md",
              role.id === chosenId ? "bg-selected" : "hover:bg-hover",
              overIndex === index && dragged !== null && "outline-2 outline-accent",
            )}
          >
            <button
              type="button"
              className={ROW_CLASS}
              aria-current={role.id === chosenId ? "true" : undefined}
              onClick={() => onChoose(role.id)}
            >
              <RoleName role={role} />
            </button>
            <span className="reveal">
              <IconButton
                icon={ChevronUp}
                size="sm"
                label={t("roles.up", { name: role.name })}
                disabled={!canStand(index, index - 1)}
                onClick={() => move(index, index - 1)}
              />
              <IconButton
                icon={ChevronDown}
                size="sm"
                label={t("roles.down", { name: role.name })}
                disabled={!canStand(index, index + 1)}
                onClick={() => move(index, index + 1)}
              />
            </span>
          </li>
        ))}
      </ol>
      <button
        type="button"
        className={cx(ROW_CLASS, chosenId === null ? "bg-selected" : "text-muted hover:bg-hover")}
        aria-current={chosenId === null ? "true" : undefined}
        onClick={() => onChoose(null)}
      >
        <Users size={14} aria-hidden />
        {t("common:everyone")}
      </button>
    </div>
  );
}
