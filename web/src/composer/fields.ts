/* The fields for messages, in one file to load. */
export { ComposerBox } from "./composer-box.tsx";
export { EditForm, TextForm } from "./edit-form.tsx";
