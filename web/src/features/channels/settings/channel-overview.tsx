import type { ChannelState } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { Form } from "../../../ui/form.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { NO_SECTION, SectionSelect } from "../section-select.tsx";
import { SlowModeSelect } from "../slow-mode-select.tsx";

/** Name, topic, section and slow mode. */
export function ChannelOverview({ channel }: { channel: ChannelState }) {
  const { t } = useTranslation("channels");
  const call = useCall();
  const form = useForm({
    initial: {
      name: channel.name,
      topic: channel.topic,
      sectionId: channel.sectionId ?? NO_SECTION,
      slowModeSeconds: channel.slowModeSeconds,
    },
    async submit(values) {
      const sectionId = values.sectionId === NO_SECTION ? null : values.sectionId;
      await call("channel.update", { channelId: channel.id, ...values, sectionId });
      showToast({ text: t("settings.saved"), tone: "good" });
    },
  });
  return (
    <Form form={form} action={t("save")} disabled={!form.changed || form.values.name.trim() === ""}>
      <TextField
        label={t("create.name")}
        required
        maxLength={LIMITS.channelNameMaxChars}
        autoComplete="off"
        {...form.field("name")}
      />
      {channel.kind === "text" && (
        <>
          <TextArea
            label={t("topic")}
            hint={t("topicHint")}
            maxLength={LIMITS.topicMaxChars}
            {...form.field("topic")}
          />
          <SectionSelect groupId={channel.groupId!} {...form.field("sectionId")} />
          <SlowModeSelect
            value={form.values.slowModeSeconds}
            onChange={(seconds) => form.set("slowModeSeconds", seconds)}
          />
        </>
      )}
    </Form>
  );
}
