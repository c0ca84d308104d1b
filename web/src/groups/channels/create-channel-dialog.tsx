import type { Channel, Group } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { useHasCalls } from "../../session/server-meta.ts";
import { useCanInGroup, useRoles } from "../../data/groups.ts";
import { channelPath } from "../../routes.ts";
import { errorText } from "../../shared/use-action.ts";
import { CheckboxList } from "../../ui/checkbox.tsx";
import { RadioGroup, Switch } from "../../ui/choices.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { TextField, useForm } from "../../ui/form.tsx";
import { showToast } from "../../ui/feedback.tsx";
import { MemberPicker } from "../../people/members/pickers.tsx";
import { NO_SECTION, SectionSelect, SlowModeSelect } from "./channel-fields.tsx";

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

export function CreateChannelDialog({ group, sectionId, onClose }: CreateChannelDialogProps) {
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
    ...(hasCalls ? [{ value: "voice" as const, label: t("create.voice"), hint: t("create.voiceHint") }] : []),
    ...(canOverride
      ? [
          {
            value: "announcement" as const,
            label: t("create.announcement"),
            hint: t("create.announcementHint"),
          },
        ]
      : []),
  ];
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
