import { useTranslation } from "react-i18next";
import { channelPath, navigate } from "../../shared/route.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";
import { useClient } from "../session/client-context.ts";

interface CreateChannelDialogProps {
  groupId: string;
  open: boolean;
  onClose: () => void;
}

export function CreateChannelDialog({ groupId, open, onClose }: CreateChannelDialogProps) {
  const { t } = useTranslation("home");
  const client = useClient();
  const form = useForm({
    initial: { name: "" },
    submit: async ({ name }) => {
      const { channel } = await client.call("channel.create", { groupId, name });
      form.reset();
      onClose();
      navigate(channelPath(groupId, channel.id));
    },
  });
  return (
    <Dialog open={open} onClose={onClose} title={t("newChannel")}>
      <Form form={form} action={t("createChannel")}>
        <TextField
          label={t("nameOfChannel")}
          required
          autoFocus
          maxLength={100}
          autoComplete="off"
          {...form.field("name")}
        />
      </Form>
    </Dialog>
  );
}
