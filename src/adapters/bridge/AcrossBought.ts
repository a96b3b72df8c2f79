/**
 * Reads the outcome of a swap on arrival from the logs of the fill's transaction. The pool's event of the fill comes first, then
 * the handler acts. The handler's public functions let a relayer add calls of its own to the transaction, so the first of two events
 * counts: the payment of the router, or the handler's report that exactly our calls failed.
 */
import { Option } from "effect"
import { decodeEventLog, encodeAbiParameters, encodeEventTopics, erc20Abi, padHex, parseAbi, zeroHash } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { Log } from "../../ports/shared/Chains.ts"
import * as AcrossPurchase from "./AcrossPurchase.ts"
import { callsAbi, multicallHandlerAbi } from "./multicallHandlerAbi.ts"
import * as RouterSwap from "./RouterSwap.ts"

const wrappedAbi = parseAbi(["event Withdrawal(address indexed source, uint256 amount)"])

const [TRANSFER] = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer" })
const [WITHDRAWAL] = encodeEventTopics({ abi: wrappedAbi, eventName: "Withdrawal" })
const [CALLS_FAILED] = encodeEventTopics({ abi: multicallHandlerAbi, eventName: "CallsFailed" })

const decode = <const E extends "Transfer" | "Withdrawal">(eventName: E) =>
  Option.liftThrowable(({ data, topics: [signature = zeroHash, ...indexed] }: Log) =>
    decodeEventLog({
      abi: [...erc20Abi, ...wrappedAbi],
      eventName,
      topics: [signature, ...indexed],
      data
    })
  )

const transferOf = decode("Transfer")
const withdrawalOf = decode("Withdrawal")

const isOf = (log: Log, address: Address.Address, topic: Hex): boolean =>
  log.address === address && log.topics[0]?.toLowerCase() === topic

/** Amount that the router unwraps. Some wrapped tokens, such as Arbitrum's, log only that they burn it. */
const unwrappedBy = (log: Log, router: Address.Address, wrapped: Address.Address): bigint | undefined => {
  if (isOf(log, wrapped, WITHDRAWAL)) {
    const args = Option.getOrUndefined(withdrawalOf(log))?.args
    return args !== undefined && "source" in args && Address.of(args.source) === router ? args.amount : undefined
  }
  if (!isOf(log, wrapped, TRANSFER)) return undefined
  const args = Option.getOrUndefined(transferOf(log))?.args
  return args !== undefined && "to" in args && Address.of(args.from) === router && Address.isZero(Address.of(args.to))
    ? args.value
    : undefined
}

/** Amount that the log moves to the recipient. For native currency, the amount that the router unwraps. */
const paidBy = (log: Log, router: Address.Address, swap: RouterSwap.RouterSwap): bigint | undefined => {
  if (swap.unwraps) return unwrappedBy(log, router, swap.tokenOut)
  if (!isOf(log, swap.tokenOut, TRANSFER)) return undefined
  const args = Option.getOrUndefined(transferOf(log))?.args
  return args !== undefined && "to" in args && Address.of(args.to) === swap.recipient ? args.value : undefined
}

/** Outcome of the swap: the amount of the bought token, or that it failed. */
export type Outcome =
  | { readonly _tag: "Bought"; readonly amount: bigint }
  | { readonly _tag: "Failed"; readonly token: Address.Address }

/** None if the logs show neither. `logs` are those after the event of the fill. */
export const outcomeOf = (
  logs: ReadonlyArray<Log>,
  handler: Address.Address,
  purchase: AcrossPurchase.Purchase
): Option.Option<Outcome> => {
  const swap = Option.getOrUndefined(RouterSwap.read(purchase.calldata))
  if (swap === undefined) return Option.none()
  const failedCalls = encodeAbiParameters(callsAbi, [AcrossPurchase.callsOf(purchase)]).toLowerCase()
  const recipient = padHex(purchase.fallbackRecipient, { size: 32 }).toLowerCase()
  for (const log of logs) {
    const paid = paidBy(log, purchase.router, swap)
    if (paid !== undefined && paid >= swap.minAmountOut) return Option.some({ _tag: "Bought", amount: paid })
    const isFailure =
      isOf(log, handler, CALLS_FAILED) &&
      log.topics[1]?.toLowerCase() === recipient &&
      log.data.toLowerCase() === failedCalls
    if (isFailure) return Option.some({ _tag: "Failed", token: purchase.sold })
  }
  return Option.none()
}
