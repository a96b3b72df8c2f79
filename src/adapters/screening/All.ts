/**
 * {@link Screening} by several sources. An address is clear only if every source clears it. "Listed" from one source outweighs
 * the failure of another, so that a client gets the same answer when a source is down.
 */
import { Array, Context, Effect, Layer } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { SanctionsLists } from "../../ports/orchestrator/SanctionsLists.ts"
import { Screening, ScreeningBlocked } from "../../ports/shared/Screening.ts"
import * as ChainalysisApi from "./ChainalysisApi.ts"
import * as FailClosed from "./FailClosed.ts"
import * as KeptLists from "./KeptLists.ts"
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

export interface Options {
  readonly oracle?: SanctionsOracle.Options
  /** Lists that the service keeps itself. Default: none. */
  readonly lists?: KeptLists.Options
  /** Default: the API is not asked. */
  readonly chainalysis?: ChainalysisApi.Options | undefined
}

/** The on-chain oracle, and the lists and services that are configured. */
export const layer = ({ chainalysis, lists, oracle }: Options) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const kept = yield* KeptLists.make(lists ?? {})
      const hasLists = lists?.file !== undefined || lists?.download !== undefined
      const sources = [
        yield* SanctionsOracle.make(oracle),
        ...(hasLists ? [kept.screening] : []),
        ...(chainalysis === undefined ? [] : [yield* ChainalysisApi.make(chainalysis)])
      ]
      return Context.make(Screening, all(sources)).pipe(Context.add(SanctionsLists, kept.lists))
    })
  )
