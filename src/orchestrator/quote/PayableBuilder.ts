/**
 * Prices an order without a payment that its token rejects. A token may block a builder's address, and that builder's fee must not refuse
 * the owner's quote.
 */
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi, hexToBigInt } from "viem"
import type * as Address from "../../domain/Address.ts"
import { effectiveBps } from "../../domain/Builder.ts"
import { builderFee } from "../../domain/Fees.ts"
import { size } from "../../domain/Hex.ts"
import { isNative } from "../../domain/Token.ts"
import type { Terms } from "./Terms.ts"

type Unissued = Omit<Terms, "nonce">

interface Failure {
  readonly _tag: string
  readonly revert?: string | undefined
}

/** True if the token takes a transfer of this amount by the owner. */
const isTaken = ({ client, request: { owner, tokenIn } }: Unissued, to: Address.Address, amount: bigint) =>
  client
    .call({
      from: owner,
      to: tokenIn,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] })
    })
    .pipe(
      Effect.map((data) => size(data) === 0 || hexToBigInt(data) === 1n),
      Effect.catchTag("CallReverted", () => Effect.succeed(false))
    )

/**
 * The terms by which the fee goes to the vault, and the ledger owes it. Undefined unless the token rejects the fee's transfer to the
 * builder alone, and takes it to the vault. The ledger owes what the order names, so a token that takes a fee leaves the quote unattributed.
 */
const byVault = Effect.fnUntraced(function* (terms: Unissued) {
  const { attributed, client, profile, request } = terms
  if (attributed?.payoutMode !== "onchain" || isNative(request.tokenIn)) return undefined
  const { attribution, address } = attributed
  const vault = client.chain.builderVault
  const fee = builderFee(request.amountIn, effectiveBps(attribution))
  if (fee === 0n) return undefined
  const [toBuilder, toVault] = yield* Effect.all([isTaken(terms, address, fee), isTaken(terms, vault, fee)], {
    concurrency: 2
  })
  if (toBuilder || !toVault) return undefined
  const isWhole = (profile.transferFeeBps ?? 0) === 0
  yield* Effect.logWarning("quote.builder_rejected").pipe(
    Effect.annotateLogs({
      builderId: attribution.builderId,
      chainId: client.chain.id,
      token: request.tokenIn,
      payout: isWhole ? "ledger" : "unattributed"
    })
  )
  return {
    ...terms,
    attributed: isWhole ? { ...attributed, payoutMode: "ledger" as const, address: vault } : undefined
  }
})

/** Prices the terms or, if a transfer fails because the token rejects the builder, those without it. Returns the terms that it priced. */
export const priced = <A, E extends Failure, R>(terms: Unissued, price: (terms: Unissued) => Effect.Effect<A, E, R>) =>
  Effect.map(price(terms), (found) => ({ terms, priced: found })).pipe(
    Effect.catch((failure) =>
      failure.revert !== "TransferFailed"
        ? Effect.fail(failure)
        : Effect.gen(function* () {
            // The failure of the order says more than a chain that does not answer now.
            const other = yield* Effect.orElseSucceed(byVault(terms), () => undefined)
            if (other === undefined) return yield* Effect.fail(failure)
            return { terms: other, priced: yield* price(other) }
          })
    )
  )
