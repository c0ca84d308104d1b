import { randomUUID } from "node:crypto";
import type { Locale } from "@fanfare/contract";
import { Counter, type Config, type Logger, type NodeContext } from "@fanfare/kernel";
import { PermanentError, type RunningJob } from "@fanfare/jobs";
import { render, type RenderedMail } from "./render.ts";
import { textOf, type MailName, type ValuesOf } from "./texts/texts.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;
/** How many emails one process delivers concurrently. */
const CONCURRENCY = 4;
/** With the backoff, about an hour of retries: as long as most links in emails are valid. */
const TRIES = 15;
const BACKOFF = { firstMs: 1000, maxMs: 10 * 60_000 };
/** Emails that users can turn off, and those to strangers, can be very many at once: they don't delay the others. */
const OPTIONAL_CONCURRENCY = 2;
const OPTIONAL_MAX_WAITING = 5000;
/** Emails with the same key are deduplicated for this time. */
const REMEMBER_MS = 60 * 60_000;

export interface Recipient {
  email: string;
  locale: Locale;
  /** In emails that the user can turn off: whom to turn them off for, and the path of the link that does. */
  unsubscribe?: { userId: string; path: string };
  /** Another user has chosen the address, so it may not exist. */
  isStranger?: boolean;
}

export interface Mailer {
  /**
   * Enqueues an email. It is on disk when the promise resolves, and is delivered at least once; repeated deliveries have the same
   * `Message-ID`.
   * @param path the target of the link; secrets go after a '#', which browsers don't send to servers. Default: no link
   * @param key an email with a key that was already used is not sent. Default: a new key
   */
  send<N extends MailName>(
    to: Recipient,
    name: N,
    values: ValuesOf<N>,
    path?: string,
    key?: string,
  ): Promise<void>;
  /** Closes the connections to the mail server. */
  stop(): Promise<void>;
}

interface MailerOptions {
  config: Pick<Config, "environment" | "publicUrl" | "smtp">;
  logger: Logger;
  metrics: NodeContext["metrics"];
  jobs: Pick<NodeContext["jobs"], "define">;
  /** Encrypts enqueued emails in the database, because their links give access to accounts. */
  sealerFor: NodeContext["sealerFor"];
  /** Called when a mail server refuses the address of an email that the user can turn off; null: of a stranger. */
  onRefused?: (userId: string | null, email: string) => Promise<unknown>;
  /** Prints emails in development if no mail server is configured. Default: to standard output. */
  show?: (text: string) => void;
}

interface Email extends RenderedMail {
  to: string;
  unsubscribe?: { userId: string; url: string };
  isStranger?: true;
}

const SETTINGS_PATH = "/settings/notifications";
/** The reply to an email without a login (RFC 4954). */
const LOGIN_REQUIRED = 530;
/** A reply that there is no such mailbox (RFC 3463, RFC 7505). Others can be about the sender or this server. */
const NO_MAILBOX = /^5\d\d[ -]5\.1\.(?:1|6|10)\b/;

/** Sends emails by SMTP. Without a mail server, they are printed in development and discarded otherwise. */
export function createMailer(options: MailerOptions): Mailer {
  const { config, logger, metrics, jobs, sealerFor, onRefused, show = printToStdout } = options;
  const { publicUrl, smtp, environment } = config;
  const { host, hostname } = new URL(publicUrl);
  const sealer = sealerFor("mails");
  const transport = smtp === undefined ? undefined : createSmtp(smtp.url);
  const total = new Counter({
    name: "fanfare_mails_total",
    help: "Emails by outcome: sent, failed after the last try, or dropped (those about missed messages, and invites).",
    labelNames: ["outcome"],
    registers: [metrics],
  });
  for (const outcome of ["sent", "failed", "dropped"]) total.inc({ outcome }, 0);

  const deliver = async ({ id, key, payload }: RunningJob<{ sealed: string }>): Promise<void> => {
    const server = await transport;
    if (smtp === undefined || server === undefined) throw new Error("SMTP_URL is not set.");
    const opened = sealer.open(payload.sealed, key);
    if (opened === null) throw new PermanentError("TOKEN_SECRET was changed after the email was enqueued.");
    const { to, subject, text, html, unsubscribe, isStranger } = JSON.parse(opened.text) as Email;
    try {
      await server.sendMail({
        from: smtp.from,
        to: { name: "", address: to },
        subject,
        text,
        html,
        messageId: `<${id}@${hostname}>`,
        headers: unsubscribe === undefined ? {} : oneClick(unsubscribe.url),
      });
    } catch (error) {
      if ((unsubscribe !== undefined || isStranger) && isAddressRefused(error)) {
        await onRefused?.(unsubscribe?.userId ?? null, to);
        return total.inc({ outcome: "dropped" });
      }
      // Only the reply code: the server's text can contain the recipient's address, which must not be logged.
      const message = `The mail server rejected the email: ${replyOf(error)}.`;
      throw isPermanent(error) ? new PermanentError(message) : new Error(message);
    }
    total.inc({ outcome: "sent" });
  };
  const mails = jobs.define("mail.send", {
    run: deliver,
    concurrency: CONCURRENCY,
    maxTries: TRIES,
    backoff: BACKOFF,
    onceForMs: REMEMBER_MS,
    onDead: () => total.inc({ outcome: "failed" }),
  });
  const optionalMails = jobs.define<{ sealed: string }>("mail.sendOptional", {
    // Not kept when it fails: the reader may lose access to what is in it.
    run: (job) =>
      deliver(job).catch((error: unknown) => {
        if (job.signal.aborted || !(error instanceof PermanentError || job.tries >= TRIES)) throw error;
        logger.info({ err: error }, "optional email dropped");
        total.inc({ outcome: "dropped" });
      }),
    concurrency: OPTIONAL_CONCURRENCY,
    maxTries: TRIES,
    maxWaiting: OPTIONAL_MAX_WAITING,
    backoff: BACKOFF,
    onceForMs: REMEMBER_MS,
  });
  if (smtp === undefined && environment === "production")
    logger.info("SMTP_URL is not set: emails are not sent, and passwords cannot be reset");
  return {
    async send({ email: to, locale, unsubscribe: off, isStranger }, name, values, path, key = randomUUID()) {
      const link = path === undefined ? undefined : `${publicUrl}${path}`;
      const text = textOf(locale, name, { host, ...values } as Parameters<typeof textOf<typeof name>>[2]);
      const unsubscribe = off && { userId: off.userId, url: `${publicUrl}${off.path}` };
      const email: Email = {
        to,
        ...render(text, locale, link, unsubscribe && [`${publicUrl}${SETTINGS_PATH}`, unsubscribe.url]),
        ...(unsubscribe && { unsubscribe }),
        ...(isStranger && { isStranger }),
      };
      if (smtp === undefined) {
        if (environment === "development") show(formatForTerminal(email));
      } else if (unsubscribe !== undefined && optionalMails.isFull) total.inc({ outcome: "dropped" });
      else {
        const kind = unsubscribe === undefined && !isStranger ? mails : optionalMails;
        await kind.enqueue(key, { sealed: sealer.seal(JSON.stringify(email), key) });
      }
    },
    async stop() {
      (await transport)?.close();
    },
  };
}

async function createSmtp(url: string) {
  // Loaded only if emails are sent, to save memory.
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    // Emails contain no paths or URLs for nodemailer to load, so any in their content would be an attack.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Mail programs then show a button of their own (RFC 8058). */
const oneClick = (url: string): Record<string, string> => ({
  "List-Unsubscribe": `<${url}>`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
});

function isAddressRefused(error: unknown): boolean {
  if (!(error instanceof Error) || !("response" in error) || !("command" in error)) return false;
  return error.command === "RCPT TO" && NO_MAILBOX.test(String(error.response));
}

/** Whether retrying is pointless: a 5xx reply to the email itself. Greetings, failed and missing logins say nothing about the email. */
function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error && "responseCode" in error && "code" in error)) return false;
  if (error.responseCode === LOGIN_REQUIRED) return false;
  return Number(error.responseCode) >= 500 && (error.code === "EENVELOPE" || error.code === "EMESSAGE");
}

function replyOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if ("responseCode" in error) return `reply ${String(error.responseCode)}`;
  return "code" in error ? String(error.code) : error.name;
}

function formatForTerminal({ to, subject, text }: Email): string {
  const line = "─".repeat(60);
  return `\n${line}\nEmail to ${to}: ${subject}\n\n${text}${line}\n\n`;
}

function printToStdout(text: string): void {
  process.stdout.write(text);
}
