// Runs in the server's page before its own scripts: system notifications and the unread count, which webviews lack.
(() => {
  const KEY = "fanfare.desktopApp.notifications";
  const isPage = /^https?:$/.test(location.protocol) && location.hostname !== "tauri.localhost";
  if (!isPage) return;
  const { invoke } = window.__TAURI_INTERNALS__;

  const setBadge = async (count) => {
    await invoke("set_badge", { count: Math.max(0, Math.trunc(Number(count ?? 1)) || 0) });
  };
  const show = (title, { body, tag, data } = {}) =>
    invoke("notify", {
      note: {
        title: String(title),
        body: String(body ?? ""),
        tag: String(tag ?? ""),
        path: String(data?.path ?? ""),
      },
    });

  class DesktopNotification extends EventTarget {
    static get permission() {
      return localStorage.getItem(KEY) ?? "default";
    }
    // The app has no question of its own: the page only asks after the user has turned notifications on.
    static async requestPermission() {
      localStorage.setItem(KEY, "granted");
      return "granted";
    }
    constructor(title, options) {
      super();
      this.title = title;
      show(title, options).catch(() => this.dispatchEvent(new Event("error")));
    }
    close() {}
  }

  const define = (target, name, value) =>
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  define(navigator, "setAppBadge", setBadge);
  define(navigator, "clearAppBadge", () => setBadge(0));
  define(window, "Notification", DesktopNotification);
  if (window.ServiceWorkerRegistration !== undefined) {
    define(ServiceWorkerRegistration.prototype, "showNotification", show);
    define(ServiceWorkerRegistration.prototype, "getNotifications", async () => []);
  }
  // The app calls it for links and for notifications that were selected. The page's router listens to `popstate`.
  define(window, "__fanfareOpen", (path) => {
    history.pushState(null, "", path);
    dispatchEvent(new PopStateEvent("popstate"));
  });
})();
