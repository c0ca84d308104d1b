// Without the Inter font: the site loads no fonts.
export { default } from "vitepress/theme-without-fonts";
