import type { Locale } from "@fanfare/contract";
import { Counter, readGauge, type Config, type Logger, type NodeContext } from "@fanfare/kernel";
import { createTransport } from "nodemailer";
import { Outgoing, type Letter } from "./outgoing.ts";
import { render } from "./render.ts";
import { textOf, type MailName, type ValuesOf } from "./texts/texts.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;

export interface Recipient {
  email: string;
  locale: Locale;
}

export interface Mailer {
  /**
   * Sends a mail in the background; what fails is logged.
   * @param path of the page that the link leads to, if the mail has one; what is secret comes after a '#', which no server is told
   */
  send<N extends MailName>(to: Recipient, name: N, values: ValuesOf<N>, path?: string): void;
  /** Gives up what was not sent yet. */
  stop(): Promise<void>;
}

export interface MailerOptions {
  config: Pick<Config, "environment" | "publicUrl" | "smtp">;
  logger: Logger;
  metrics: NodeContext["metrics"];
  /** Where mails are shown in development, where there is no server for them. */
  show?: (text: string) => void;
}

/**
 * Mails by SMTP; without a server for them they are shown in the log in development, and nowhere else, for links in them open
 * accounts.
 */
export function createMailer({ config, logger, metrics, show = toStandardOutput }: MailerOptions): Mailer {
  const { publicUrl, smtp, environment } = config;
  const host = new URL(publicUrl).host;
  const deliver = smtp === undefined ? undefined : bySmtp(smtp);
  const total = new Counter({
    name: "fanfare_mails_total",
    help: "Mails by what became of them: sent, failed after the last try, dropped because too many waited.",
    labelNames: ["outcome"],
    registers: [metrics],
  });
  for (const outcome of ["sent", "failed", "dropped"]) total.inc({ outcome }, 0);
  const outgoing =
    deliver === undefined
      ? undefined
      : new Outgoing({ deliver: deliver.send, logger, onOutcome: (outcome) => total.inc({ outcome }) });
  readGauge({
    name: "fanfare_mails_waiting",
    help: "Mails that wait to be sent; those that are tried again do not count.",
    registry: metrics,
    read: () => outgoing?.waiting ?? 0,
  });
  if (deliver === undefined && environment === "production")
    logger.info("SMTP_URL is not set: no mail goes out, and nobody can reset a forgotten password");
  return {
    send({ email, locale }, name, values, path) {
      const link = path === undefined ? undefined : `${publicUrl}${path}`;
      const text = textOf(locale, name, { host, ...values } as Parameters<typeof textOf<typeof name>>[2]);
      const letter = { to: email, ...render(text, locale, link) };
      if (outgoing !== undefined) outgoing.send(letter);
      else if (environment === "development") show(asShown(letter));
    },
    async stop() {
      await outgoing?.stop();
      deliver?.close();
    },
  };
}

function bySmtp({ url, from }: NonNullable<Config["smtp"]>) {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    // A mail has nothing of a file's or an address's: what looks like it would be read by this server.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (letter: Letter): Promise<void> => {
      await transport.sendMail({ from, ...letter, to: { name: "", address: letter.to } });
    },
    close: () => transport.close(),
  };
}

function asShown({ to, subject, text }: Letter): string {
  const line = "─".repeat(60);
  return `\n${line}\nMail to ${to}: ${subject}\n\n${text}${line}\n\n`;
}

function toStandardOutput(text: string): void {
  process.stdout.write(text);
}
