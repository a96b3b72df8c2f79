/** The output of `./sweep settings`: every setting with its default and its meaning, the required ones marked, as text or as Markdown tables. */
import type { Documented } from "../config/Setting.ts"
import { documented } from "../config/Settings.ts"

const meaningOf = ({ meaning, secret }: Documented): string => (secret ? `${meaning} Secret.` : meaning)

const asCell = ({ fallback, required }: Documented): string =>
  required ? "required" : fallback === undefined ? "" : `\`${fallback}\``

/** One Markdown table for each group. A test compares them with the settings reference. */
export const asMarkdown = (): string =>
  documented
    .map(({ group, settings }) =>
      [
        `### ${group}`,
        "",
        "| setting | default | meaning |",
        "| --- | --- | --- |",
        ...settings.map((setting) => `| \`${setting.name}\` | ${asCell(setting)} | ${meaningOf(setting)} |`)
      ].join("\n")
    )
    .join("\n\n")

/** For a terminal. */
export const asText = (): string =>
  documented
    .map(({ group, settings }) =>
      [
        group,
        ...settings.map((setting) =>
          [
            `  ${setting.name}${setting.required ? " (required)" : ""}`,
            `      ${meaningOf(setting)}`,
            ...(setting.fallback === undefined ? [] : [`      Default: ${setting.fallback}`])
          ].join("\n")
        )
      ].join("\n")
    )
    .join("\n\n")
