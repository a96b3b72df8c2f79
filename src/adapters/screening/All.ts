/**
 * {@link Screening} by several sources at once: an address is clear when every one of them says so. "Listed" from one
 * outweighs the silence of another, so that a client is told the same however the sources fare.
 */
import { Array, Effect, Layer } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { Screening, ScreeningBlocked } from "../../ports/shared/Screening.ts"
import * as FailClosed from "./FailClosed.ts"
import * as OfacSnapshot from "./OfacSnapshot.ts"
import * as SanctionsOracle from "./SanctionsOracle.ts"

/** Combines sources. Without any, nothing is known and everything is blocked. */
export const all = (sources: ReadonlyArray<Screening["Service"]>): Screening["Service"] => ({
  clear: Effect.fn("Screening.clear")(function* (chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
    if (sources.length === 0) return yield* FailClosed.unavailable("no source is configured")
    const verdicts = yield* Effect.forEach(sources, (source) => Effect.result(source.clear(chainId, addresses)), {
      concurrency: "unbounded"
    })
    const blocks = Array.getFailures(verdicts)
    const decisive = blocks.find((block) => block.cause === "listed") ?? blocks[0]
    if (decisive !== undefined) return yield* new ScreeningBlocked({ cause: decisive.cause })
  })
})

/** The on-chain oracle alone. */
export const layerOracle = SanctionsOracle.layer

/** The on-chain oracle and a local snapshot. */
export const layerOracleAndSnapshot = (options: {
  readonly oracle?: SanctionsOracle.Options
  readonly snapshot: OfacSnapshot.Options
}) =>
  Layer.effect(
    Screening,
    Effect.map(Effect.all([SanctionsOracle.make(options.oracle), OfacSnapshot.make(options.snapshot)]), all)
  )
