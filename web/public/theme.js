// Applies the theme before the first paint. An external file, because the content security policy forbids inline scripts. At run time,
// src/app/app.tsx does the same.
(function () {
  var preferences = {};
  try {
    preferences = JSON.parse(localStorage.getItem("fanfare.preferences")) || {};
  } catch {
    // Unreadable or no storage: use the defaults.
  }
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
})();
