import { Dialog, type DialogProps } from "./dialog.tsx";
import { Form, type FormProps } from "./form.tsx";

type FormDialogProps = Pick<DialogProps, "onClose" | "title" | "description" | "size"> & FormProps;

/** A dialog with one form. */
export function FormDialog({ onClose, title, description, size = "md", ...form }: FormDialogProps) {
  return (
    <Dialog onClose={onClose} title={title} description={description} size={size}>
      <Form {...form} />
    </Dialog>
  );
}
