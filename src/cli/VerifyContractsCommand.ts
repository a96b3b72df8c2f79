/** `./sweep verify-contracts`: compares the code on every chain with what the sources of this checkout compile to. */
import { Console, Effect, Option, References, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import * as Deployment from "./doctor/Deployment.ts"
import { json, printed } from "./Output.ts"
import { UsageError } from "./UsageError.ts"
import * as ChainCode from "./verify/ChainCode.ts"
import * as Report from "./verify/Report.ts"
import * as Sources from "./verify/Sources.ts"

/** Code differs from the sources, is missing, or could not be read. The report is printed already. */
export class CodeDiffers extends Schema.TaggedError<CodeDiffers>()("CodeDiffers", {}) {
  override get message(): string {
    return "not all code is what the sources compile to, see above"
  }
}

const flags = {
  chain: Flag.Int("chain").pipe(
    Flag.withDescription("Id of a chain of the chains file. Default: all chains"),
    Flag.optional
  ),
  cached: Flag.Boolean("cached").pipe(
    Flag.withDescription("Accept the last compilation of the same sources by the same compiler. Default: compile now"),
    Flag.withDefault(false)
  ),
  json
}

const chosenChains = Effect.fnUntraced(function* (chain: Option.Option<number>) {
  const served = yield* Deployment.served
  if (Option.isNone(chain)) return served
  const chosen = served.filter(({ entry }) => entry.id === chain.value)
  if (chosen.length > 0) return chosen
  return yield* new UsageError({ detail: `chain ${chain.value} is not in the chains file` })
})

export const verifyContractsCommand = Command.make("verify-contracts", flags, ({ cached, chain, json }) =>
  Effect.gen(function* () {
    const chains = yield* chosenChains(chain)
    if (!json && !cached) yield* Console.error("compiling the contracts, which takes about a minute ...")
    const compilation = yield* Sources.compile(cached)
    const reports = yield* Effect.forEach(chains, (served) => ChainCode.compare(served, compilation), {
      concurrency: "unbounded"
    })
    const report = Report.of(compilation, Sources.compare(compilation), reports)
    yield* printed(Report.Report, report, json, Report.asText)
    if (!report.ok) return yield* new CodeDiffers()
  }).pipe(
    Effect.scoped,
    Effect.provide(FetchHttpClient.layer),
    // The report says what the adapters would log.
    Effect.provideService(References.MinimumLogLevel, "None")
  )
).pipe(
  Command.withDescription(
    "Compile the contracts of this checkout, and compare the result with the code on every chain. Exits with 1 on a difference"
  ),
  Command.withExamples([
    { command: "sweep verify-contracts", description: "Every chain of the chains file" },
    { command: "sweep verify-contracts --chain 8453 --json", description: "One chain, for a program" }
  ])
)
