import { z } from "zod";
import { httpUrl, list, network, onOrOff, serverUrl, wholeNumber } from "../values.ts";
import { notes } from "./notes.ts";

export const storage = {
  DATA_DIR: z.string().min(1).default(".fanfare").register(notes, {
    description:
      "The folder of what belongs to this instance: the embedded database, files, and in development its secrets. The image sets `/data`.",
    example: "/var/lib/fanfare",
  }),
  MONGO_URL: serverUrl(["mongodb", "mongodb+srv"]).optional().register(notes, {
    description: "MongoDB, a replica set, instead of the embedded database.",
    otherwise: "the embedded database, for one process on one machine",
    required: "with `NATS_URL`, but for processes that host only the gateway",
    example: "mongodb://fanfare:password@mongodb.example.org:27017/fanfare?replicaSet=rs0",
    secret: true,
  }),
  MIGRATE_ON_START: onOrOff.default(true).register(notes, {
    description:
      "Whether a database of an earlier version is migrated when the program starts. If not, it refuses to start until `fanfare migrate` has been run.",
    example: "off",
  }),
  RETENTION_MAX_DAYS: wholeNumber(1).optional().register(notes, {
    description: "No message is kept for longer, whatever its group says, direct messages included.",
    unit: "days",
    otherwise: "as each group says",
    example: "365",
  }),
  GUEST_RETENTION_DAYS: wholeNumber(0).default(90).register(notes, {
    description: "So long after the last session of a guest has ended the guest is deleted; 0: never.",
    unit: "days",
    example: "180",
  }),
};

const MEBIBYTE = 1024 * 1024;
/** What S3 takes in one request. */
const MAX_FILE_BYTES = 5 * 1024 * MEBIBYTE;

const WITH_THE_OTHERS = "with any of `S3_BUCKET`, `S3_ACCESS_KEY_ID`, `S3_SECRET_ACCESS_KEY`";

export const files = {
  FILES_DIR: z.string().min(1).optional().register(notes, {
    description:
      "The folder that files lie in, where there is no S3. In a cluster it has to be one that all processes share.",
    otherwise: "`DATA_DIR/files`",
    required: "with `NATS_URL` and without S3, for gateways and processes that host `file`",
    example: "/srv/fanfare/files",
  }),
  FILE_MAX_BYTES: wholeNumber(1, MAX_FILE_BYTES)
    .default(25 * MEBIBYTE)
    .register(notes, {
      description: "The largest file.",
      unit: "bytes",
      example: "104857600",
    }),
  FILE_QUOTA_USER_BYTES: wholeNumber(0).optional().register(notes, {
    description: "The quota for all files of one user. Admins change it for one of them by `file.setQuota`.",
    unit: "bytes",
    otherwise: "what admins set; 1 GiB by default",
    example: "5368709120",
  }),
  FILE_QUOTA_GUEST_BYTES: wholeNumber(0).optional().register(notes, {
    description: "The quota for all files of one guest. Guests never have more than users.",
    unit: "bytes",
    otherwise: "what admins set; 100 MiB by default",
    example: "10485760",
  }),
  FILE_QUOTA_GROUP_BYTES: wholeNumber(0).optional().register(notes, {
    description: "The quota for all files of one group. Admins change it for one of them by `file.setQuota`.",
    unit: "bytes",
    otherwise: "what admins set; 50 GiB by default",
    example: "107374182400",
  }),
  FILE_QUOTA_INSTANCE_BYTES: wholeNumber(0).optional().register(notes, {
    description: "The quota for all files of the instance.",
    unit: "bytes",
    otherwise: "what admins set; no limit by default",
    example: "1099511627776",
  }),
  S3_BUCKET: z
    .string()
    .optional()
    .register(notes, {
      description: "The bucket that files lie in, instead of a folder.",
      otherwise: "`FILES_DIR`",
      required: `${WITH_THE_OTHERS}, \`S3_ENDPOINT\`; with \`NATS_URL\` where \`FILES_DIR\` is not set`,
      example: "fanfare",
    }),
  S3_ENDPOINT: httpUrl.optional().register(notes, {
    description: "Where the S3 is, if it is not Amazon's.",
    otherwise: "that of Amazon for the region",
    example: "https://s3.example.org",
  }),
  S3_REGION: z.string().default("us-east-1").register(notes, {
    description: "The region of the bucket.",
    example: "eu-central-1",
  }),
  S3_ACCESS_KEY_ID: z.string().optional().register(notes, {
    description: "Who writes to the bucket.",
    required: WITH_THE_OTHERS,
    example: "the-access-key-of-the-bucket",
    secret: true,
  }),
  S3_SECRET_ACCESS_KEY: z.string().optional().register(notes, {
    description: "The secret of that key.",
    required: WITH_THE_OTHERS,
    example: "the-secret-of-that-key",
    secret: true,
  }),
};

export const outgoing = {
  LINK_PREVIEWS: onOrOff.default(true).register(notes, {
    description: "Whether the server fetches the pages that messages link to, to show what they are.",
    example: "off",
  }),
  OUTBOUND_ALLOW: list.pipe(z.array(network)).default([]).register(notes, {
    description:
      "Networks that callbacks of bots, previews and pushes may reach although they are not public, with commas in between.",
    otherwise: "none",
    example: "10.1.0.0/16",
  }),
};
