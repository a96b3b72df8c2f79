/** Amounts that arrived, read from the events of the transactions that delivered them. */
import { Effect } from "effect"
import { parseEventLogs, type PublicClient, sliceHex } from "viem"
import { spokePoolAbi } from "../../adapters/bridge/spokePoolAbi.ts"
import { sweepGuard } from "../../adapters/evm/abi/contracts.generated.ts"
import * as Address from "../../domain/Address.ts"
import type { Hash } from "../../domain/Hex.ts"
import { attempt, DemoFailed } from "./DemoFailed.ts"

/** The events of `contract` in the transaction. */
const logsOf = Effect.fnUntraced(function* (node: PublicClient, contract: Address.Address, txHash: Hash | undefined) {
  if (txHash === undefined) return yield* new DemoFailed({ detail: "the sweep ended without a transaction" })
  const { logs } = yield* attempt("reading the receipt", () => node.getTransactionReceipt({ hash: txHash }))
  return logs.filter((log) => Address.of(log.address) === contract)
})

/** Sum of the bridge's fills for the recipient in a transaction, in the smallest unit. */
export const filledAmountOut = Effect.fnUntraced(function* (
  node: PublicClient,
  spokePool: Address.Address,
  recipient: Address.Address,
  txHash: Hash | undefined
) {
  const logs = yield* logsOf(node, spokePool, txHash)
  const events = parseEventLogs({ abi: spokePoolAbi, eventName: "FilledRelay", logs }).filter(
    ({ args }) => Address.of(sliceHex(args.recipient, 12)) === recipient
  )
  return events.length === 0
    ? yield* new DemoFailed({ detail: `transaction ${txHash} has no FilledRelay event for ${recipient}` })
    : events.reduce((sum, { args }) => sum + args.relayExecutionInfo.updatedOutputAmount, 0n)
})

/** Amount that an order on one chain delivered, in the smallest unit. `orderHash` is the order's digest. */
export const sweptAmountOut = Effect.fnUntraced(function* (
  node: PublicClient,
  guard: Address.Address,
  orderHash: Hash,
  txHash: Hash | undefined
) {
  const logs = yield* logsOf(node, guard, txHash)
  const event = parseEventLogs({ abi: sweepGuard.abi, eventName: "Swept", logs }).find(
    ({ args }) => args.orderHash === orderHash
  )
  return event === undefined
    ? yield* new DemoFailed({ detail: `transaction ${txHash} has no Swept event of the order` })
    : event.args.amountOut
})
