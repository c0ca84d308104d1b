import { findServer, type Server } from "./address.ts";
import { nativeOf, type Servers } from "./native.ts";
import texts from "./texts.json";

type Language = keyof typeof texts;
type Text = keyof (typeof texts)["en"];

const language = languageOf(navigator.languages);
const native = nativeOf(window);
const form = element("form", HTMLFormElement);
const address = element("address", HTMLInputElement);
const connect = element("connect", HTMLButtonElement);
/** The address that was confirmed although its connection is not encrypted. */
let confirmed: string | null = null;
/** Where a link leads on the server that is added for it. */
let linkedPath = "/";
let hasPush = false;

document.documentElement.lang = language;
document.documentElement.dir = language === "ar" ? "rtl" : "ltr";
write("title", t("title"));
write("addressLabel", t("address"));
write("connect", t("connect"));
write("yours", t("yours"));
address.placeholder = t("example");
address.addEventListener("input", () => {
  confirmed = null;
  write("connect", t("connect"));
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void add(address.value);
});
// A link opens this page again with another address, which alone doesn't load it.
addEventListener("hashchange", () => location.reload());
void start();

async function start(): Promise<void> {
  const servers = await native.listServers();
  hasPush = servers.push === true;
  show(servers);
  const link = await native.takeLink();
  if (link !== null) {
    const sameHost = servers.list.filter(({ origin }) => new URL(origin).host === link.host);
    const known = sameHost.find(({ origin }) => origin.startsWith("https:")) ?? sameHost[0];
    if (known !== undefined) return open(known, link.path);
    linkedPath = link.path;
  } else if (!native.opensCurrent && !wentBack()) {
    const current = servers.list.find(({ origin }) => origin === servers.current);
    if (current !== undefined) return open(current, "/");
  }
  const host = link?.host ?? new URLSearchParams(location.hash.slice(1)).get("add") ?? "";
  if (host === "") {
    address.focus();
    return;
  }
  // Nothing is asked of the linked server before the user agrees.
  address.value = host;
  write("linked", t("linked", { host }));
  element("linked", HTMLElement).hidden = false;
  connect.focus();
}

async function add(text: string): Promise<void> {
  connect.disabled = true;
  write("message", "");
  write("connect", t("connecting"));
  const found = await findServer(text, native.fetchMeta).catch(() => null);
  connect.disabled = false;
  write("connect", t("connect"));
  if (found === null) return write("message", t("failed"));
  if (found.outcome !== "found") {
    const host = found.outcome === "notAddress" ? "" : found.host;
    return write("message", t(found.outcome, { host }));
  }
  const { origin } = found.server;
  if (!found.isEncrypted && confirmed !== origin) {
    confirmed = origin;
    write("connect", t("connectAnyway"));
    return write("message", t("notEncrypted", { host: new URL(origin).host }));
  }
  await open(found.server, linkedPath);
}

async function open(server: Server, path: string): Promise<void> {
  const failure = await native.openServer(server, path);
  if (failure !== null) write("message", t(failure));
}

/** Whether the user came here from a server's page to choose another one. */
function wentBack(): boolean {
  return performance
    .getEntriesByType("navigation")
    .some((entry) => (entry as PerformanceNavigationTiming).type === "back_forward");
}

function show({ list }: Servers): void {
  element("known", HTMLElement).hidden = list.length === 0;
  element("servers", HTMLElement).replaceChildren(...list.map(entry));
}

function entry(server: Server): HTMLElement {
  const button = document.createElement("button");
  button.className = "open";
  const { protocol, host, origin } = new URL(server.origin);
  for (const [className, text] of [
    ["name", server.name],
    // The same address can be there twice. The one without encryption must not look like the other.
    ["host", protocol === "https:" ? host : origin],
  ] as const) {
    const line = document.createElement("span");
    line.className = className;
    line.dir = "auto";
    line.textContent = text;
    button.append(line);
  }
  button.addEventListener("click", () => void open(server, "/"));
  const push = document.createElement("button");
  push.textContent = "🔔";
  push.ariaLabel = t("push", { name: server.name });
  push.hidden = !hasPush;
  push.addEventListener("click", () => {
    native.allowPush(server.origin);
    void open(server, "/settings/notifications");
  });
  const remove = document.createElement("button");
  remove.textContent = "✕";
  remove.ariaLabel = t("remove", { name: server.name });
  remove.addEventListener("click", () => {
    native.removeServer(server.origin).then(show, () => write("message", t("notSaved")));
  });
  const item = document.createElement("li");
  item.append(button, push, remove);
  return item;
}

function languageOf(offered: readonly string[]): Language {
  const known = offered.map((tag) => tag.toLowerCase().split("-")[0]!).find((tag) => tag in texts);
  return (known ?? "en") as Language;
}

function t(key: Text, values: Record<string, string> = {}): string {
  return texts[language][key].replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
}

function write(id: string, text: string): void {
  element(id, HTMLElement).textContent = text;
}

function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${type.name} #${id}.`);
  return found;
}
