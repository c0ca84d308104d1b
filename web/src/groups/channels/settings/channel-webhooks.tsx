import type { Webhook } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Trash2, Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useWebhooks } from "../../../data/integrations.ts";
import { useUser } from "../../../data/people.ts";
import { errorText } from "../../../shared/use-action.ts";
import { useFormats } from "../../../shared/formats.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { EmptyState, ErrorNote, SkeletonRows } from "../../../ui/feedback.tsx";
import { Form } from "../../../ui/form.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { userName } from "../../group-settings/user-name.ts";
import { SecretDialog } from "../../group-settings/secret-dialog.tsx";

/** Addresses that other programs post messages for a channel to. */
export function ChannelWebhooks({ channelId }: { channelId: string }) {
  const { t } = useTranslation("channels");
  const { data: webhooks, error, refetch } = useWebhooks(channelId);
  const call = useCall();
  const [address, setAddress] = useState<string | null>(null);
  const [deleted, setDeleted] = useState<Webhook | null>(null);
  const form = useForm({
    initial: { name: "" },
    async submit({ name }) {
      const { path } = await call("webhook.create", { channelId, name });
      setAddress(new URL(path, location.origin).href);
      form.reset();
    },
  });
  return (
    <div className="grid gap-5">
      <p className="text-muted">{t("webhooks.text")}</p>
      <Form form={form} action={t("webhooks.create")} disabled={form.values.name.trim() === ""}>
        <TextField
          label={t("webhooks.name")}
          required
          maxLength={LIMITS.nicknameMaxChars}
          autoComplete="off"
          {...form.field("name")}
        />
      </Form>
      {error !== null && <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />}
      {webhooks === undefined && error === null && <SkeletonRows count={2} withAvatar />}
      {webhooks?.length === 0 && (
        <EmptyState icon={WebhookIcon} title={t("webhooks.empty")} text={t("webhooks.emptyText")} />
      )}
      {webhooks !== undefined && webhooks.length > 0 && (
        <ul className="grid gap-1">
          {webhooks.map((webhook) => (
            <Row key={webhook.id} webhook={webhook} onDelete={() => setDeleted(webhook)} />
          ))}
        </ul>
      )}
      {address !== null && (
        <SecretDialog
          title={t("webhooks.created")}
          text={t("webhooks.once")}
          label={t("webhooks.address")}
          secret={address}
          onClose={() => setAddress(null)}
        />
      )}
      {deleted !== null && (
        <ConfirmDialog
          open
          danger
          onClose={() => setDeleted(null)}
          title={t("webhooks.deleteTitle", { name: deleted.name })}
          action={t("webhooks.delete")}
          onConfirm={() => call("webhook.delete", { channelId, webhookId: deleted.id })}
        >
          {t("webhooks.deleteText")}
        </ConfirmDialog>
      )}
    </div>
  );
}

function Row({ webhook, onDelete }: { webhook: Webhook; onDelete: () => void }) {
  const { t } = useTranslation("channels");
  const { date } = useFormats();
  const maker = useUser(webhook.createdBy);
  return (
    <li>
      <ListRow
        leading={<Avatar id={webhook.id} name={webhook.name} src={webhook.avatarUrl} />}
        title={webhook.name}
        subtitle={t("webhooks.by", {
          name: userName(maker),
          date: date(Date.parse(webhook.createdAt)),
        })}
        trailing={
          <IconButton
            icon={Trash2}
            label={t("webhooks.deleteTitle", { name: webhook.name })}
            variant="danger"
            onClick={onDelete}
          />
        }
      />
    </li>
  );
}
