import { useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, Redirect, useLocation } from "wouter";
import type { OwnJoinRequest } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useCall } from "../../data/call.ts";
import { ON_OPEN, useActionQuery } from "../../data/data-context.ts";
import { useGroups } from "../../data/groups.ts";
import { groupPath, landingPath } from "../../routes.ts";
import { useAction, isErrorOf } from "../../shared/use-action.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EmptyState, ErrorNote } from "../../ui/feedback.tsx";
import { usePageTitle } from "../../ui/hooks.ts";
import { InvitedGroup, inviteErrorText, isJoining } from "./invited-group.tsx";
import { useFirstShown } from "../../shared/first-shown.ts";
import { Main } from "../../ui/main.tsx";
import { useOwnJoinRequests } from "../../data/review-queues.ts";
import { useNow } from "../../shared/hooks.ts";
import { formatTime } from "../../shared/times.ts";
import { Avatar } from "../../ui/display.tsx";
import { Form, TextArea, useForm } from "../../ui/form.tsx";
import { ListRow } from "../../ui/list-row.tsx";

/** The invite page for logged-in users. Members of the group are redirected to it. */
export function InvitePage({ code }: { code: string }) {
  const { t } = useTranslation("invites");
  useFirstShown();
  const call = useCall();
  const [, navigate] = useLocation();
  const { data, error: loadError } = useActionQuery("invite.preview", { code }, ON_OPEN);
  const { data: groups } = useGroups();
  const { busy, error, run } = useAction();
  const [isAsking, setAsking] = useState(false);
  const join = useCallback(async () => {
    const joined = await call("invite.accept", { code }).catch((failure: unknown) => {
      if (!isErrorOf(failure, "APPROVAL_REQUIRED")) throw failure;
      setAsking(true);
      return null;
    });
    if (joined !== null) navigate(groupPath(joined.group.id), { replace: true });
  }, [call, code, navigate]);
  // Its only use may have been taken by the user's own registration. Accepting it again then opens the group.
  const isGone = isErrorOf(loadError, "INVITE_NOT_FOUND");
  const joinsNow = isGone || (data !== undefined && isJoining(code));
  useEffect(() => {
    // Accepting twice is harmless.
    if (joinsNow) void run(join);
    // oxlint-disable-next-line react/exhaustive-deps -- `run` changes on each render
  }, [joinsNow, join]);
  const group = data?.group ?? null;
  const request = useOwnJoinRequest(group?.id ?? "");
  const isWaiting = useWaitingRequests().length > 0;
  // Not needed any more if approval was switched off or a lockdown is over.
  const asks = isAsking || (request !== undefined && group?.needsApproval !== false);
  usePageTitle(group?.name ?? "");
  if (loadError !== null && group === null && !(isGone && error === null && !isAsking)) {
    // The request may have taken the last use of the invite.
    if (isWaiting && isGone)
      return (
        <Main className="flex min-h-0 flex-1 overflow-y-auto">
          <div className="m-auto grid w-full max-w-sm gap-4 p-4">
            <OwnJoinRequests />
            <Link href={landingPath()} className={buttonClass({ variant: "primary" })}>
              {t("home:goToGroups")}
            </Link>
          </div>
        </Main>
      );
    return (
      <Main className="flex min-h-0 flex-1 overflow-y-auto">
        <EmptyState
          isPage
          title={t("cannotJoin")}
          text={<span role="status">{inviteErrorText(loadError)}</span>}
          action={
            <Link href={landingPath()} className={buttonClass({ variant: "primary" })}>
              {t("home:goToGroups")}
            </Link>
          }
        />
      </Main>
    );
  }
  if ((!joinsNow || asks) && groups?.some(({ id }) => id === group?.id) === true) {
    return <Redirect to={groupPath(group!.id)} replace />;
  }
  return (
    <Main className="flex min-h-0 flex-1 overflow-y-auto bg-sidebar">
      <h1 className="sr-only">{t("session:invited")}</h1>
      <div className="m-auto w-full max-w-sm p-4">
        <div className="grid gap-6 rounded-lg border border-line bg-raised p-7 shadow-raised">
          <InvitedGroup group={group} />
          <ErrorNote text={error} />
          <div className="grid gap-2">
            {asks ? (
              <AskToJoin place={{ code }} request={request} />
            ) : (
              <Button
                variant="primary"
                busy={busy}
                disabled={group === null || groups === undefined}
                onClick={() => void run(join)}
              >
                {busy ? t("joining") : t("join", { group: group?.name ?? "" })}
              </Button>
            )}
            <Link href={landingPath()} className={buttonClass({ variant: "ghost" })}>
              {t("notNow")}
            </Link>
          </div>
        </div>
      </div>
    </Main>
  );
}

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
  const { t } = useTranslation("invites");
  const call = useCall();
  const form = useForm({
    initial: { message: "" },
    submit: ({ message }) => call("join.request", { ...place, message }),
  });
  if (request !== undefined) return <RequestState request={request} />;
  return (
    <Form form={form} action={t("groups:ask.action")} wide>
      <p className="text-sm text-muted">{t("groups:ask.text")}</p>
      <TextArea
        label={t("groups:ask.message")}
        maxLength={LIMITS.joinRequestMessageMaxChars}
        autoFocus
        {...form.field("message")}
      />
    </Form>
  );
}

function RequestState({ request }: { request: OwnJoinRequest }) {
  const { t } = useTranslation("invites");
  const { askAgainAt, message } = request;
  if (askAgainAt !== null)
    return (
      <p role="status" className="text-sm text-muted">
        {t("groups:ask.rejected", { time: formatTime(askAgainAt, "dateTime") })}
      </p>
    );
  return (
    <div className="grid gap-3">
      <div role="status" className="grid gap-1">
        <p className="font-medium">{t("groups:ask.waiting")}</p>
        <p className="text-sm text-muted">{t("groups:ask.waitingText")}</p>
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
  const { t } = useTranslation("invites");
  const call = useCall();
  const { busy, error, run } = useAction();
  return (
    <>
      <Button
        size="sm"
        busy={busy}
        aria-label={t("groups:ask.withdrawNamed", { name: groupName })}
        onClick={() => void run(() => call("join.withdraw", { groupId }))}
      >
        {t("groups:ask.withdraw")}
      </Button>
      <ErrorNote text={error} />
    </>
  );
}

/** The user's requests that wait for approval. */
function useWaitingRequests(): OwnJoinRequest[] {
  const now = useNow();
  return Object.values(useOwnJoinRequests() ?? {}).filter(
    (request) => request.askAgainAt === null && !isOver(request, now),
  );
}

/** The groups that the user asked to join; nothing if there are none. */
export function OwnJoinRequests() {
  const { t } = useTranslation("invites");
  const requests = useWaitingRequests();
  if (requests.length === 0) return null;
  return (
    <section className="grid gap-1">
      <h2 className="text-sm font-medium">{t("groups:ask.yours")}</h2>
      <ul className="grid gap-px">
        {requests.map((request) => (
          <ListRow
            key={request.groupId}
            leading={
              <Avatar name={request.groupName} id={request.groupId} src={request.iconUrl} shape="square" />
            }
            title={request.groupName}
            subtitle={t("groups:ask.waiting")}
            trailing={<WithdrawButton request={request} />}
          />
        ))}
      </ul>
    </section>
  );
}
