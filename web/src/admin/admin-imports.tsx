import type { ChatImport } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { BookOpen, Trash2, Upload } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useChatImports } from "../data/admin.ts";
import { useCall } from "../data/call.ts";
import { useServerCache } from "../data/data-context.ts";
import { ADMIN_GUIDE, groupPath } from "../routes.ts";
import { useFormats } from "../shared/formats.ts";
import { dayAndTime } from "../shared/times.ts";
import { useAction } from "../shared/use-action.ts";
import { Button, buttonClass, IconButton } from "../ui/button.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { cx } from "../ui/cx.ts";
import { Badge, type BadgeTone } from "../ui/display.tsx";
import { ErrorNote, Loaded, Skeleton, Spinner } from "../ui/feedback.tsx";
import { TextField } from "../ui/form.tsx";
import { openConfirm } from "../ui/open-dialog.tsx";
import { Select } from "../ui/select.tsx";

/** Names of products, which are the same in all languages. */
const ORIGINS: Record<ChatImport["origin"], { name: string; accept: string }> = {
  slack: { name: "Slack", accept: ".zip" },
  discord: { name: "Discord", accept: ".zip,.json" },
  mattermost: { name: "Mattermost", accept: ".zip,.jsonl" },
  rocketchat: { name: "Rocket.Chat", accept: ".zip" },
  tailchat: { name: "Tailchat", accept: ".zip" },
};
const TONES: Partial<Record<ChatImport["state"], BadgeTone>> = {
  done: "good",
  failed: "danger",
};

/** Imports of the exports of other chat servers. */
export function AdminImports() {
  const { t } = useTranslation("admin");
  return (
    <>
      <p className="text-muted">{t("imports.hint")}</p>
      <p>
        <a href={`${ADMIN_GUIDE}move`} target="_blank" rel="noopener" className={buttonClass({ size: "sm" })}>
          <BookOpen size={16} aria-hidden />
          {t("imports.guide")}
        </a>
      </p>
      <UploadForm />
      <Loaded of={useChatImports()} placeholder={<Skeleton className="h-40 rounded-lg" />}>
        {({ imports }) => (
          <ul aria-label={t("imports.list")} className="grid gap-3">
            {imports.map((one) => (
              <ImportCard key={one.id} of={one} />
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function UploadForm() {
  const { t } = useTranslation("admin");
  const cache = useServerCache();
  const { count } = useFormats();
  const [origin, setOrigin] = useState<ChatImport["origin"]>("slack");
  const [team, setTeam] = useState("");
  const [percent, setPercent] = useState<number | null>(null);
  const { busy, error, run } = useAction();
  const upload = (file: File) =>
    run(async () => {
      const chosen = team.trim();
      const wanted = { origin, fileName: file.name, ...(chosen !== "" && { team: chosen }) };
      try {
        await cache.client.uploadExport(file, wanted, {
          onProgress: ({ sentBytes, totalBytes }) => setPercent(Math.floor((100 * sentBytes) / totalBytes)),
        });
      } finally {
        setPercent(null);
        cache.refetch("admin.listChatImports");
      }
    });
  return (
    <section className="grid gap-4 rounded-lg border border-line p-4" aria-label={t("imports.upload")}>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <Select
          label={t("imports.origin")}
          hint={t(`imports.originHint.${origin}`)}
          value={origin}
          onChange={setOrigin}
          options={Object.entries(ORIGINS).map(([value, { name }]) => ({
            value: value as ChatImport["origin"],
            label: name,
          }))}
          disabled={busy}
        />
        <TextField
          label={t("imports.team")}
          hint={t("imports.teamHint")}
          value={team}
          onChange={setTeam}
          maxLength={LIMITS.groupNameMaxChars}
          disabled={busy}
        />
      </div>
      <ErrorNote text={error} />
      {percent === null ? (
        <div>
          <FileInput accept={ORIGINS[origin].accept} disabled={busy} onChoose={(file) => void upload(file)}>
            {t("imports.upload")}
          </FileInput>
        </div>
      ) : (
        <div className="grid gap-1">
          <span className="text-sm text-muted">{t("imports.uploading", { percent: count(percent) })}</span>
          <div
            role="progressbar"
            aria-label={t("imports.upload")}
            aria-valuenow={percent}
            className="h-1.5 overflow-hidden rounded-full bg-selected"
          >
            <div className="h-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
          </div>
        </div>
      )}
    </section>
  );
}

interface FileInputProps {
  children: ReactNode;
  accept: string;
  disabled: boolean;
  onChoose: (file: File) => void;
}

function FileInput({ children, accept, disabled, onChoose }: FileInputProps) {
  const id = useId();
  return (
    <>
      <input
        id={id}
        type="file"
        accept={accept}
        disabled={disabled}
        className="peer sr-only"
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          if (chosen !== undefined) onChoose(chosen);
          // Allows choosing the same file again after an error.
          target.value = "";
        }}
      />
      <label
        htmlFor={id}
        className={cx(
          buttonClass({ variant: "primary" }),
          "cursor-pointer peer-focus-visible:outline-2 peer-focus-visible:outline-focus peer-disabled:opacity-50",
        )}
      >
        <Upload size={16} aria-hidden />
        {children}
      </label>
    </>
  );
}

function ImportCard({
  of: {
    id,
    origin,
    fileName,
    bytes,
    state,
    step,
    messages,
    files,
    report,
    error,
    groupId,
    createdAt,
    accounts,
  },
}: {
  of: ChatImport;
}) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const formats = useFormats();
  const isWorking = state === "uploading" || state === "checking" || state === "importing";
  const remove = () =>
    openConfirm({
      title: t("imports.delete.title", { name: fileName }),
      children: groupId === null ? t("imports.delete.text") : t("imports.delete.textDone"),
      action: t("imports.delete.action"),
      danger: true,
      onConfirm: () => call("admin.deleteChatImport", { importId: id }),
    });
  return (
    <li>
      <article className="grid gap-3 rounded-lg border border-line p-4" aria-busy={isWorking}>
        <div className="flex items-start justify-between gap-2">
          <div className="grid min-w-0 gap-0.5">
            <h2 className="flex flex-wrap items-center gap-2 font-semibold">
              <span className="wrap-anywhere">{`${ORIGINS[origin].name} · ${fileName}`}</span>
              <Badge tone={TONES[state] ?? "neutral"}>{t(`imports.states.${state}`)}</Badge>
            </h2>
            <p className="text-sm text-muted">{[formats.bytes(bytes), dayAndTime(createdAt)].join(" · ")}</p>
          </div>
          {state !== "checking" && state !== "importing" && (
            <IconButton
              icon={Trash2}
              label={t("groups.delete.of", { name: fileName })}
              variant="danger"
              tooltipSide="left"
              onClick={remove}
            />
          )}
        </div>
        {step !== null && (
          <p role="status" className="flex items-center gap-2 text-muted">
            <Spinner size={16} />
            {[
              t(`imports.steps.${step}`),
              ...(step === "opening"
                ? []
                : [t("imports.progress", { count: messages, messages: formats.count(messages) })]),
              ...(files === 0 ? [] : [`${t("imports.kinds.files")} (${formats.count(files)})`]),
            ].join(" · ")}
          </p>
        )}
        {error !== null && (
          <p lang="en" dir="ltr" className="wrap-anywhere text-danger-text">
            {error}
          </p>
        )}
        {report !== null && <ImportReport report={report} isDone={groupId !== null} />}
        {(state === "checked" || (state === "failed" && report !== null)) && (
          <RunForm importId={id} accounts={accounts} />
        )}
        {groupId !== null && (
          <div>
            <Link href={groupPath(groupId)} className={buttonClass({})}>
              {t("imports.open")}
            </Link>
          </div>
        )}
      </article>
    </li>
  );
}

function ImportReport({
  report: { imported, notes },
  isDone,
}: {
  report: NonNullable<ChatImport["report"]>;
  isDone: boolean;
}) {
  const { t } = useTranslation("admin");
  const { count } = useFormats();
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <div className="grid content-start gap-1">
        <h3 className="text-sm font-medium">{isDone ? t("imports.imported") : t("imports.wouldImport")}</h3>
        <ul className="text-sm">
          {imported.map(({ code, what, count: of }) => (
            <li key={what}>{`${count(of)} · ${code === undefined ? what : t(`imports.kinds.${code}`)}`}</li>
          ))}
        </ul>
      </div>
      {notes.length > 0 && (
        <div className="grid content-start gap-1">
          <h3 className="text-sm font-medium">{t("imports.leftOut")}</h3>
          <ul className="grid gap-1 text-sm">
            {notes.map(({ code, what, why, count: of }) => (
              <li key={code ?? what}>
                {`${count(of)} · ${code === undefined ? `${what}: ${why}` : t(`imports.notes.${code}`)}`}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function RunForm({ importId, accounts }: { importId: string; accounts: number }) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const { busy, error, run } = useAction();
  const [matchUsernames, setMatchUsernames] = useState(true);
  const [createAccounts, setCreateAccounts] = useState(false);
  const [directMessages, setDirectMessages] = useState(true);
  const [again, setAgain] = useState(false);
  return (
    <div className="grid gap-3 border-t border-line pt-3">
      <Checkbox
        label={t("imports.match")}
        hint={t("imports.matchHint")}
        checked={matchUsernames}
        onChange={setMatchUsernames}
      />
      <Checkbox
        label={t("imports.create", { count: accounts })}
        hint={t("imports.createHint")}
        checked={createAccounts}
        onChange={setCreateAccounts}
        disabled={accounts === 0}
      />
      <Checkbox
        label={t("imports.directs")}
        hint={t("imports.directsHint")}
        checked={directMessages}
        onChange={setDirectMessages}
      />
      <Checkbox label={t("imports.again")} checked={again} onChange={setAgain} />
      <ErrorNote text={error} />
      <div>
        <Button
          variant="primary"
          busy={busy}
          onClick={() =>
            void run(() =>
              call("admin.runChatImport", {
                importId,
                matchUsernames,
                createAccounts,
                directMessages,
                again,
              }),
            )
          }
        >
          {t("imports.run")}
        </Button>
      </div>
    </div>
  );
}
