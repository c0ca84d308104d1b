import type { Invite } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useFormats } from "../../shared/formats.ts";
import { Form } from "../../ui/form.tsx";
import { Select } from "../../ui/select.tsx";
import { useForm } from "../../ui/use-form.ts";

interface NewInviteFormProps {
  groupId: string;
  onMade?: (invite: Invite) => void;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const AGES_MS = [30 * MINUTE_MS, 60 * MINUTE_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS];
const USES = [1, 5, 10, 25, 100];
const NO_LIMIT = "none";

/** A link with an end, or for a number of people. */
export function NewInviteForm({ groupId, onMade }: NewInviteFormProps) {
  const { t } = useTranslation("invites");
  const { duration } = useFormats();
  const call = useCall();
  const form = useForm({
    initial: { maxAgeMs: String(7 * DAY_MS), maxUses: NO_LIMIT },
    async submit({ maxAgeMs, maxUses }) {
      const { invite } = await call("invite.create", {
        groupId,
        ...(maxAgeMs !== NO_LIMIT && { maxAgeMs: Number(maxAgeMs) }),
        ...(maxUses !== NO_LIMIT && { maxUses: Number(maxUses) }),
      });
      onMade?.(invite);
    },
  });
  return (
    <Form form={form} action={t("new")}>
      <div className="grid gap-4 md:grid-cols-2">
        <Select
          label={t("expires")}
          options={[
            ...AGES_MS.map((ms) => ({ value: String(ms), label: t("expiresAfter", { time: duration(ms) }) })),
            { value: NO_LIMIT, label: t("expiresNever") },
          ]}
          {...form.field("maxAgeMs")}
        />
        <Select
          label={t("uses")}
          options={[
            { value: NO_LIMIT, label: t("usesNoLimit") },
            ...USES.map((count) => ({ value: String(count), label: t("usesLimit", { count }) })),
          ]}
          {...form.field("maxUses")}
        />
      </div>
    </Form>
  );
}
