/** `./sweep settings`: every setting with its default and meaning, as text or as the table in the README. */
import { documented, type Documented } from "../config/Settings.ts"

const fallback = ({ fallback: value }: Documented): string => (value === undefined ? "" : `\`${value}\``)

/** Markdown: one table for each group. The README holds exactly this; a test compares them. */
export const asMarkdown = (): string =>
  documented
    .map(({ group, settings }) =>
      [
        `### ${group}`,
        "",
        "| setting | default | meaning |",
        "| --- | --- | --- |",
        ...settings.map((setting) => `| \`${setting.name}\` | ${fallback(setting)} | ${setting.meaning} |`)
      ].join("\n")
    )
    .join("\n\n")

/** For a terminal. */
export const asText = (): string =>
  documented
    .map(({ group, settings }) =>
      [
        group,
        ...settings.map(
          (setting) =>
            `  ${setting.name}${setting.fallback === undefined ? "" : ` = ${setting.fallback}`}\n      ${setting.meaning}`
        )
      ].join("\n")
    )
    .join("\n\n")
