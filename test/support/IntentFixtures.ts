/** Intents and attempts that differ only in the options that a test gives. */
import { Effect } from "effect"
import { keccak256, pad, toHex } from "viem"
import * as Address from "../../src/domain/Address.ts"
import type { QuoteDetails } from "../../src/domain/QuoteDetails.ts"
import type { Hash } from "../../src/domain/Hex.ts"
import { indexOf } from "../../src/domain/OrderNonce.ts"
import { Intents, type NewIntent } from "../../src/ports/orchestrator/Intents.ts"
import type { OrderSubmission } from "../../src/ports/orchestrator/Submission.ts"
import type { Attempt } from "../../src/ports/orchestrator/RelayTransactions.ts"

export const address = (n: number): Address.Address => Address.of(pad(toHex(n), { size: 20 }))

export const hash = (seed: string): Hash => keccak256(toHex(seed))

/** Details of a quote, with amounts that a number could not hold. */
export const details: QuoteDetails = {
  feeBreakdown: {
    protocol: { amount: 2n ** 200n, usd: "0.1" },
    network: { amount: 2n ** 201n, usd: "0.25" },
    builder: { amount: 0n, usd: "0" }
  },
  appliedTier: "tier3",
  priceImpactBps: -12,
  minAmountOutUsd: "12.5",
  estimatedAmountOutUsd: null
}

export interface IntentOptions {
  readonly id: string
  readonly chainId?: number
  /** Number of the owner's address. */
  readonly owner?: number
  readonly nonce?: bigint
  /** The builder to whom it is attributed. */
  readonly builderId?: string
  readonly destChainId?: number
}

export const newIntent = ({
  builderId,
  chainId = 1,
  destChainId = chainId,
  id,
  nonce,
  owner = 1
}: IntentOptions): NewIntent => ({
  quote: {
    id,
    crossChain: destChainId !== chainId,
    expiresAtMs: 120_000,
    total: 3n,
    settlementAddress: address(0xde1e),
    sourceChainId: chainId,
    estimatedAmountOut: 2n ** 200n,
    minAmountOut: 1n,
    provider: "test",
    estimatedSeconds: 12
  },
  order: {
    owner: address(owner),
    tokenIn: address(0xa),
    amountIn: 2n ** 256n - 1n,
    feeAmount: 3n,
    builder: Address.zero,
    builderFee: 0n,
    tokenOut: address(0xb),
    minAmountOut: 1n,
    destination: address(owner),
    swapTarget: address(0xc),
    swapCalldata: "0xdeadbeef",
    deadline: 1_000n,
    // Unique by default, and larger than any integer type of a database. It names no guard.
    nonce: nonce ?? indexOf(BigInt(hash(id))),
    destChainId: BigInt(destChainId)
  },
  orderDigest: hash(`digest ${id}`),
  quotedAtBlock: 17n,
  gas: 210_000n,
  cover: { gas: 200_000n, gasPrice: 2n ** 70n, value: 2n ** 90n },
  userId: "user",
  ...(builderId === undefined ? {} : { attributed: { builderId, payoutMode: "ledger" } })
})

export const submission = (chainId = 1): OrderSubmission => ({
  signature: `0x${"ab".repeat(65)}`,
  authorization: {
    address: address(0xde1e),
    chainId,
    nonce: 2n ** 64n - 1n,
    r: hash("r"),
    s: hash("s"),
    yParity: 1
  }
})

export const attempt = (seed: string): Attempt => ({
  hash: hash(seed),
  raw: `0x04${hash(seed).slice(2)}`,
  maxFeePerGas: 2n ** 80n,
  maxPriorityFeePerGas: 1n,
  signedAtMs: 5
})

/** Creates and submits. */
export const submitted = Effect.fnUntraced(function* (options: IntentOptions) {
  const intents = yield* Intents
  yield* intents.create(newIntent(options))
  return yield* intents.submit(options.id, submission(options.chainId))
})
