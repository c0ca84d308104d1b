import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { channelPath } from "../../routes.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";

interface CreateChannelDialogProps {
  groupId: string;
  open: boolean;
  onClose: () => void;
}

export function CreateChannelDialog({ groupId, open, onClose }: CreateChannelDialogProps) {
  const { t } = useTranslation("home");
  const call = useCall();
  const [, navigate] = useLocation();
  const form = useForm({
    initial: { name: "" },
    submit: async ({ name }) => {
      const { channel } = await call("channel.create", { groupId, name });
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
