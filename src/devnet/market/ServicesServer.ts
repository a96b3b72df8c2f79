/**
 * The program that {@link file://./ServicesProcess.ts} starts: the outside services of a market, beside the process that asks them.
 *
 * Argument: {@link Started} as JSON.
 */
import { Effect, Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import * as LocalNode from "../LocalNode.ts"
import * as Market from "./Market.ts"
import * as Planned from "./Planned.ts"
import * as Services from "./Services.ts"

/** The market's options, and the chains as they run. */
export const Started = Schema.Struct({
  market: Schema.Struct({
    tokens: Schema.Int,
    seed: Schema.Int,
    shapes: Schema.Tuple([Schema.Literals(Market.SHAPES), Schema.Literals(Market.SHAPES)])
  }),
  chains: Schema.Array(
    Schema.Struct({ id: Schema.Int, rpcUrl: Schema.NonEmptyString, spokePool: Address.NonZeroAddress })
  )
})
export type Started = typeof Started.Type

const serve = Effect.gen(function* () {
  const started = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Started))(process.argv[2])
  const { chains, market } = yield* Planned.plan(started.market)
  const served = chains.flatMap(({ chain: { id, name }, plan }): ReadonlyArray<Services.ServedChain> => {
    const running = started.chains.find((each) => each.id === id)
    return running === undefined
      ? []
      : [{ id, name, client: LocalNode.clientOf(id, running.rpcUrl), plan, spokePool: running.spokePool }]
  })
  const url = yield* Services.start(served, market.seed)
  process.stdout.write(`Serving at ${url}\n`)
  return yield* Effect.never
})

if (import.meta.main) {
  // A shell starts background processes with SIGINT ignored, so the signal needs a handler.
  process.on("SIGINT", () => process.exit())
  await Effect.runPromise(Effect.scoped(serve))
}
