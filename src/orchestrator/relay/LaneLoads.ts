/**
 * Pending transactions of lanes: those of the last reading, and those that this process has sent since. So a batch finds a lane's free
 * slots and its free balance without asking the database.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { type Front, type Pending, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"

/** Fronts of a chain at their last reading. */
export interface Reading {
  /** UNIX milliseconds. */
  readonly atMs: number
  /** Greater for a reading that began later. */
  readonly turn: number
  readonly fronts: ReadonlyArray<Front>
}

/** Use of a lane by its pending transactions. */
export interface Load {
  /** Nonce of its next transaction, as far as this process knows. */
  readonly nextNonce: bigint
  /** Wei that its pending transactions may cost. */
  readonly reserved: bigint
}

export class LaneLoads extends Context.Service<
  LaneLoads,
  {
    /** Reads the fronts of a chain. */
    readonly read: (chainId: ChainId) => Effect.Effect<ReadonlyArray<Front>, StoreUnavailable>
    /** The last reading; undefined before the first. */
    readonly reading: (chainId: ChainId) => Reading | undefined
    /** Notes a transaction that was stored now. */
    readonly note: (chainId: ChainId, lane: Address.Address, stored: Pending) => void
    /** Wei that the newest transaction of this process on the chain may cost. Undefined before the first. */
    readonly newestCost: (chainId: ChainId) => bigint | undefined
    /** `nonce`: the lane's transaction count in the newest block. */
    readonly of: (chainId: ChainId, lane: { readonly address: Address.Address; readonly nonce: bigint }) => Load
  }
>()("sweep/orchestrator/LaneLoads") {
  static readonly layer = Layer.effect(
    LaneLoads,
    Effect.gen(function* () {
      const transactions = yield* RelayTransactions
      const readings = new Map<ChainId, Reading>()
      const costs = new Map<ChainId, bigint>()
      let turns = 0
      /** Until the end of a reading that began after them, which has them. */
      let noted: ReadonlyArray<Pending & { readonly key: string; readonly chainId: ChainId }> = []

      const read = Effect.fnUntraced(function* (chainId: ChainId) {
        const atMs = yield* Clock.currentTimeMillis
        const turn = ++turns
        const before = new Set(noted)
        const fronts = yield* transactions.fronts(chainId)
        if (turn < (readings.get(chainId)?.turn ?? 0)) return fronts
        readings.set(chainId, { atMs, fronts, turn })
        noted = noted.filter((each) => each.chainId !== chainId || !before.has(each))
        return fronts
      })

      const of: LaneLoads["Service"]["of"] = (chainId, { address, nonce: chainNonce }) => {
        const front = readings.get(chainId)?.fronts.find(({ lane }) => lane === address)
        const key = keyOf(chainId, address)
        const all = [...noted.filter((each) => each.key === key), ...(front?.pending ?? [])]
        const pending = new Map(all.flatMap(({ nonce, reserved }) => (nonce < chainNonce ? [] : [[nonce, reserved]])))
        return {
          nextNonce: [...pending.keys()].reduce((next, nonce) => (nonce < next ? next : nonce + 1n), chainNonce),
          reserved: [...pending.values()].reduce((sum, wei) => sum + wei, 0n)
        }
      }

      return {
        read,
        reading: (chainId) => readings.get(chainId),
        note: (chainId, lane, { nonce, reserved }) => {
          noted = [...noted, { chainId, key: keyOf(chainId, lane), nonce, reserved }]
          if (reserved > 0n) costs.set(chainId, reserved)
        },
        newestCost: (chainId) => costs.get(chainId),
        of
      }
    })
  )
}

const keyOf = (chainId: ChainId, lane: Address.Address): string => `${chainId}:${lane}`
