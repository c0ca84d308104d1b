// Before the first paint, so that nobody sees a flash of the wrong theme: an external file, because the content policy
// allows no inline code. What the application does later is in src/state/preferences.ts.
(function () {
  var preferences = {};
  try {
    var kept = JSON.parse(localStorage.getItem("fanfare.preferences") || "{}");
    preferences = kept.state || kept;
  } catch {
    // Unreadable, or no storage: the defaults.
  }
  var root = document.documentElement;
  var system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  var theme = preferences.theme;
  root.dataset.theme = theme === "dark" || theme === "light" ? theme : system;
  root.dataset.density = preferences.density === "compact" ? "compact" : "comfortable";
})();
