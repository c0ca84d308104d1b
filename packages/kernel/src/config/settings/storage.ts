import { z } from "zod";
import { onOrOff, serverUrl, wholeNumber } from "../values.ts";
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
