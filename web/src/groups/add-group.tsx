import { useTranslation } from "react-i18next";
import { LIMITS } from "@fanfare/contract/limits";
import { useState, type ReactNode } from "react";
import { Compass } from "lucide-react";
import { Link, useLocation } from "wouter";
import { useFirstShown } from "../shared/first-shown.ts";
import { useBranding } from "../session/branding.ts";
import { useCall } from "../data/call.ts";
import { useServerCache } from "../data/data-context.ts";
import { useMe } from "../data/me.ts";
import { useHasDirectory, useServerMeta } from "../session/server-meta.ts";
import { directoryPath, groupPath, invitePath } from "../routes.ts";
import { errorText } from "../shared/use-action.ts";
import { buttonClass } from "../ui/button.tsx";
import { Form, TextField, useForm } from "../ui/form.tsx";
import { showToast } from "../ui/feedback.tsx";
import { PictureInput, useObjectUrl } from "../shared/file-input.tsx";
import { OwnJoinRequests } from "./invites/invite-page.tsx";
import { offerInvite } from "./new-group.ts";
import { Avatar } from "../ui/display.tsx";

/** For users without a group. */
export function FirstGroup() {
  const { t } = useTranslation("groups");
  useFirstShown();
  const { name } = useBranding();
  const canCreate = useCanCreateGroups();
  return (
    <div className="m-auto grid w-full max-w-md gap-6 overflow-y-auto p-6">
      <header className="grid gap-2 text-center">
        <h1 className="text-2xl font-semibold">{t("first.title", { name })}</h1>
        <p className="text-muted">{canCreate ? t("first.text") : t("first.joinText")}</p>
      </header>
      {canCreate && (
        <section
          aria-label={t("add.create")}
          className="rounded-lg border border-line bg-raised p-5 shadow-raised"
        >
          <CreateGroupForm />
        </section>
      )}
      <section aria-label={t("add.join")} className="rounded-lg border border-line p-5">
        <JoinGroupForm />
      </section>
      <DirectoryLink />
    </div>
  );
}

/** Whether the user can create groups; true until the server responds. */
export function useCanCreateGroups(): boolean {
  const { admin, kind } = useMe();
  const allowed = useServerMeta()?.groupCreation ?? "everyone";
  return allowed === "everyone" || admin || (allowed === "accounts" && kind !== "guest");
}

/** Creates a group and opens it; an invite link is shown there. */
export function CreateGroupForm({ onDone }: { onDone?: () => void }) {
  const { t } = useTranslation("groups");
  const { client } = useServerCache();
  const call = useCall();
  const [, navigate] = useLocation();
  const [icon, setIcon] = useState<File | null>(null);
  const form = useForm({
    initial: { name: "" },
    async submit({ name }) {
      const { group } = await call("group.create", { name });
      if (icon !== null) await setGroupIcon(group.id, icon);
      offerInvite(group.id);
      onDone?.();
      navigate(groupPath(group.id));
    },
  });
  // A failure must not undo the creation of the group.
  const setGroupIcon = async (groupId: string, file: File): Promise<void> => {
    try {
      const { fileId } = await client.uploadPicture(file);
      await call("group.setIcon", { groupId, fileId });
    } catch (error) {
      showToast({ text: `${t("icon.failed")} ${errorText(error)}`, tone: "danger" });
    }
  };
  return (
    <Form form={form} action={t("create.action")} disabled={form.values.name.trim() === ""}>
      <GroupIconField name={form.values.name} id="new" iconUrl={null} file={icon} onChoose={setIcon} />
      <TextField
        label={t("create.name")}
        required
        autoFocus
        maxLength={LIMITS.groupNameMaxChars}
        {...form.field("name")}
      />
    </Form>
  );
}

interface GroupIconFieldProps {
  name: string;
  id: string;
  iconUrl: string | null;
  /** Chosen but not uploaded yet. */
  file: File | null;
  onChoose: (file: File) => void;
  disabled?: boolean;
  more?: ReactNode;
}

/** The server crops the icon to a square, so no cropping is needed here. */
export function GroupIconField({ name, id, iconUrl, file, onChoose, disabled, more }: GroupIconFieldProps) {
  const { t } = useTranslation("groups");
  const preview = useObjectUrl(file);
  return (
    <div className="flex items-center gap-4">
      <Avatar name={name === "" ? "?" : name} id={id} src={preview ?? iconUrl} size={72} shape="square" />
      <div className="grid justify-items-start gap-1.5">
        <div className="flex flex-wrap gap-2">
          <PictureInput onChoose={onChoose} disabled={disabled}>
            {iconUrl === null && file === null ? t("icon.add") : t("icon.change")}
          </PictureInput>
          {more}
        </div>
        <p className="text-sm text-muted">{t("icon.hint")}</p>
      </div>
    </div>
  );
}

export function JoinGroupForm({ onDone }: { onDone?: () => void }) {
  const { t } = useTranslation("groups");
  const [, navigate] = useLocation();
  const form = useForm({
    initial: { link: "" },
    async submit({ link }) {
      onDone?.();
      navigate(invitePath(inviteCodeOf(link)!));
    },
  });
  const code = inviteCodeOf(form.values.link);
  const isWrong = code === null && form.values.link.trim().length > 3;
  return (
    <div className="grid gap-4">
      <Form form={form} action={t("join.action")} disabled={code === null}>
        <TextField
          label={t("join.link")}
          hint={t("join.hint")}
          placeholder={`${location.origin}/invite/…`}
          required
          spellCheck={false}
          {...form.field("link")}
          error={isWrong ? t("join.invalid") : null}
        />
      </Form>
      <OwnJoinRequests />
    </div>
  );
}

export function DirectoryLink({ onClick }: { onClick?: () => void }) {
  const { t } = useTranslation("groups");
  if (!useHasDirectory()) return null;
  return (
    <Link href={directoryPath()} onClick={onClick} className={buttonClass({ variant: "ghost" })}>
      <Compass size={18} aria-hidden />
      {t("directory.title")}
    </Link>
  );
}

const CODE = /^[A-Za-z0-9_-]{6,32}$/;

/** The invite code in a link of any host, a path or the code itself; null if there is none. */
export function inviteCodeOf(text: string): string | null {
  const path = text.trim().replace(/[?#].*$/, "");
  const code = /(?:^|\/)invite\/([^/]+)\/?$/.exec(path)?.[1] ?? path;
  return CODE.test(code) ? code : null;
}
