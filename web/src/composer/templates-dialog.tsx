import type { MessageTemplate } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormats } from "../shared/formats.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { showFailure } from "../ui/feedback.tsx";
import { TextArea, TextField } from "../ui/form.tsx";
import { ListRow } from "../ui/list-row.tsx";
import { templateFault, useTemplates } from "./templates.ts";

interface TemplatesDialogProps {
  /** The message so far, with which a new template begins. */
  text: string;
  onInsert: (text: string) => void;
  /** The element to focus afterwards. */
  finalFocus: () => HTMLElement | null;
  onClose: () => void;
}

/** Lists the user's templates to insert, change or delete one. */
export function TemplatesDialog({ text, onInsert, finalFocus, onClose }: TemplatesDialogProps) {
  const { t } = useTranslation("composer");
  const { templates, set } = useTemplates();
  /** The one that is being written; `old` is null for a new one. */
  const [edited, setEdited] = useState<{ old: MessageTemplate | null } | null>(null);
  if (edited !== null)
    return <TemplateForm old={edited.old} text={text} onDone={() => setEdited(null)} onClose={onClose} />;
  return (
    <Dialog
      onClose={onClose}
      finalFocus={finalFocus}
      title={t("template.title")}
      footer={
        <Button variant="primary" onClick={() => setEdited({ old: null })}>
          {t("template.add")}
        </Button>
      }
    >
      {templates.length === 0 ? (
        <p className="text-muted">{t("template.none")}</p>
      ) : (
        <ul aria-label={t("template.title")} className="grid grid-cols-1 gap-px">
          {templates.map((template) => (
            <ListRow
              key={template.name}
              title={template.name}
              subtitle={template.text}
              onClick={() => {
                onInsert(template.text);
                onClose();
              }}
              trailing={
                <>
                  <IconButton
                    icon={Pencil}
                    size="sm"
                    label={t("template.edit", { name: template.name })}
                    onClick={() => setEdited({ old: template })}
                  />
                  <IconButton
                    icon={Trash2}
                    size="sm"
                    label={t("template.remove", { name: template.name })}
                    onClick={() => {
                      set(templates.filter((one) => one !== template)).catch(showFailure);
                    }}
                  />
                </>
              }
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

interface TemplateFormProps {
  old: MessageTemplate | null;
  text: string;
  onDone: () => void;
  onClose: () => void;
}

function TemplateForm({ old, text: written, onDone, onClose }: TemplateFormProps) {
  const { t } = useTranslation("composer");
  const { count } = useFormats();
  const { templates, set } = useTemplates();
  const [name, setName] = useState(old?.name ?? "");
  const [text, setText] = useState(old?.text ?? written);
  const template = { name: name.trim(), text: text.trim() };
  const others = templates.filter((one) => one.name !== old?.name);
  const fault = templateFault(template, others);
  const isReady = template.name !== "" && template.text !== "" && fault === null;
  const save = () => {
    set([...others, template].toSorted((a, b) => a.name.localeCompare(b.name))).then(onDone, showFailure);
  };
  return (
    <Dialog
      onClose={onClose}
      title={old === null ? t("template.add") : t("template.edit", { name: old.name })}
      footer={
        <>
          <Button onClick={onDone}>{t("ui:cancel")}</Button>
          <Button variant="primary" disabled={!isReady} onClick={save}>
            {t("template.save")}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <TextField
          label={t("common:name")}
          value={name}
          onChange={setName}
          maxLength={LIMITS.templateNameMaxChars}
          error={fault === "nameTaken" ? t("template.nameTaken") : null}
          autoFocus
        />
        <TextArea
          label={t("template.text")}
          value={text}
          onChange={setText}
          maxLength={LIMITS.messageMaxChars}
          error={
            (fault === "full" && t("template.full", { max: count(LIMITS.templatesPerUser) })) ||
            (fault === "tooLong" && t("template.tooLong", { max: count(LIMITS.templatesMaxChars) })) ||
            null
          }
        />
      </div>
    </Dialog>
  );
}
