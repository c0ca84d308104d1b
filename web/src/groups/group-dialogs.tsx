import type { Channel, Group } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { useGroup, useCanInGroup, useRoles } from "../data/groups.ts";
import { NameDialog, FormDialog } from "../ui/form-dialog.tsx";
import {
  ChannelSettingsDialog,
  NO_SECTION,
  SectionSelect,
  SlowModeSelect,
} from "./channels/settings/channel-settings.tsx";
import type { GroupDialog } from "./open-group-dialog.tsx";
import { InviteDialog } from "./invites/invites.tsx";
import { NotificationDialog } from "./notification-dialog.tsx";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import { useLocation } from "wouter";
import { useHasCalls } from "../session/server-meta.ts";
import { channelPath } from "../routes.ts";
import { errorText } from "../shared/use-action.ts";
import { CheckboxList } from "../ui/checkbox.tsx";
import { RadioGroup, Switch } from "../ui/choices.tsx";
import { TextField, useForm } from "../ui/form.tsx";
import { showToast } from "../ui/feedback.tsx";
import { MemberPicker } from "../people/members/pickers.tsx";

interface GroupDialogsProps {
  groupId: string;
  dialog: GroupDialog;
  onClose: () => void;
}

export function GroupDialogs({ groupId, dialog, onClose }: GroupDialogsProps) {
  const group = useGroup(groupId);
  if (group === undefined) return null;
  switch (dialog.kind) {
    case "createChannel":
      return <CreateChannelDialog group={group} sectionId={dialog.sectionId} onClose={onClose} />;
    case "createSection":
      return <SectionDialog groupId={groupId} onClose={onClose} />;
    case "renameSection":
      return <SectionDialog groupId={groupId} section={dialog.channel} onClose={onClose} />;
    case "editChannel":
      return <ChannelSettingsDialog group={group} channelId={dialog.channel.id} onClose={onClose} />;
    case "channelNotifications":
      return (
        <NotificationDialog
          place={{ channelId: dialog.channel.id }}
          name={`#${dialog.channel.name}`}
          onClose={onClose}
        />
      );
    case "groupNotifications":
      return <NotificationDialog place={{ groupId }} name={group.name} onClose={onClose} />;
    case "invite":
      return <InviteDialog group={group} onClose={onClose} />;
  }
}

interface SectionDialogProps {
  groupId: string;
  /** The section to rename; omitted to create one. */
  section?: Channel;
  onClose: () => void;
}

function SectionDialog({ groupId, section, onClose }: SectionDialogProps) {
  const { t } = useTranslation("channels");
  const call = useCall();
  return (
    <NameDialog
      onClose={onClose}
      {...(section === undefined
        ? { title: t("section.create"), action: t("section.createAction"), hint: t("section.hint") }
        : { title: t("section.rename") })}
      label={t("section.name")}
      name={section?.name ?? ""}
      required
      maxLength={LIMITS.channelNameMaxChars}
      onSave={(name) =>
        section === undefined
          ? call("channel.create", { groupId, name, kind: "section" })
          : call("channel.update", { channelId: section.id, name })
      }
    />
  );
}

interface CreateChannelDialogProps {
  group: Group;
  sectionId: string | null;
  onClose: () => void;
}

interface Values extends Record<string, unknown> {
  kind: "text" | "announcement" | "voice";
  name: string;
  topic: string;
  sectionId: string;
  slowModeSeconds: number;
  private: boolean;
  roleIds: string[];
  memberIds: string[];
}

function CreateChannelDialog({ group, sectionId, onClose }: CreateChannelDialogProps) {
  const { t } = useTranslation("channels");
  const call = useCall();
  const [, navigate] = useLocation();
  const roles = useRoles(group.id).data ?? [];
  const hasCalls = useHasCalls();
  const canOverride = useCanInGroup(group.id, "manageRoles");
  const initial: Values = {
    kind: "text",
    name: "",
    topic: "",
    sectionId: sectionId ?? NO_SECTION,
    slowModeSeconds: 0,
    private: false,
    roleIds: [],
    memberIds: [],
  };
  const form = useForm({
    initial,
    async submit({ kind, roleIds, memberIds, ...values }) {
      const { channel } = await call("channel.create", {
        ...values,
        ...(kind === "voice" && { kind }),
        groupId: group.id,
        sectionId: values.sectionId === NO_SECTION ? null : values.sectionId,
        ...(values.private && { roleIds, memberIds }),
      });
      if (kind === "announcement") await silence(channel);
      onClose();
      navigate(channelPath(group.id, channel.id));
    },
  });
  // A failure must not undo the creation of the channel.
  const silence = async ({ id: channelId, private: isPrivate }: Channel): Promise<void> => {
    const deny = PERMISSIONS.sendMessages | (isPrivate ? PERMISSIONS.view : 0);
    try {
      await call("channel.setOverride", { channelId, target: { type: "everyone" }, allow: 0, deny });
    } catch (error) {
      showToast({ text: `${t("create.overrideFailed")} ${errorText(error)}`, tone: "danger" });
    }
  };
  const { values, set } = form;
  const kinds = [
    { value: "text" as const, label: t("create.text"), hint: t("create.textHint") },
    hasCalls && { value: "voice" as const, label: t("create.voice"), hint: t("create.voiceHint") },
    canOverride && {
      value: "announcement" as const,
      label: t("create.announcement"),
      hint: t("create.announcementHint"),
    },
  ].filter((kind) => kind !== false);
  return (
    <FormDialog
      onClose={onClose}
      title={t("create.title")}
      form={form}
      action={t("create.action")}
      disabled={values.name.trim() === ""}
    >
      <TextField
        label={t("create.name")}
        required
        autoFocus
        maxLength={LIMITS.channelNameMaxChars}
        {...form.field("name")}
      />
      {kinds.length > 1 && <RadioGroup label={t("create.kind")} {...form.field("kind")} options={kinds} />}
      <Switch
        label={t("create.private")}
        hint={t("create.privateHint")}
        checked={values.private}
        onChange={(isPrivate) => set("private", isPrivate)}
      />
      {values.private && (
        <fieldset className="grid gap-3 rounded-md border border-line p-3">
          <legend className="px-1 text-sm font-medium">{t("create.visibility")}</legend>
          <CheckboxList
            options={roles.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.field("roleIds")}
          />
          <MemberPicker groupId={group.id} label={t("common:members")} {...form.field("memberIds")} />
        </fieldset>
      )}
      <details className="grid gap-4">
        <summary className="min-h-6 cursor-pointer text-sm font-medium text-muted hover:text-text">
          {t("create.more")}
        </summary>
        <div className="mt-3 grid gap-4">
          <TextField
            label={t("group-settings:audit.field.topic")}
            maxLength={LIMITS.topicMaxChars}
            {...form.field("topic")}
          />
          <SectionSelect groupId={group.id} {...form.field("sectionId")} />
          <SlowModeSelect {...form.field("slowModeSeconds")} />
        </div>
      </details>
    </FormDialog>
  );
}
