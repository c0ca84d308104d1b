import type { ModalErrors, ModalField, ModalValues, OpenedModal } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useUser } from "../../../data/people.ts";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { TextArea, TextField, useForm } from "../../../ui/form.tsx";
import { Select } from "../../../ui/select.tsx";
import { expectModal } from "../bot-modals.tsx";

interface BotModalProps {
  opened: OpenedModal;
  onClose: () => void;
}

/** A dialog of a bot. It stays open until the bot accepts its values. */
export function BotModal({ opened: { id, botId, channelId, modal }, onClose }: BotModalProps) {
  const { t } = useTranslation("messages");
  const call = useCall();
  const bot = useUser(botId);
  const { fields } = modal;
  const [errors, setErrors] = useState<ModalErrors>({});
  const form = useForm<ModalValues>({
    initial: Object.fromEntries(fields.map((field) => [field.id, initialOf(field)])),
    async submit(values) {
      const missing = fields.filter((field) => isMissing(field, values[field.id]));
      setErrors(Object.fromEntries(missing.map((field) => [field.id, t("modal.required")])));
      if (missing.length > 0) return;
      const answer = await call("modal.submit", { channelId, modalId: id, values });
      setErrors(answer.errors);
      if (Object.keys(answer.errors).length > 0) return;
      onClose();
      expectModal(answer.submissionId);
    },
  });
  const set = (fieldId: string, value: string | boolean) => {
    form.set(fieldId, value);
    setErrors(({ [fieldId]: _corrected, ...others }) => others);
  };
  const known = new Set(fields.map((field) => field.id));
  const others = Object.entries(errors).filter(([fieldId]) => !known.has(fieldId));
  return (
    <FormDialog
      onClose={onClose}
      title={modal.title}
      description={bot && t("modal.receiver", { name: bot.nickname })}
      form={form}
      action={modal.submitLabel ?? t("modal.submit")}
    >
      {fields.map((field) => (
        <ModalFieldInput
          key={field.id}
          field={field}
          value={form.values[field.id]!}
          error={errors[field.id]}
          onChange={(value) => set(field.id, value)}
        />
      ))}
      <ErrorNote text={others.length === 0 ? null : others.map(([, text]) => text).join(" ")} />
    </FormDialog>
  );
}

interface ModalFieldInputProps {
  field: ModalField;
  value: string | boolean;
  error: string | undefined;
  onChange: (value: string | boolean) => void;
}

function ModalFieldInput({ field, value, error, onChange }: ModalFieldInputProps) {
  const { t } = useTranslation("messages");
  const { hint } = field;
  if (field.kind === "checkbox") {
    const note =
      error === undefined ? (
        hint
      ) : (
        <span role="alert" className="text-danger-text">
          {error}
        </span>
      );
    return <Checkbox label={field.label} hint={note} checked={value === true} onChange={onChange} />;
  }
  const isRequired = field.required === true;
  const common = {
    label: isRequired ? field.label : t("modal.optional", { label: field.label }),
    hint,
    error,
    value: String(value),
    onChange,
  };
  if (field.kind === "select") {
    const options = [{ value: "", label: t("modal.choose") }, ...field.options];
    return <Select {...common} options={options} />;
  }
  const text = {
    ...common,
    "aria-required": isRequired,
    dir: "auto",
    placeholder: field.placeholder,
    maxLength: field.maxChars ?? LIMITS.modalTextMaxChars,
  };
  return field.multiline === true ? <TextArea {...text} /> : <TextField {...text} />;
}

function initialOf(field: ModalField): string | boolean {
  return field.initial ?? (field.kind === "checkbox" ? false : "");
}

const isMissing = (field: ModalField, value: string | boolean | undefined): boolean =>
  field.kind !== "checkbox" && field.required === true && String(value ?? "").trim() === "";
