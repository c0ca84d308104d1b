// Before the first paint, so that nobody sees a flash of the wrong theme: an external file, because the content policy
// allows no inline code. While the page runs, src/app/shell/use-applied-preferences.ts does the same.
(function () {
  var preferences = {};
  try {
    preferences = JSON.parse(localStorage.getItem("fanfare.preferences")) || {};
  } catch {
    // Unreadable, or no storage: the defaults.
  }
  var dataset = document.documentElement.dataset;
  var isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (preferences.theme === "dark" || preferences.theme === "light") isDark = preferences.theme === "dark";
  var reduces = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (typeof preferences.reducedMotion === "boolean") reduces = preferences.reducedMotion;
  dataset.theme = isDark ? "dark" : "light";
  dataset.density = preferences.density === "compact" ? "compact" : "comfortable";
  dataset.motion = reduces ? "reduced" : "full";
})();
