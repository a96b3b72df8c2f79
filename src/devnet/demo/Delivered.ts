/** The amount that arrived, read from the events of the transaction that delivered it. */
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

/** Amount of the bridge's fill for the recipient, in the smallest unit. */
export const filledAmountOut = Effect.fnUntraced(function* (
  node: PublicClient,
  spokePool: Address.Address,
  recipient: Address.Address,
  txHash: Hash | undefined
) {
  const logs = yield* logsOf(node, spokePool, txHash)
  const event = parseEventLogs({ abi: spokePoolAbi, eventName: "FilledRelay", logs }).find(
    ({ args }) => Address.of(sliceHex(args.recipient, 12)) === recipient
  )
  return event === undefined
    ? yield* new DemoFailed({ detail: `transaction ${txHash} has no FilledRelay event for ${recipient}` })
    : event.args.relayExecutionInfo.updatedOutputAmount
})

/** Amount of a sweep on one chain, in the smallest unit. */
export const sweptAmountOut = Effect.fnUntraced(function* (
  node: PublicClient,
  guard: Address.Address,
  txHash: Hash | undefined
) {
  const logs = yield* logsOf(node, guard, txHash)
  const [event] = parseEventLogs({ abi: sweepGuard.abi, eventName: "Swept", logs })
  return event === undefined
    ? yield* new DemoFailed({ detail: `transaction ${txHash} has no Swept event of the guard` })
    : event.args.amountOut
})
