/** The output of `./sweep settings`: every setting with its default and its meaning, as text or as Markdown tables. */
import type { Documented } from "../config/Setting.ts"
import { documented } from "../config/Settings.ts"

const meaningOf = ({ meaning, secret }: Documented): string => (secret ? `${meaning} Secret.` : meaning)

const asCell = (fallback: string | undefined): string => (fallback === undefined ? "" : `\`${fallback}\``)

/** One Markdown table for each group. A test compares them with the settings reference. */
export const asMarkdown = (): string =>
  documented
    .map(({ group, settings }) =>
      [
        `### ${group}`,
        "",
        "| setting | default | meaning |",
        "| --- | --- | --- |",
        ...settings.map((setting) => `| \`${setting.name}\` | ${asCell(setting.fallback)} | ${meaningOf(setting)} |`)
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
            `  ${setting.name}`,
            `      ${meaningOf(setting)}`,
            ...(setting.fallback === undefined ? [] : [`      Default: ${setting.fallback}`])
          ].join("\n")
        )
      ].join("\n")
    )
    .join("\n\n")
