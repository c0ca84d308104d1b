import type { OwnJoinRequest } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useOwnJoinRequests } from "../../data/join-requests.ts";
import { useNow } from "../../shared/hooks.ts";
import { formatTime } from "../../shared/times.ts";
import { useAction } from "../../shared/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Avatar } from "../../ui/display.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { Form, TextArea, useForm } from "../../ui/form.tsx";
import { ListRow } from "../../ui/list-row.tsx";

/** The user's request to join a group, unless it has expired. */
export function useOwnJoinRequest(groupId: string): OwnJoinRequest | undefined {
  const now = useNow();
  const request = useOwnJoinRequests()?.[groupId];
  return request !== undefined && isOver(request, now) ? undefined : request;
}

function isOver({ askAgainAt, createdAt }: OwnJoinRequest, now: number): boolean {
  const endsAt =
    askAgainAt === null ? Date.parse(createdAt) + LIMITS.joinRequestLifetimeMs : Date.parse(askAgainAt);
  return endsAt <= now;
}

type Place = { code: string } | { groupId: string };

/** A form that asks to join, and the state of the request once it is sent. */
export function AskToJoin({ place, request }: { place: Place; request: OwnJoinRequest | undefined }) {
  const { t } = useTranslation("groups");
  const call = useCall();
  const form = useForm({
    initial: { message: "" },
    submit: ({ message }) => call("join.request", { ...place, message }),
  });
  if (request !== undefined) return <RequestState request={request} />;
  return (
    <Form form={form} action={t("ask.action")} wide>
      <p className="text-sm text-muted">{t("ask.text")}</p>
      <TextArea
        label={t("ask.message")}
        maxLength={LIMITS.joinRequestMessageMaxChars}
        autoFocus
        {...form.field("message")}
      />
    </Form>
  );
}

function RequestState({ request }: { request: OwnJoinRequest }) {
  const { t } = useTranslation("groups");
  const { askAgainAt, message } = request;
  if (askAgainAt !== null)
    return (
      <p role="status" className="text-sm text-muted">
        {t("ask.rejected", { time: formatTime(askAgainAt, "dateTime") })}
      </p>
    );
  return (
    <div className="grid gap-3">
      <div role="status" className="grid gap-1">
        <p className="font-medium">{t("ask.waiting")}</p>
        <p className="text-sm text-muted">{t("ask.waitingText")}</p>
      </div>
      {message !== "" && (
        <blockquote className="border-s-3 border-line-strong ps-3 text-sm whitespace-pre-wrap wrap-anywhere">
          {message}
        </blockquote>
      )}
      <WithdrawButton request={request} />
    </div>
  );
}

function WithdrawButton({ request: { groupId, groupName } }: { request: OwnJoinRequest }) {
  const { t } = useTranslation("groups");
  const call = useCall();
  const { busy, error, run } = useAction();
  return (
    <>
      <Button
        size="sm"
        busy={busy}
        aria-label={t("ask.withdrawNamed", { name: groupName })}
        onClick={() => void run(() => call("join.withdraw", { groupId }))}
      >
        {t("ask.withdraw")}
      </Button>
      <ErrorNote text={error} />
    </>
  );
}

/** The user's requests that wait for approval. */
export function useWaitingRequests(): OwnJoinRequest[] {
  const now = useNow();
  return Object.values(useOwnJoinRequests() ?? {}).filter(
    (request) => request.askAgainAt === null && !isOver(request, now),
  );
}

/** The groups that the user asked to join; nothing if there are none. */
export function OwnJoinRequests() {
  const { t } = useTranslation("groups");
  const requests = useWaitingRequests();
  if (requests.length === 0) return null;
  return (
    <section className="grid gap-1">
      <h2 className="text-sm font-medium">{t("ask.yours")}</h2>
      <ul className="grid gap-px">
        {requests.map((request) => (
          <ListRow
            key={request.groupId}
            leading={
              <Avatar name={request.groupName} id={request.groupId} src={request.iconUrl} shape="square" />
            }
            title={request.groupName}
            subtitle={t("ask.waiting")}
            trailing={<WithdrawButton request={request} />}
          />
        ))}
      </ul>
    </section>
  );
}
