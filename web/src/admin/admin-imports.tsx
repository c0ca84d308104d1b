import type { ChatImport } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { ArrowRight, BookOpen, Trash2, Upload } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useChatImports } from "../data/admin.ts";
import { useCall } from "../data/call.ts";
import { useServerCache } from "../data/data-context.ts";
import { ADMIN_GUIDE, groupPath } from "../routes.ts";
import { FileInput } from "../shared/file-input.tsx";
import { useFormats, dotted } from "../shared/formats.ts";
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

/** Failures whose exact reason only the English text has. */
const ENGLISH_DETAILS: ReadonlySet<NonNullable<ChatImport["failure"]>["code"]> = new Set([
  "unreadable",
  "ownerRefused",
  "accountsRefused",
]);

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
          <FileInput
            icon={Upload}
            button={{ variant: "primary" }}
            accept={ORIGINS[origin].accept}
            disabled={busy}
            onChoose={(file) => void upload(file)}
          >
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

function ImportCard({ of }: { of: ChatImport }) {
  const { id, origin, fileName, state, step, messages, files, report, error, failure, groupId } = of;
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
            <p className="text-sm text-muted">
              {dotted([formats.bytes(of.bytes), dayAndTime(of.createdAt)])}
            </p>
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
            {dotted([
              t(`imports.steps.${step}`),
              step !== "opening" &&
                t("imports.progress", { count: messages, messages: formats.count(messages) }),
              files !== 0 && `${t("imports.kinds.files")} (${formats.count(files)})`,
            ])}
          </p>
        )}
        {failure !== null && (
          <p className="wrap-anywhere text-danger-text">
            {t(`imports.failures.${failure.code}`, { origin: ORIGINS[origin].name, ...failure.details })}
          </p>
        )}
        {error !== null && (failure === null || ENGLISH_DETAILS.has(failure.code)) && (
          <p
            lang="en"
            dir="ltr"
            className={cx("wrap-anywhere", failure === null ? "text-danger-text" : "text-muted")}
          >
            {error}
          </p>
        )}
        {report !== null && <ImportReport report={report} isDone={groupId !== null} />}
        {(state === "checked" || (state === "failed" && report !== null)) && (
          <RunForm importId={id} accounts={of.accounts} />
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
  report: { destination, imported, notes, matches },
  isDone,
}: {
  report: NonNullable<ChatImport["report"]>;
  isDone: boolean;
}) {
  const { t } = useTranslation("admin");
  const { count } = useFormats();
  // What the group has already is only known after the import.
  const expected = destination?.groupId == null ? t("imports.wouldImport") : t("imports.inExport");
  const made = imported.length === 0 ? t("imports.nothingNew") : t("imports.imported");
  const heading = isDone ? made : expected;
  return (
    <div className="grid gap-3 md:grid-cols-2">
      {destination != null && (
        <p className="wrap-anywhere md:col-span-2">
          {destination.groupId === null
            ? t("imports.newGroup", { name: destination.name })
            : isDone
              ? t("imports.addedTo", { name: destination.name })
              : t("imports.existingGroup", { name: destination.name })}
        </p>
      )}
      <div className="grid content-start gap-1">
        <h3 className="text-sm font-medium">{heading}</h3>
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
      {matches != null && (
        <div className="grid content-start gap-1 text-sm md:col-span-2">
          <h3 className="font-medium">{t(isDone ? "imports.matches.done" : "imports.matches.checked")}</h3>
          <p>{`${count(matches.count)} · ${t(`imports.matches.${matches.by}`)}`}</p>
          <ul className="flex flex-wrap gap-x-4 gap-y-1 text-muted">
            {matches.accounts.map(({ name, username }, index) => (
              // Two users can have the same name.
              <li key={index} className="flex min-w-0 items-center gap-1">
                <bdi className="wrap-anywhere">{name}</bdi>
                <ArrowRight size={14} aria-hidden className="shrink-0 rtl:rotate-180" />
                <bdi className="wrap-anywhere">{`@${username}`}</bdi>
              </li>
            ))}
            {matches.count > matches.accounts.length && (
              <li>{`+${count(matches.count - matches.accounts.length)}`}</li>
            )}
          </ul>
        </div>
      )}
    </div>
  );
}

const RUN_OPTIONS = { matchUsernames: false, createAccounts: false, directMessages: true, again: false };

function RunForm({ importId, accounts }: { importId: string; accounts: number }) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const { busy, error, run } = useAction();
  const [options, setOptions] = useState(RUN_OPTIONS);
  const field = (name: keyof typeof RUN_OPTIONS) => ({
    checked: options[name],
    onChange: (isOn: boolean) => setOptions({ ...options, [name]: isOn }),
  });
  return (
    <div className="grid gap-3 border-t border-line pt-3">
      <Checkbox label={t("imports.match")} hint={t("imports.matchHint")} {...field("matchUsernames")} />
      <Checkbox
        label={t("imports.create", { count: accounts })}
        hint={t("imports.createHint")}
        disabled={accounts === 0}
        {...field("createAccounts")}
      />
      <Checkbox label={t("imports.directs")} hint={t("imports.directsHint")} {...field("directMessages")} />
      <Checkbox label={t("imports.again")} {...field("again")} />
      <ErrorNote text={error} />
      <div>
        <Button
          variant="primary"
          busy={busy}
          onClick={() => void run(() => call("admin.runChatImport", { importId, ...options }))}
        >
          {t("imports.run")}
        </Button>
      </div>
    </div>
  );
}
