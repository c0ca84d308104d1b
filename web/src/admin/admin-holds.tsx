import type { LegalHold } from "@fanfare/contract";
import { FileDown, Scale, ShieldOff } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLegalHolds } from "../data/admin.ts";
import { useCall } from "../data/call.ts";
import { useServerCache } from "../data/data-context.ts";
import { useUser } from "../data/people.ts";
import { dayBefore, formatDay, dayAndTime } from "../shared/times.ts";
import { DownloadLines, inPieces } from "../shared/download-lines.tsx";
import { IconButton } from "../ui/button.tsx";
import { Switch } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Badge } from "../ui/display.tsx";
import { EmptyState } from "../ui/feedback.tsx";
import { TextField, useForm } from "../ui/form.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ListRow } from "../ui/list-row.tsx";
import { openDialog } from "../ui/open-dialog.tsx";
import { AdminList, ReasonField } from "./admin-parts.tsx";
import { dotted } from "../shared/formats.ts";

/** Whose messages to keep or export. */
interface Person {
  id: string;
  name: string;
}

interface PersonDialogProps {
  person: Person;
  onClose: () => void;
}

export function AdminHolds() {
  const { t } = useTranslation("admin");
  return (
    <AdminList
      hint={t("holds.hint")}
      label={t("sections.holds")}
      pages={useLegalHolds()}
      empty={<EmptyState icon={Scale} title={t("holds.none")} text={t("holds.noneText")} />}
    >
      {(hold) => <HoldRow key={hold.id} hold={hold} />}
    </AdminList>
  );
}

function HoldRow({ hold }: { hold: LegalHold }) {
  const { t } = useTranslation("admin");
  const { name, userId, reason, startedBy, startedAt, endedBy, endedAt } = hold;
  const starter = useUser(startedBy)?.nickname ?? t("audit.unknownActor");
  const ender = useUser(endedBy)?.nickname ?? t("audit.unknownActor");
  const known = [
    t("holds.started", { name: starter, time: dayAndTime(startedAt) }),
    endedAt === null ? null : t("holds.ended", { name: ender, time: dayAndTime(endedAt) }),
  ];
  return (
    <ListRow
      title={
        <span className="flex items-center gap-2">
          <span className="truncate">{name}</span>
          {endedAt === null ? (
            <Badge tone="warn">{t("holds.active")}</Badge>
          ) : (
            <Badge>{t("holds.over")}</Badge>
          )}
        </span>
      }
      subtitle={dotted(known)}
      trailing={
        <>
          <IconButton
            icon={FileDown}
            label={t("messageExport.of", { name })}
            tooltipSide="left"
            onClick={() => openMessageExport({ id: userId, name })}
          />
          {endedAt === null && (
            <IconButton
              icon={ShieldOff}
              label={t("holds.end.of", { name })}
              variant="danger"
              tooltipSide="left"
              onClick={() => openDialog((onClose) => <EndHoldDialog hold={hold} onClose={onClose} />)}
            />
          )}
        </>
      }
    >
      <p className="px-2 pb-1.5 text-sm wrap-anywhere">{t("group-settings:audit.reason", { reason })}</p>
    </ListRow>
  );
}

export function openStartHold(person: Person): void {
  openDialog((onClose) => <StartHoldDialog person={person} onClose={onClose} />);
}

function StartHoldDialog({ person: { id, name }, onClose }: PersonDialogProps) {
  const { t } = useTranslation("admin");
  const call = useCall();
  return (
    <ReasonDialog
      onClose={onClose}
      title={t("holds.start.title", { name })}
      description={t("holds.start.text")}
      action={t("holds.start.action")}
      saved={t("holds.start.done", { name })}
      submit={(reason) => call("admin.startHold", { userId: id, reason })}
    />
  );
}

function EndHoldDialog({ hold: { id, userId, name }, onClose }: { hold: LegalHold; onClose: () => void }) {
  const { t } = useTranslation("admin");
  const call = useCall();
  return (
    <ReasonDialog
      onClose={onClose}
      title={t("holds.end.title", { name })}
      description={t("holds.end.text")}
      danger
      action={t("holds.end.action")}
      saved={t("holds.end.done", { name })}
      submit={(reason) => call("admin.endHold", { userId, holdId: id, reason })}
    />
  );
}

interface ReasonDialogProps {
  onClose: () => void;
  title: string;
  description: string;
  danger?: boolean;
  action: string;
  saved: string;
  submit: (reason: string) => Promise<unknown>;
}

/** Asks for a reason, which is required. */
function ReasonDialog({ saved, submit, ...dialog }: ReasonDialogProps) {
  const form = useForm({
    initial: { reason: "" },
    submit: ({ reason }) => submit(reason.trim()),
    saved,
    onDone: dialog.onClose,
  });
  return (
    <FormDialog {...dialog} form={form} disabled={form.values.reason.trim() === ""}>
      <ReasonField required {...form.field("reason")} />
    </FormDialog>
  );
}

export function openMessageExport(person: Person): void {
  openDialog((onClose) => <MessageExportDialog person={person} onClose={onClose} />);
}

/** Downloads the messages of a user in groups and direct messages. */
function MessageExportDialog({ person: { id, name }, onClose }: PersonDialogProps) {
  const { t } = useTranslation("admin");
  const { client } = useServerCache();
  const [today] = useState(() => new Date());
  const [from, setFrom] = useState(
    formatDay(new Date(today.getFullYear() - 1, today.getMonth(), today.getDate())),
  );
  const [to, setTo] = useState(formatDay(today));
  const [reason, setReason] = useState("");
  const [fileLinks, setFileLinks] = useState(false);
  const isWrong = from === "" || to === "" || from > to || reason.trim() === "";
  return (
    <Dialog onClose={onClose} title={t("messageExport.of", { name })} description={t("messageExport.text")}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={t("messageExport.from")} type="date" required value={from} onChange={setFrom} />
        <TextField label={t("messageExport.to")} type="date" required value={to} onChange={setTo} />
      </div>
      <ReasonField required value={reason} onChange={setReason} />
      <Switch
        label={t("messageExport.fileLinks")}
        hint={t("messageExport.fileLinksHint")}
        checked={fileLinks}
        onChange={setFileLinks}
      />
      <DownloadLines
        action={t("messageExport.action")}
        disabled={isWrong}
        progress={(lines) => t("group-settings:storage.exporting", { lines })}
        done={(lines) => t("group-settings:storage.exported", { lines })}
        fileName={() => `messages-${name}-${from}-${to}.jsonl`}
        read={(signal) => {
          const end = dayBefore(new Date(`${to}T00:00`).getTime(), -1);
          const span = { from: new Date(`${from}T00:00`).toISOString(), to: end.toISOString() };
          const wanted = { userId: id, ...span, reason: reason.trim(), fileLinks };
          return inPieces(client.exportMessages(wanted, { signal }));
        }}
      />
    </Dialog>
  );
}
