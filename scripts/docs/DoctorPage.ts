/** `docs/reference/doctor.md`: every finding of `./sweep doctor`, from their declarations. */
import { catalogue } from "../../src/domain/doctor/Catalogue.ts"
import { GENERATED, table } from "./Table.ts"

/** The page as Markdown. */
export const doctorPage = (): string =>
  [
    "# Findings of doctor",
    "",
    GENERATED,
    "",
    "For operators: every finding of `./sweep doctor`, by its code, with the action to take. Codes are stable. [Check a deployment](../how-to/check-a-deployment.md) tells how to run it.",
    "",
    "An `error` means that sweeps fail, or that money or data is at risk. A `warning` means that the deployment works and may stop working. The command exits with 0 without errors, and with 1 otherwise. `--json` prints `{ ok, services, errors, warnings, findings }`; each finding has `check`, `level`, `code`, `subject`, `seen` and `advice`.",
    ...catalogue.flatMap(({ kinds, title }) => [
      "",
      `## ${title}`,
      "",
      table(
        ["Code", "Level", "Meaning", "Action"],
        kinds.map(({ advice, code, level, meaning }) => [`\`${code}\``, level, meaning, advice])
      )
    ])
  ].join("\n")
