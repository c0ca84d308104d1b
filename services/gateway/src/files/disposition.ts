/** What encodeURIComponent leaves, though RFC 8187 does not allow it. */
const NOT_ALLOWED = /['()*!]/g;

/** A Content-Disposition header with any name, in the two ways that clients read it. */
export function dispositionOf(type: "inline" | "attachment", name: string): string {
  const plain = name.replace(/[^\x20-\x7e]/g, "_").replace(/["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    NOT_ALLOWED,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
