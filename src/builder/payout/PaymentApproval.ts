/** Approves Permit2 with the vault's key. An approval that is not mined is replaced, so that nothing waits behind it. */
import { Effect, Option, Schedule } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as FeeBump from "../../domain/FeeBump.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import { VaultKey } from "../../ports/builder/VaultKey.ts"
import type { ChainClient, SendRefusal } from "../../ports/shared/Chains.ts"
import * as PaymentChecks from "./PaymentChecks.ts"
import { refused } from "./PaymentRefused.ts"

export interface ApprovalOptions {
  /** Pause between looks at the chain, in milliseconds. */
  readonly pollMillis: number
  /** An approval or a payment that is not mined within this many milliseconds is replaced with higher fees. */
  readonly bumpMillis: number
}

/** Refusals that the next look at the chain explains: another transaction has the nonce, or the pool waits for a higher fee. */
const EXPLAINED: ReadonlySet<SendRefusal> = new Set([
  "NonceTooLow",
  "ReplacementUnderpriced",
  "Underpriced",
  "FeeCapTooLow"
])

/** Broadcasts a transaction. Returns the reason of a refusal that the next look explains. */
const send = (client: ChainClient, raw: Hex) =>
  client.send(raw).pipe(
    Effect.as(Option.none<SendRefusal>()),
    Effect.catchTags({
      SendRejected: (rejected) =>
        EXPLAINED.has(rejected.reason) ? Effect.succeedSome(rejected.reason) : Effect.fail(rejected),
      // Another node may have taken it. Every version has the same nonce, so at most one is mined.
      ChainUnavailable: (failed) =>
        failed.refusal !== undefined && EXPLAINED.has(failed.refusal)
          ? Effect.succeedSome(failed.refusal)
          : Effect.fail(failed)
    })
  )

/**
 * Makes `approve(client, token, amount)`, which sets Permit2's allowance and returns the hash of the mined approval. None if another
 * transaction of the vault was mined instead, so that the allowance may have changed.
 */
export const make = Effect.fnUntraced(function* ({ bumpMillis, pollMillis }: ApprovalOptions) {
  const vault = yield* VaultKey
  const { afford } = yield* PaymentChecks.make(vault.address)

  /** Repeats a look until it finds something, at most `bumpMillis`. */
  const awaiting = <A, E>(look: Effect.Effect<Option.Option<A>, E>) =>
    look.pipe(
      Effect.repeat({ schedule: Schedule.spaced(pollMillis), until: Option.isSome }),
      Effect.timeoutOption(bumpMillis),
      Effect.map(Option.flatten)
    )

  const mined = (client: ChainClient) => client.transactionCount(vault.address, "latest")

  /** Account nonce of an approval, and whether a transaction that is not mined has it. None while transactions are mined. */
  const findNonce = Effect.fnUntraced(function* (client: ChainClient) {
    const pending = yield* client.transactionCount(vault.address, "pending")
    const nonce = yield* mined(client)
    if (nonce >= pending) return Option.some({ nonce, isTaken: false })
    const moved = yield* awaiting(
      Effect.map(mined(client), (count) => (count > nonce ? Option.some(count) : Option.none()))
    )
    return Option.isSome(moved) ? Option.none() : Option.some({ nonce, isTaken: true })
  })

  /** Waits for the transaction of a nonce. Returns its hash if it is one of `hashes`. The outer option is none if none is mined. */
  const settled = (client: ChainClient, nonce: bigint, hashes: ReadonlySet<Hash>) => {
    let wasUsed = false
    return awaiting(
      Effect.gen(function* () {
        const isUsed = (yield* mined(client)) > nonce
        for (const hash of hashes) {
          if (Option.isSome(yield* client.receipt(hash))) return Option.some(Option.some(hash))
        }
        // A node may count a transaction a moment before it has the receipt, so only a second look counts.
        const isForeign = wasUsed && isUsed
        wasUsed = isUsed
        return isForeign ? Option.some(Option.none<Hash>()) : Option.none<Option.Option<Hash>>()
      })
    )
  }

  return Effect.fnUntraced(function* (client: ChainClient, token: Address.Address, amount: bigint) {
    const found = yield* findNonce(client)
    if (Option.isNone(found)) return Option.none<Hash>()
    const { isTaken, nonce } = found.value
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [client.chain.permit2, amount] })
    const estimate = yield* client
      .estimateGas({ from: vault.address, to: token, data })
      .pipe(Effect.catchTag("CallReverted", () => refused(`the token ${token} rejects an approval of Permit2`)))
    const gas = PaymentChecks.withMargin(estimate)
    const sign = Effect.fnUntraced(function* (fees: FeeBump.GasFees) {
      yield* afford(client, gas, fees)
      const { maxFeePerGas, maxPriorityFeePerGas } = fees
      const unsigned = { chainId: client.chain.id, nonce, to: token, data, gas, maxFeePerGas, maxPriorityFeePerGas }
      return { ...(yield* vault.signTransaction(unsigned)), fees }
    })

    /** Fees of the next version; none if they would be too high to help. */
    const raised = Effect.fnUntraced(function* (fees: FeeBump.GasFees) {
      const market = yield* client.feesPerGas
      return Option.liftPredicate(FeeBump.raise(fees, market), (next) => FeeBump.isWorthwhile(next, market))
    })

    const market = yield* client.feesPerGas
    let version = yield* sign(isTaken ? FeeBump.raise(market, market) : market)
    const hashes = new Set<Hash>()
    while (true) {
      const refusal = yield* send(client, version.raw)
      hashes.add(version.hash)
      // The fees of a transaction that it replaces are unknown, so they are raised until the node accepts them.
      const isTooLow = Option.contains(refusal, "ReplacementUnderpriced")
      const sooner = isTooLow ? yield* raised(version.fees) : Option.none()
      if (Option.isNone(sooner)) {
        const outcome = yield* settled(client, nonce, hashes)
        if (Option.isSome(outcome)) return outcome.value
      }
      const next = Option.isSome(sooner) ? sooner : yield* raised(version.fees)
      if (Option.isSome(next)) version = yield* sign(next.value)
    }
  })
})
