/**
 * {@link Screening} by several sources. An address is clear only if every source clears it. "Listed" from one source outweighs
 * the failure of another, so that a client gets the same answer when a source is down.
 */
import { Array, Effect, Layer } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { Screening, ScreeningBlocked } from "../../ports/shared/Screening.ts"
import * as FailClosed from "./FailClosed.ts"
import * as OfacSnapshot from "./OfacSnapshot.ts"
import * as SanctionsOracle from "./SanctionsOracle.ts"

/** Combines sources. Without sources, every request is blocked. */
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

/** Only the on-chain oracle. */
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
