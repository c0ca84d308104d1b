import { useTranslation } from "react-i18next";
import { Dialog, type DialogProps } from "./dialog.tsx";
import { Form, type FormProps, TextField, type TextFieldProps, useForm } from "./form.tsx";

type FormDialogProps = Pick<DialogProps, "onClose" | "title" | "description" | "size"> & FormProps;

/** A dialog with one form. */
export function FormDialog({ onClose, title, description, size = "md", ...form }: FormDialogProps) {
  return (
    <Dialog onClose={onClose} title={title} description={description} size={size}>
      <Form {...form} />
    </Dialog>
  );
}

interface NameDialogProps extends Omit<TextFieldProps, "value" | "onChange" | "title" | "label"> {
  onClose: () => void;
  title: string;
  label?: string;
  /** By default "Save". */
  action?: string;
  name: string;
  onSave: (name: string) => Promise<unknown>;
  /** The error code for a name that someone else has. */
  takenError?: string;
}

/** Asks for the name of something new, or for another one. */
export function NameDialog(props: NameDialogProps) {
  const { onClose, title, label, action, name, onSave, takenError = "", required, ...field } = props;
  const { t } = useTranslation("common");
  const form = useForm({
    initial: { name },
    submit: (values) => onSave(values.name.trim()),
    fieldOfError: { [takenError]: "name" },
    onDone: onClose,
  });
  const isMissing = required === true && form.values.name.trim() === "";
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      size="sm"
      form={form}
      action={action ?? t("save")}
      disabled={isMissing || !form.changed}
    >
      <TextField
        label={label ?? t("name")}
        required={required}
        autoFocus
        {...field}
        {...form.field("name")}
      />
    </FormDialog>
  );
}
