import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { Form } from "../../ui/form.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useForm } from "../../ui/use-form.ts";

/** Tells everybody who is connected something. */
export function AdminAnnouncements() {
  const { t } = useTranslation("admin");
  const call = useCall();
  const form = useForm({
    initial: { text: "" },
    async submit({ text }) {
      await call("admin.announce", { text });
      form.reset({ text: "" });
      showToast({ text: t("announcements.done"), tone: "good" });
    },
  });
  return (
    <>
      <p className="text-muted">{t("announcements.hint")}</p>
      <Form form={form} action={t("announcements.action")} disabled={form.values.text.trim() === ""}>
        <TextArea label={t("announcements.text")} maxLength={LIMITS.noticeMaxChars} {...form.field("text")} />
      </Form>
    </>
  );
}
