/** `./sweep sbom`: the bill of materials of the image, and the check of its licences. */
import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as ProjectScript from "./ProjectScript.ts"
import { UsageError } from "./UsageError.ts"

/** A package has a licence that is not accepted. The output above names it. */
export class LicencesRefused extends Schema.TaggedError<LicencesRefused>()("LicencesRefused", {}) {
  override get message(): string {
    return "not every licence is accepted, see above. Accepted licences are listed in scripts/sbom.ts"
  }
}

const flags = {
  licences: Flag.Boolean("licences").pipe(
    Flag.withDescription("Print a table of packages and licences instead"),
    Flag.withDefault(false)
  ),
  check: Flag.Boolean("check").pipe(
    Flag.withDescription("Only check the licences, and print how many packages there are"),
    Flag.withDefault(false)
  )
}

export const sbomCommand = Command.make("sbom", flags, ({ check, licences }) =>
  Effect.gen(function* () {
    if (check && licences) return yield* new UsageError({ detail: "--check and --licences exclude each other" })
    const args = [...(check ? ["--check"] : []), ...(licences ? ["--licences"] : [])]
    if ((yield* ProjectScript.run("scripts/sbom.ts", args)) !== 0) return yield* new LicencesRefused()
  })
).pipe(
  Command.withDescription(
    "Print the bill of materials of the image (CycloneDX 1.6, JSON). Exits with 1 if a licence is not accepted"
  ),
  Command.withExamples([
    { command: "sweep sbom > sbom.json", description: "The document, from the lock file" },
    { command: "sweep sbom --check", description: "Only the check of the licences" }
  ])
)
