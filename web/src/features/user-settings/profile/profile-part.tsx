import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { Form } from "../../../ui/form.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { Section } from "../section.tsx";
import { AvatarForm } from "./avatar-form.tsx";
import { StatusChoice } from "./status-choice.tsx";

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
