import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { invitePath } from "../routes.ts";
import { Form } from "../ui/form.tsx";
import { TextField } from "../ui/text-field.tsx";
import { useForm } from "../ui/use-form.ts";
import { inviteCodeOf } from "./invite-code.ts";

/** Takes an invite link, or only its code, and goes to its page. */
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
    <Form form={form} action={t("join.action")} disabled={code === null}>
      <TextField
        label={t("join.link")}
        hint={t("join.hint")}
        placeholder={`${location.origin}/invite/…`}
        required
        autoComplete="off"
        spellCheck={false}
        {...form.field("link")}
        error={isWrong ? t("join.wrong") : null}
      />
    </Form>
  );
}
