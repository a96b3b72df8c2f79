/** Reads what the chain shows of a batch's payment. */
import { Clock, Effect, Option } from "effect"
import { encodeFunctionData, erc20Abi, hexToBigInt } from "viem"
import type * as Address from "../../domain/Address.ts"
import { size } from "../../domain/Hex.ts"
import type { PayoutBatch } from "../../domain/Payout.ts"
import { type PayoutPayment, readPayment } from "../../domain/PayoutPayment.ts"
import { type BlockHash, type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as PaymentEvidence from "./PaymentEvidence.ts"
import type { Observation } from "./PaymentPlan.ts"
import { refused } from "./PaymentRefused.ts"

/** A payment is broadcast again after this many milliseconds. */
const REBROADCAST_MILLIS = 15_000

/** Calls a token function that returns one word. */
const read = Effect.fnUntraced(function* (
  client: ChainClient,
  token: Address.Address,
  block: BlockHash,
  call: Parameters<typeof encodeFunctionData<typeof erc20Abi, "allowance" | "balanceOf">>[0]
) {
  const data = yield* client.call({ to: token, data: encodeFunctionData(call), block })
  if (size(data) !== 32) return yield* refused(`${token} on ${client.chain.name} is not a token`)
  return hexToBigInt(data)
})

const versionOf = Effect.fnUntraced(function* (
  client: ChainClient,
  batch: PayoutBatch,
  vault: Address.Address,
  { raw, recordedAtMs }: PayoutPayment
) {
  const signed = readPayment(batch, { vault, permit2: client.chain.permit2 }, raw)
  if (Option.isNone(signed)) {
    return yield* refused(
      `a recorded payment of batch ${batch.id} was signed by another vault than ${vault}. If it was mined, mark the batch as paid by it. If not, fail the batch after the payment's deadline, and open another`
    )
  }
  // A mined version that seems to be missing, or to have failed, would be signed again with another account nonce, which costs gas.
  const receipt = yield* PaymentEvidence.receiptOf(client, signed.value.txHash)
  return { ...signed.value, recordedAtMs, receipt: Option.getOrUndefined(receipt) }
})

/** True when Permit2 has spent the batch's nonce in a block. */
const isSpentIn = Effect.fnUntraced(function* (
  client: ChainClient,
  { id }: PayoutBatch,
  vault: Address.Address,
  block: BlockHash | bigint
) {
  const spent = yield* PaymentEvidence.spentIn(client, id, vault, block)
  if (Option.isSome(spent)) return spent.value
  return yield* refused(`Permit2 is not at ${client.chain.permit2} on ${client.chain.name}`)
})

/** Observes the payment of a batch. `broadcastAtMs` is the last broadcast of its newest version; 0 when there was none. */
export const observe = Effect.fnUntraced(function* (
  client: ChainClient,
  batch: PayoutBatch,
  vault: Address.Address,
  broadcastAtMs: number
) {
  const { chain } = client
  const versions = yield* Effect.forEach(batch.payments ?? [], (payment) => versionOf(client, batch, vault, payment))
  const newest = yield* client.block("latest")
  if (Option.isNone(newest)) {
    return yield* new ChainUnavailable({ chainId: chain.id, method: "eth_getBlockByNumber", detail: "no block" })
  }
  const head = newest.value
  // Nonces and balances of different blocks would look as if another transaction had moved the vault's tokens.
  const { allowance, balance, isSpentNow, latest, market, pending } = yield* Effect.all(
    {
      latest: client.corroborated(client.transactionCount(vault, head)),
      pending: client.transactionCount(vault, "pending"),
      isSpentNow: isSpentIn(client, batch, vault, head),
      balance: read(client, batch.token, head, { abi: erc20Abi, functionName: "balanceOf", args: [vault] }),
      allowance: read(client, batch.token, head, {
        abi: erc20Abi,
        functionName: "allowance",
        args: [vault, chain.permit2]
      }),
      market: client.feesPerGas
    },
    { concurrency: "unbounded" }
  )
  const confirmed = head.number - BigInt(chain.confirmations) + 1n
  const isPaid = versions.some(({ receipt }) => receipt?.status === "success")
  const isSpentConfirmed =
    isSpentNow && !isPaid && confirmed >= 0n && (yield* isSpentIn(client, batch, vault, confirmed))
  const nowMs = yield* Clock.currentTimeMillis
  return {
    versions,
    isSpent: isSpentNow,
    isSpentConfirmed,
    head,
    confirmations: chain.confirmations,
    accountNonce: { latest, pending },
    balance,
    allowance,
    total: batch.total,
    market,
    nowMs,
    isBroadcast: nowMs - broadcastAtMs < REBROADCAST_MILLIS
  } satisfies Observation
})
