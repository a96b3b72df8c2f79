/**
 * Decides the fees of another version of a transaction: none may cost more than the network fees of its sweeps and the allowed
 * losses cover, and none with sweeps may exceed the fee limit of the chain. A nonce that others wait for is freed by a self-send,
 * which costs a tenth of a sweep and may exceed the limit.
 */
import { Effect } from "effect"
import { allowedLoss, ceilingWithin, type MarketFees, replacement, replacementWithin } from "../../domain/FeeCover.ts"
import type { GasFees } from "../../domain/FeeBump.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { Attempt, RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient, FeesPerGas } from "../../ports/shared/Chains.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import * as LossLeft from "../shared/LossLeft.ts"
import * as Envelope from "./Envelope.ts"
import * as FeeCoverage from "./FeeCoverage.ts"

/** Gas that a self-send is charged. */
const SELF_SEND_USED_GAS = 21_000n

/** Next version of a stuck transaction. */
export type NextVersion =
  /** All of its sweeps pay for these fees, which are within the limit. */
  | { readonly _tag: "Same"; readonly fees: GasFees }
  /** Only these sweeps do. */
  | { readonly _tag: "Fewer"; readonly fees: GasFees; readonly intentIds: ReadonlyArray<string> }
  /** No sweep does, or the limit forbids it, and the nonce must be freed. */
  | { readonly _tag: "Cancel"; readonly fees: GasFees }
  /** The version that was sent last stays. */
  | { readonly _tag: "Keep" }

/** Makes `nextVersion` and `cancelFees`. */
export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const coverageOf = yield* FeeCoverage.make
  const lossLeft = yield* LossLeft.make
  const recent = yield* RecentIntents
  const { feeCover } = (yield* OrchestratorSettings).relayer
  const withLimits = yield* LimitChoices.make

  /** Intents whose sweeps the version has. */
  const sweepsIn = Effect.fnUntraced(function* ({ intentIds }: RelayTransaction, { raw }: Attempt) {
    const carries = Envelope.carrier(raw, contracts)
    const carried = yield* recent.get(intentIds)
    return [...carried.values()].filter(({ order }) => carries(order))
  })

  /**
   * Fees of a self-send in place of the transaction. It may cost what may be lost on its sweeps, or what is left of the hourly loss
   * budget. Undefined if it would cost more.
   */
  const cancelFees = Effect.fnUntraced(function* (
    { chain }: ChainClient,
    transaction: RelayTransaction,
    previous: GasFees,
    market: MarketFees
  ) {
    const carried = yield* recent.get(transaction.intentIds)
    const ofSweeps = [...carried.values()].reduce(
      (sum, { cover }) => sum + (cover === undefined ? 0n : allowedLoss(cover, feeCover)),
      0n
    )
    const ofHour = yield* lossLeft(chain)
    const allowed = ofSweeps > ofHour ? ofSweeps : ofHour
    return replacementWithin(previous, market, { gas: SELF_SEND_USED_GAS, allowed })
  })

  const membersOf = Effect.fnUntraced(function* (
    client: ChainClient,
    market: FeesPerGas,
    intents: ReadonlyArray<Intent>
  ) {
    const coverages = yield* coverageOf(client, intents, Effect.succeed(market))
    const { maxFeePerGasWei } = yield* withLimits(client.chain)
    return intents.map(({ id }) => ({
      id,
      ceiling: ceilingWithin(coverages.get(id)?.prices.ceiling ?? 0n, maxFeePerGasWei)
    }))
  })

  /** `isBlocking`: other transactions of the lane wait for the nonce. */
  const nextVersion = Effect.fnUntraced(function* (
    client: ChainClient,
    transaction: RelayTransaction,
    newest: Attempt,
    market: FeesPerGas,
    isBlocking: boolean
  ) {
    if (transaction.kind === "sweep") {
      const sweeps = yield* sweepsIn(transaction, newest)
      const made = replacement(newest, market, yield* membersOf(client, market, sweeps))
      if (made !== undefined) {
        const { fees, members } = made
        return members.length === sweeps.length
          ? ({ _tag: "Same", fees } satisfies NextVersion)
          : ({ _tag: "Fewer", fees, intentIds: members.map(({ id }) => id) } satisfies NextVersion)
      }
      if (!isBlocking) return { _tag: "Keep" } satisfies NextVersion
    }
    const fees = yield* cancelFees(client, transaction, newest, market)
    return (fees === undefined ? { _tag: "Keep" } : { _tag: "Cancel", fees }) satisfies NextVersion
  })

  return { nextVersion, cancelFees }
})
