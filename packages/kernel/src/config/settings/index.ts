import { apps } from "./apps.ts";
import { access, directory, login, mail, provisioning, secrets } from "./people.ts";
import { basics, cluster, limits, observability } from "./instance.ts";
import { calls, files, outgoing, plugins, storage } from "./storage.ts";

/** In the order of the documentation. */
export const THEMES = {
  "What runs, and where": basics,
  Secrets: secrets,
  "Who gets in": access,
  "Data and how long it is kept": storage,
  "Several processes": cluster,
  Limits: limits,
  Files: files,
  Mail: mail,
  "Notifications in apps": apps,
  "Single sign-on": login,
  LDAP: directory,
  "User provisioning": provisioning,
  Calls: calls,
  "Plug-ins": plugins,
  "Outgoing requests": outgoing,
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
  ...apps,
  ...login,
  ...directory,
  ...provisioning,
  ...calls,
  ...plugins,
  ...outgoing,
  ...observability,
};
export type SettingName = keyof typeof SETTINGS;
