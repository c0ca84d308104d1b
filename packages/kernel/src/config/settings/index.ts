import { access } from "./access.ts";
import { basics } from "./basics.ts";
import { cluster } from "./cluster.ts";
import { files } from "./files.ts";
import { limits } from "./limits.ts";
import { observability } from "./observability.ts";
import { outgoing } from "./outgoing.ts";
import { login, mail, push } from "./people.ts";
import { secrets } from "./secrets.ts";
import { storage } from "./storage.ts";

/** As the documents show them. */
export const THEMES = {
  "What runs, and where": basics,
  Secrets: secrets,
  "Who gets in": access,
  "Data and how long it is kept": storage,
  "Several processes": cluster,
  Limits: limits,
  Files: files,
  Mail: mail,
  "Pushes to browsers": push,
  "Login by OpenID Connect": login,
  "What the server fetches": outgoing,
  "Logs and traces": observability,
};

/** Every setting that the program reads from its environment. */
export const SETTINGS = {
  ...basics,
  ...secrets,
  ...access,
  ...storage,
  ...cluster,
  ...limits,
  ...files,
  ...mail,
  ...push,
  ...login,
  ...outgoing,
  ...observability,
};
export type SettingName = keyof typeof SETTINGS;
