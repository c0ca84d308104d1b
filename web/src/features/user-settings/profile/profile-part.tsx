import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { type OwnStatus, useOwnStatus } from "../../../data/presence.ts";
import { useAction } from "../../../shared/use-action.ts";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Form } from "../../../ui/form.tsx";
import { RadioGroup } from "../../../ui/radio-group.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { Section } from "../section.tsx";
import { AvatarForm } from "./avatar-form.tsx";

const STATUSES: readonly OwnStatus[] = ["online", "idle", "doNotDisturb", "invisible"];

/** What others see. */
export function ProfilePart() {
  const { t } = useTranslation("user-settings");
  const me = useMe();
  const call = useCall();
  const form = useForm({
    initial: { nickname: me.nickname, bio: me.bio },
    async submit(values) {
      await call("user.updateProfile", values);
      showToast({ text: t("saved"), tone: "good" });
    },
  });
  return (
    <>
      <AvatarForm />
      <Section title={t("profile.about")}>
        <Form form={form} action={t("save")} disabled={!form.changed || form.values.nickname.trim() === ""}>
          <TextField
            label={t("profile.nickname")}
            required
            maxLength={LIMITS.nicknameMaxChars}
            autoComplete="nickname"
            {...form.field("nickname")}
          />
          <TextArea
            label={t("profile.bio")}
            hint={t("profile.bioHint", { left: LIMITS.bioMaxChars - form.values.bio.length })}
            maxLength={LIMITS.bioMaxChars}
            {...form.field("bio")}
          />
        </Form>
      </Section>
      <StatusChoice />
    </>
  );
}

/** The status that others see while the user is online. */
function StatusChoice() {
  const { t } = useTranslation("user-settings");
  const { data: status = "online" } = useOwnStatus();
  const call = useCall();
  const { error, run } = useAction();
  return (
    <div className="grid gap-3">
      <RadioGroup
        label={t("profile.status")}
        value={status}
        onChange={(next) => void run(() => call("presence.setStatus", { status: next }))}
        options={STATUSES.map((value) => ({
          value,
          label: t(`shell:presence.${value}`),
          hint: t(`profile.statusHint.${value}`),
        }))}
      />
      <ErrorNote text={error} />
    </div>
  );
}
