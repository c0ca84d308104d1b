import { z } from "zod";
import {
  baseUrl,
  httpUrl,
  list,
  network,
  notes,
  onOrOff,
  serverUrl,
  socketUrl,
  wholeNumber,
} from "../values.ts";

export const storage = {
  DATA_DIR: z.string().min(1).default(".fanfare").register(notes, {
    description:
      "Folder of the embedded database, files and, in development, generated secrets. The image sets `/data`.",
    example: "/var/lib/fanfare",
  }),
  MONGO_URL: serverUrl(["mongodb", "mongodb+srv"]).optional().register(notes, {
    description: "MongoDB replica set to use instead of the embedded database.",
    defaultText: "the embedded database, for one process on one machine",
    required: "with `NATS_URL`, except in processes that only run the gateway",
    example: "mongodb://fanfare:password@mongodb.example.org:27017/fanfare?replicaSet=rs0",
    secret: true,
  }),
  MIGRATE_ON_START: onOrOff.default(true).register(notes, {
    description:
      "Whether the database is migrated at startup after an upgrade. With `off`, the server doesn't start until `fanfare migrate` has been run.",
    example: "off",
  }),
  RETENTION_MAX_DAYS: wholeNumber(1).optional().register(notes, {
    description: "Maximum age of messages in all groups and direct messages. Groups can set a shorter one.",
    unit: "days",
    defaultText: "set by each group",
    example: "365",
  }),
  GUEST_RETENTION_DAYS: wholeNumber(0).default(90).register(notes, {
    description: "Days after their last session until guests are deleted; 0 keeps them.",
    unit: "days",
    example: "180",
  }),
};

const MEBIBYTE = 1024 * 1024;
/** The limit of S3 for uploads in one request. */
const MAX_FILE_BYTES = 5 * 1024 * MEBIBYTE;

const WITH_THE_OTHERS = "with `S3_BUCKET` or the other key";

export const files = {
  FILES_DIR: z.string().min(1).optional().register(notes, {
    description: "Folder of uploaded files, if S3 is not used. In a cluster, all processes must share it.",
    defaultText: "`DATA_DIR/files`",
    required: "with `NATS_URL` and without S3, in processes that run `gateway` or `file`",
    example: "/srv/fanfare/files",
  }),
  FILE_MAX_BYTES: wholeNumber(1, MAX_FILE_BYTES)
    .default(25 * MEBIBYTE)
    .register(notes, {
      description: "Maximum size of a file.",
      unit: "bytes",
      example: "104857600",
    }),
  FILE_QUOTA_USER_BYTES: wholeNumber(0).optional().register(notes, {
    description: "Storage quota of a user. Admins can change it for single users with `file.setQuota`.",
    unit: "bytes",
    defaultText: "set by admins; 1 GiB by default",
    example: "5368709120",
  }),
  FILE_QUOTA_GUEST_BYTES: wholeNumber(0).optional().register(notes, {
    description: "Storage quota of a guest, at most that of a user.",
    unit: "bytes",
    defaultText: "set by admins; 100 MiB by default",
    example: "10485760",
  }),
  FILE_QUOTA_GROUP_BYTES: wholeNumber(0).optional().register(notes, {
    description: "Storage quota of a group. Admins can change it for single groups with `file.setQuota`.",
    unit: "bytes",
    defaultText: "set by admins; 50 GiB by default",
    example: "107374182400",
  }),
  FILE_QUOTA_INSTANCE_BYTES: wholeNumber(0).optional().register(notes, {
    description: "Storage quota of all files together.",
    unit: "bytes",
    defaultText: "set by admins; no limit by default",
    example: "1099511627776",
  }),
  S3_BUCKET: z.string().optional().register(notes, {
    description: "S3 bucket for uploaded files, instead of a folder.",
    defaultText: "`FILES_DIR`",
    required:
      "with any other `S3_*` setting except `S3_REGION`; with `NATS_URL` and without `FILES_DIR`, in processes that run `gateway` or `file`",
    example: "fanfare",
  }),
  S3_ENDPOINT: httpUrl.optional().register(notes, {
    description: "Endpoint of an S3-compatible service.",
    defaultText: "Amazon S3 in `S3_REGION`",
    example: "https://s3.example.org",
  }),
  S3_REGION: z.string().default("us-east-1").register(notes, {
    description: "Region of the bucket.",
    example: "eu-central-1",
  }),
  S3_ACCESS_KEY_ID: z.string().optional().register(notes, {
    description: "Access key ID for the bucket.",
    required: WITH_THE_OTHERS,
    example: "the-access-key-of-the-bucket",
    secret: true,
  }),
  S3_SECRET_ACCESS_KEY: z.string().optional().register(notes, {
    description: "Secret access key for the bucket.",
    required: WITH_THE_OTHERS,
    example: "the-secret-of-that-key",
    secret: true,
  }),
};

const LIVEKIT_SECRET_MIN_CHARS = 32;
const WITH_LIVEKIT = "with the other settings `LIVEKIT_*`";
export const calls = {
  LIVEKIT_URL: socketUrl.optional().register(notes, {
    description:
      "LiveKit server for calls, at its address for browsers. It must serve only this instance of Fanfare.",
    defaultText: "no calls",
    required: WITH_LIVEKIT,
    example: "wss://livekit.example.org",
  }),
  LIVEKIT_SERVER_URL: baseUrl.optional().register(notes, {
    description: "Address of the same LiveKit server for the services of Fanfare.",
    defaultText: "`LIVEKIT_URL`, with `https://` or `http://`",
    example: "http://livekit:7880",
  }),
  LIVEKIT_KEY: z.string().min(1).optional().register(notes, {
    description: "API key of LiveKit, which must also sign its webhooks.",
    required: WITH_LIVEKIT,
    example: "the-key-of-livekit",
    secret: true,
  }),
  LIVEKIT_SECRET: z
    .string()
    .min(LIVEKIT_SECRET_MIN_CHARS, `must have at least ${LIVEKIT_SECRET_MIN_CHARS} characters`)
    .optional()
    .register(notes, {
      description: "Secret of that key. `openssl rand -hex 32` creates one.",
      required: WITH_LIVEKIT,
      example: "replace-me-by-32-or-more-random-characters",
      secret: true,
    }),
};

export const plugins = {
  PLUGINS: list.default([]).register(notes, {
    description:
      "Folders of plug-ins, separated by commas. Processes that run `gateway` or `plugin` need the same ones. The settings of a plug-in are variables that start with `PLUGIN_` and its name.",
    defaultText: "none",
    example: "plugins/github,plugins/quickpoll",
  }),
};

export const outgoing = {
  LINK_PREVIEWS: onOrOff.default(true).register(notes, {
    description: "Whether messages show previews of linked pages, which the server fetches.",
    example: "off",
  }),
  OUTBOUND_ALLOW: list.pipe(z.array(network)).default([]).register(notes, {
    description:
      "Private networks that bot callbacks, link previews, push notifications and plug-ins are allowed to reach, separated by commas.",
    defaultText: "none",
    example: "10.1.0.0/16",
  }),
};
