// Applies the theme before the first paint, and preloads what the page's first script would only request once it runs. An external file,
// because the content security policy forbids inline scripts. At run time, src/app/app.tsx applies the theme.
(function () {
  /** Nothing if there is no storage, or what it has is unreadable. */
  function stored(key) {
    try {
      return JSON.parse(localStorage.getItem(key)) || {};
    } catch {
      return {};
    }
  }

  var preferences = stored("fanfare.preferences");
  var dataset = document.documentElement.dataset;
  var isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (preferences.theme === "dark" || preferences.theme === "light") isDark = preferences.theme === "dark";
  var reduces = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (typeof preferences.reducedMotion === "boolean") reduces = preferences.reducedMotion;
  dataset.theme = isDark ? "dark" : "light";
  dataset.density = preferences.density === "compact" ? "compact" : "comfortable";
  dataset.motion = reduces ? "reduced" : "full";
  dataset.size = preferences.fontSize;
  var hasContrast = matchMedia("(prefers-contrast: more)").matches;
  if (typeof preferences.highContrast === "boolean") hasContrast = preferences.highContrast;
  dataset.contrast = hasContrast ? "high" : "normal";
  var logoUrl = stored("fanfare.branding").logoUrl;
  if (typeof logoUrl === "string")
    document.documentElement.style.setProperty("--logo", "url(" + JSON.stringify(logoUrl) + ")");

  /** The files of the first preferred language that the page has. */
  function preloadList() {
    var tags = [String(preferences.language)].concat(navigator.languages, "en");
    for (var index = 0; index < tags.length; index++) {
      var lists = document.getElementsByName("preload-" + tags[index].toLowerCase().split("-")[0]);
      if (lists.length > 0) return lists[0];
    }
    return null;
  }

  function isLoggedIn() {
    try {
      return (
        localStorage.getItem("fanfare.tokens") !== null || sessionStorage.getItem("fanfare.tokens") !== null
      );
    } catch {
      return false;
    }
  }

  /** Resolves when all files have loaded. */
  function preload(files) {
    return Promise.all(
      files.split(" ").map(function (file) {
        var link = document.createElement("link");
        var isScript = file.endsWith(".js");
        link.rel = isScript ? "modulepreload" : "preload";
        if (!isScript) link.as = "style";
        link.crossOrigin = "";
        link.href = file;
        return new Promise(function (resolve) {
          link.addEventListener("load", resolve);
          link.addEventListener("error", resolve);
          document.head.append(link);
        });
      }),
    );
  }

  /** Resolves when only one script of the page itself is still loading: the answer to a request takes as long as its rest. */
  function entryAlmostLoaded() {
    var loaded = new Set();
    return new Promise(function (resolve) {
      new PerformanceObserver(function (entries, observer) {
        entries.getEntries().forEach((entry) => loaded.add(entry.name));
        var scripts = Array.from(document.querySelectorAll("script[type=module], link[rel=modulepreload]"));
        if (scripts.length < 2 || scripts.filter(({ src, href }) => !loaded.has(src || href)).length > 1)
          return;
        observer.disconnect();
        resolve();
      }).observe({ type: "resource", buffered: true });
    });
  }

  // Not in development.
  var list = preloadList();
  if (list !== null) {
    void preload(list.content);
    if (!isLoggedIn()) void preload(list.dataset.login);
    // On a slow connection, the page's first script must not share the bandwidth, nor the application with what follows it.
    void entryAlmostLoaded()
      .then(() => isLoggedIn() && preload(list.dataset.app))
      // The service worker has stored these; until they are needed, they would only take time from the first page.
      .then(() => isLoggedIn() && !navigator.serviceWorker?.controller && preload(list.dataset.next))
      // Chromium loads a font again that was preloaded after the page's load event.
      .then(() => document.fonts.load('1em "Inter Variable"'))
      // Without it, the page keeps the system's font.
      .catch(() => {});
  }
})();
