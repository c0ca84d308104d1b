import { z } from "zod";
import { httpUrl, serverUrl } from "../values.ts";
import { notes } from "./notes.ts";

export const mail = {
  SMTP_URL: serverUrl(["smtp", "smtps"]).optional().register(notes, {
    description: "How mails go out.",
    otherwise: "none go out; in development they are shown in the log",
    required: "with `MAIL_FROM`",
    example: "smtp://user:password@mail.example.org:587",
    secret: true,
  }),
  MAIL_FROM: z.string().regex(/@/, "must have an e-mail address").optional().register(notes, {
    description: "Whom mails are from.",
    required: "with `SMTP_URL`",
    example: "Fanfare <chat@example.org>",
  }),
};

const WITH_VAPID = "with any of the settings `VAPID_*`";
export const push = {
  VAPID_PUBLIC_KEY: z.string().optional().register(notes, {
    description:
      "What browsers know the sender of pushes by. `npx web-push generate-vapid-keys` makes a pair.",
    otherwise: "no pushes; a single instance in development makes a pair",
    required: WITH_VAPID,
    example: "the-public-key-of-the-pair",
  }),
  VAPID_PRIVATE_KEY: z.string().optional().register(notes, {
    description: "The other of the pair. Who changes it ends every subscription.",
    required: WITH_VAPID,
    example: "the-private-key-of-the-pair",
    secret: true,
  }),
  VAPID_SUBJECT: z
    .string()
    .regex(/^(mailto:|https:\/\/)./, "must start with mailto: or https://")
    .optional()
    .register(notes, {
      description: "Where those who run push services reach those who run this instance.",
      required: WITH_VAPID,
      example: "mailto:admin@example.org",
    }),
};

const WITH_OIDC = "with any of the settings `OIDC_*`";
export const login = {
  OIDC_ISSUER: httpUrl.optional().register(notes, {
    description:
      "The OpenID Connect provider that people can log in by; https in production. Register `PUBLIC_URL/auth/oidc/callback` there.",
    otherwise: "nobody logs in by OpenID Connect",
    required: WITH_OIDC,
    example: "https://login.example.org",
  }),
  OIDC_CLIENT_ID: z.string().optional().register(notes, {
    description: "Who this instance is there.",
    required: WITH_OIDC,
    example: "fanfare",
  }),
  OIDC_CLIENT_SECRET: z.string().optional().register(notes, {
    description: "What it proves that with.",
    required: WITH_OIDC,
    example: "the-secret-that-the-provider-shows",
    secret: true,
  }),
};
