import type { AdminUser, Call } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import {
  Ellipsis,
  FileDown,
  KeyRound,
  LockKeyholeOpen,
  Scale,
  ShieldMinus,
  ShieldPlus,
  UserCheck,
  UserSearch,
  UserX,
} from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAdminUsers } from "../data/admin.ts";
import { useCall } from "../data/call.ts";
import { useMe } from "../data/me.ts";
import { mailLanguage } from "../i18n/language.ts";
import { formatTime } from "../shared/times.ts";
import { Avatar, Badge } from "../ui/display.tsx";
import { ListRow } from "../ui/list-row.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { openDialog } from "../ui/open-dialog.tsx";
import { EmptyState, showToast } from "../ui/feedback.tsx";
import { TextField, useForm } from "../ui/form.tsx";
import { Menu } from "../ui/menu.tsx";
import { CopyField } from "../shared/copy-field.tsx";
import { openMessageExport, openStartHold } from "./admin-holds.tsx";
import { AdminList, ReasonField } from "./admin-parts.tsx";
import { useSettled } from "../shared/hooks.ts";
import { dotted } from "../shared/formats.ts";

const ICONS = {
  disable: UserX,
  enable: UserCheck,
  makeAdmin: ShieldPlus,
  removeAdmin: ShieldMinus,
  sendReset: LockKeyholeOpen,
  resetTotp: KeyRound,
};

export function AdminUsers() {
  const { t } = useTranslation("admin");
  const [search, setSearch] = useState("");
  const users = useAdminUsers(useSettled(search));
  return (
    <>
      <Button
        className="justify-self-start"
        onClick={() => openDialog((onClose) => <CreateUserDialog onClose={onClose} />)}
      >
        {t("createUser.title")}
      </Button>
      <TextField
        label={t("users.search")}
        hint={t("users.searchHint")}
        type="search"
        value={search}
        onChange={setSearch}
      />
      <AdminList
        label={t("sections.users")}
        pages={users}
        empty={<EmptyState icon={UserSearch} title={t("users.none")} text={t("users.noneText")} />}
      >
        {(user) => <UserRow key={user.id} user={user} />}
      </AdminList>
    </>
  );
}

/** Creates an account. Its owner sets the password with an emailed link. */
function CreateUserDialog({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useTranslation("admin");
  const call = useCall();
  const form = useForm({
    initial: { username: "", email: "" },
    async submit(values) {
      const [name, email] = [values.username.trim(), values.email.trim()];
      const { link } = await call("admin.createUser", {
        username: name,
        ...(email !== "" && { email }),
        locale: mailLanguage(i18n.language),
      });
      onClose();
      if (link === null) showToast({ text: t("createUser.mailed", { email }), tone: "good" });
      else showLink(name, link);
    },
    fieldOfError: { USERNAME_TAKEN: "username", EMAIL_TAKEN: "email" },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t("createUser.title")}
      description={t("createUser.text")}
      form={form}
      action={t("createUser.action")}
      disabled={form.values.username.trim() === ""}
    >
      <TextField
        label={t("session:username")}
        required
        autoFocus
        maxLength={LIMITS.usernameMaxChars}
        autoCapitalize="none"
        spellCheck={false}
        {...form.field("username")}
      />
      <TextField
        label={t("session:email")}
        type="email"
        maxLength={LIMITS.emailMaxChars}
        {...form.field("email")}
      />
    </FormDialog>
  );
}

interface UserActionDialogProps {
  user: Pick<AdminUser, "id" | "nickname">;
  userAction: UserAction;
  onClose: () => void;
  /** Called after a success, before the dialog closes. */
  onDone?: () => Promise<unknown>;
}

export function UserActionDialog({ user, userAction, onClose, onDone }: UserActionDialogProps) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const [reason, setReason] = useState("");
  const name = user.nickname;
  const confirm = async () => {
    const link = await runUserAction(call, userAction, user.id, reason.trim());
    await onDone?.();
    if (link !== null) return showLink(name, link);
    showToast({ text: t(`users.${userAction}.done`, { name }), tone: "good" });
  };
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t(`users.${userAction}.title`, { name })}
      action={t(`users.${userAction}.action`)}
      danger={DANGEROUS.has(userAction)}
      onConfirm={confirm}
    >
      <div className="grid gap-3">
        <p>{t(`users.${userAction}.text`, { name })}</p>
        {WITH_REASON.has(userAction) && <ReasonField value={reason} onChange={setReason} />}
      </div>
    </ConfirmDialog>
  );
}

/** @returns the link for the admin to pass on, if it couldn't be emailed */
async function runUserAction(
  call: Call,
  userAction: UserAction,
  userId: string,
  reason: string,
): Promise<string | null> {
  const params = { userId, ...(reason !== "" && { reason }) };
  switch (userAction) {
    case "disable":
      await call("admin.disableUser", params);
      break;
    case "enable":
      await call("admin.enableUser", { userId });
      break;
    case "sendReset":
      return (await call("admin.sendPasswordReset", { userId })).link;
    case "resetTotp":
      await call("admin.resetTotp", params);
      break;
    default:
      await call("admin.setAdmin", { userId, admin: userAction === "makeAdmin" });
  }
  return null;
}

function UserRow({ user }: { user: AdminUser }) {
  const { t } = useTranslation("admin");
  const me = useMe();
  const { id, nickname, username, email, avatarUrl, kind, admin, totpEnabled, disabledAt, createdAt } = user;
  const known = [
    username === null ? null : `@${username}`,
    email,
    t("group-settings:members.since", { date: formatTime(createdAt, "date") }),
  ];
  return (
    <ListRow
      leading={<Avatar name={nickname} id={id} src={avatarUrl} />}
      title={
        <span className="flex items-center gap-2">
          <span className="truncate">{nickname}</span>
          {admin && <Badge tone="accent">{t("users.admin")}</Badge>}
          {kind !== "member" && <Badge>{t(`users.kinds.${kind}`)}</Badge>}
          {totpEnabled && <Badge tone="good">{t("users.twoStep")}</Badge>}
          {disabledAt !== null && <Badge tone="danger">{t("users.disabled")}</Badge>}
        </span>
      }
      subtitle={dotted(known)}
      trailing={
        <Menu
          trigger={
            <IconButton icon={Ellipsis} label={t("users.more", { name: nickname })} tooltipSide="left" />
          }
          items={[
            ...userActionsFor(user, me.id).map((userAction) => ({
              label: t(`users.${userAction}.menu`),
              icon: ICONS[userAction],
              danger: DANGEROUS.has(userAction),
              onSelect: () =>
                openDialog((onClose) => (
                  <UserActionDialog user={user} userAction={userAction} onClose={onClose} />
                )),
            })),
            id !== me.id && {
              label: t("holds.start.menu"),
              icon: Scale,
              onSelect: () => openStartHold({ id, name: nickname }),
            },
            id !== me.id && {
              label: t("messageExport.menu"),
              icon: FileDown,
              onSelect: () => openMessageExport({ id, name: nickname }),
            },
          ]}
        />
      }
    />
  );
}

type UserAction = "disable" | "enable" | "makeAdmin" | "removeAdmin" | "sendReset" | "resetTotp";

const DANGEROUS: ReadonlySet<UserAction> = new Set<UserAction>(["disable", "removeAdmin", "resetTotp"]);
const WITH_REASON: ReadonlySet<UserAction> = new Set<UserAction>(["disable", "resetTotp"]);

/** Mirrors the server's rules: an admin can't be disabled, and only users with an account can become admin. */
export function userActionsFor(user: AdminUser, ownId: string): UserAction[] {
  if (user.disabledAt !== null) return ["enable"];
  if (user.admin) return user.id === ownId ? ["removeAdmin"] : ["removeAdmin", "sendReset", "resetTotp"];
  if (user.kind === "member") return ["makeAdmin", "sendReset", "resetTotp", "disable"];
  return ["disable"];
}

/** Shows a link that couldn't be emailed. It isn't shown anywhere else. */
function showLink(name: string, link: string): void {
  openDialog((onClose) => <PasswordLinkDialog name={name} link={link} onClose={onClose} />);
}

interface PasswordLinkDialogProps {
  name: string;
  link: string;
  onClose: () => void;
}

function PasswordLinkDialog({ name, link, onClose }: PasswordLinkDialogProps) {
  const { t } = useTranslation("admin");
  return (
    <Dialog onClose={onClose} title={t("link.title", { name })} description={t("link.text")}>
      <CopyField label={t("invites:link")} value={link} />
    </Dialog>
  );
}
