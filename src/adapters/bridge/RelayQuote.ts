/**
 * Quotes of Relay, `POST /quote/v2`. An answer is compared with its request field by field, because the service alone decides what
 * arrives. Whatever is not understood is refused.
 */
import { Option, Result, Schema } from "effect"
import { decodeFunctionData, erc20Abi } from "viem"
import * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import { Hash, Hex } from "../../domain/Hex.ts"
import type { BridgeRequest } from "../../ports/orchestrator/Bridge.ts"
import { dishonest, type Objection, unsuited } from "../providers/Objection.ts"
import * as RelayDeposit from "./RelayDeposit.ts"

const Transaction = Schema.Struct({
  from: Address.Address,
  to: Address.Address,
  data: Hex,
  value: Schema.optionalKey(Schema.Union([Uint256, Schema.Int])),
  chainId: Schema.Int
})

const Step = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  requestId: Schema.optionalKey(Hash),
  items: Schema.Array(Schema.Struct({ data: Transaction }))
})

const Amount = Schema.Struct({
  currency: Schema.Struct({ chainId: Schema.Int, address: Address.Address }),
  amount: Uint256,
  minimumAmount: Schema.optionalKey(Uint256)
})

/** The parts of an answer that are used. */
export const RelayAnswer = Schema.Struct({
  steps: Schema.Array(Step),
  details: Schema.Struct({
    sender: Schema.optionalKey(Address.Address),
    recipient: Schema.optionalKey(Address.Address),
    currencyIn: Amount,
    currencyOut: Amount,
    /** Seconds. */
    timeEstimate: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 86_400 }))
  })
})
export type RelayAnswer = typeof RelayAnswer.Type

/** The body of an error. */
export const RelayRefusal = Schema.Struct({ message: Schema.String, errorCode: Schema.optionalKey(Schema.String) })

/** Terms of a request to the service. `tokenOut` is an ERC-20. */
export type RelayRequest = Pick<
  BridgeRequest,
  "sourceChainId" | "destChainId" | "tokenIn" | "tokenOut" | "amountIn" | "depositor" | "recipient" | "slippageBps"
>

/** The request's body. A refund goes to the depositor, on the source chain. */
export const bodyOf = (request: RelayRequest) => ({
  user: request.depositor,
  recipient: request.recipient,
  refundTo: request.depositor,
  originChainId: request.sourceChainId,
  destinationChainId: request.destChainId,
  originCurrency: request.tokenIn,
  destinationCurrency: request.tokenOut,
  amount: request.amountIn.toString(),
  tradeType: "EXACT_INPUT",
  slippageTolerance: String(request.slippageBps)
})

export interface RelayQuote {
  /** Contract that takes the deposit. */
  readonly target: Address.Address
  readonly deposit: RelayDeposit.RelayDeposit
  readonly amountOut: bigint
  readonly estimatedSeconds: number
}

const spenderOf = Option.liftThrowable((data: Hex): Address.Address => {
  const { args, functionName } = decodeFunctionData({ abi: erc20Abi, data })
  if (functionName !== "approve") throw new Error("another function")
  return Address.of(args[0])
})

const BPS = 10_000n

/** The first contradiction between the amounts of an answer and its request. */
const amountsObjection = (request: RelayRequest, { currencyIn, currencyOut }: RelayAnswer["details"]) => {
  if (currencyIn.currency.chainId !== request.sourceChainId || currencyIn.currency.address !== request.tokenIn) {
    return "another input token"
  }
  if (currencyIn.amount !== request.amountIn) return "another input amount"
  return currencyOut.currency.chainId !== request.destChainId || currencyOut.currency.address !== request.tokenOut
    ? "another output token"
    : undefined
}

/** The terms of an answer that are not accepted. */
const misfit = (
  { slippageBps }: RelayRequest,
  { currencyOut: { amount, minimumAmount } }: RelayAnswer["details"],
  values: ReadonlyArray<Item["value"]>
) => {
  if (values.some((value = 0) => BigInt(value) !== 0n)) return "a transaction with native currency"
  if (minimumAmount === undefined || minimumAmount === 0n) return "no minimum output"
  if (minimumAmount > amount) return "a minimum above the output"
  // One unit is lost by rounding.
  return (minimumAmount + 1n) * BPS < amount * (BPS - BigInt(slippageBps))
    ? "a minimum below the slippage tolerance"
    : undefined
}

type Item = RelayAnswer["steps"][number]["items"][number]["data"]

/** The first contradiction between a proposed transaction and its request. */
const transactionObjection = (request: RelayRequest, { chainId, from }: Item) => {
  if (chainId !== request.sourceChainId) return "a transaction on another chain"
  return from === request.depositor ? undefined : "a transaction of another account"
}

/** The approval and the deposit of an answer. The approval is absent where the allowance suffices. */
const transactionsOf = ({ steps }: RelayAnswer) => {
  const used = steps.filter(({ items }) => items.length > 0)
  const [first, second, ...more] = used
  if (first === undefined || more.length > 0) return undefined
  if (used.some(({ items, kind }) => kind !== "transaction" || items.length !== 1)) return undefined
  const [approve, deposit] = second === undefined ? [undefined, first] : [first, second]
  if (deposit.id !== "deposit" || (approve !== undefined && approve.id !== "approve")) return undefined
  const [item] = deposit.items
  return item === undefined
    ? undefined
    : { approve: approve?.items[0]?.data, deposit: item.data, requestId: deposit.requestId ?? approve?.requestId }
}

/** The first contradiction between an answer and its request. */
const contradiction = (
  request: RelayRequest,
  { details }: RelayAnswer,
  { approve, deposit }: NonNullable<ReturnType<typeof transactionsOf>>,
  allowed: ReadonlyArray<Address.Address>
) => {
  if (!allowed.includes(deposit.to)) return `the target ${deposit.to}, which is not listed`
  const objected =
    transactionObjection(request, deposit) ??
    (approve === undefined ? undefined : transactionObjection(request, approve)) ??
    amountsObjection(request, details)
  if (objected !== undefined) return objected
  if (details.sender !== undefined && details.sender !== request.depositor) return "another sender"
  if (details.recipient !== undefined && details.recipient !== request.recipient) return "another recipient"
  if (approve === undefined) return undefined
  const spender = Option.getOrUndefined(spenderOf(approve.data))
  return approve.to === request.tokenIn && spender === deposit.to ? undefined : "another approval"
}

/**
 * The deposit of an answer, if every field of it is what was asked for. `allowed` are the depositories that the operator names and the
 * guard lists on the source chain. Fails with the first objection.
 */
export const accept = (
  request: RelayRequest,
  answer: RelayAnswer,
  allowed: ReadonlyArray<Address.Address>
): Result.Result<RelayQuote, Objection> => {
  const { details } = answer
  const transactions = transactionsOf(answer)
  if (transactions === undefined) return Result.fail(unsuited("steps other than one deposit after its approval"))
  const { approve, deposit: proposed, requestId } = transactions
  const orderId = Option.getOrUndefined(RelayDeposit.orderIdOf(proposed.data))
  // The service answers odd requests with its routers, whose calls are not read.
  if (orderId === undefined) return Result.fail(unsuited("a call other than a deposit"))
  if (requestId === undefined) return Result.fail(unsuited("no request id"))
  const contradicting = contradiction(request, answer, transactions, allowed)
  if (contradicting !== undefined) return Result.fail(dishonest(contradicting))
  const deposit = {
    tokenIn: request.tokenIn,
    amountIn: request.amountIn,
    tokenOut: request.tokenOut,
    minAmountOut: details.currencyOut.minimumAmount ?? 0n,
    destChainId: BigInt(request.destChainId),
    depositor: request.depositor,
    recipient: request.recipient,
    orderId,
    requestId: requestId.toLowerCase() as Hash
  }
  if (RelayDeposit.call(deposit) !== proposed.data.toLowerCase()) {
    return Result.fail(dishonest("a deposit with other arguments"))
  }
  const unfit = misfit(request, details, [proposed.value, approve?.value])
  if (unfit !== undefined) return Result.fail(unsuited(unfit))
  return Result.succeed({
    target: proposed.to,
    deposit,
    amountOut: details.currencyOut.amount,
    estimatedSeconds: Math.ceil(details.timeEstimate)
  })
}
