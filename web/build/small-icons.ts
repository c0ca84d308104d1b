import type { Plugin } from "vite";

/** Random keys, which can't be compressed and which React needs only for lists that change, and a statement without effect. */
const NOT_NEEDED = /, key: "\w+"|^__iconData\.node;$/gm;

/** Removes from the modules of icons what they don't need. */
export function smallIcons(): Plugin {
  return {
    name: "fanfare-small-icons",
    apply: "build",
    transform: {
      filter: { id: /\/lucide-react\/dist\/esm\/icons\/[\w-]+\.mjs$/ },
      handler: (code) => ({ code: code.replaceAll(NOT_NEEDED, ""), map: null }),
    },
  };
}
