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
  const { minimumAmount } = currencyOut
  if (currencyIn.currency.chainId !== request.sourceChainId || currencyIn.currency.address !== request.tokenIn) {
    return "another input token"
  }
  if (currencyIn.amount !== request.amountIn) return "another input amount"
  if (currencyOut.currency.chainId !== request.destChainId || currencyOut.currency.address !== request.tokenOut) {
    return "another output token"
  }
  if (minimumAmount === undefined || minimumAmount === 0n) return "no minimum output"
  if (minimumAmount > currencyOut.amount) return "a minimum above the output"
  // One unit is lost by rounding.
  return (minimumAmount + 1n) * BPS < currencyOut.amount * (BPS - BigInt(request.slippageBps))
    ? "a minimum below the slippage tolerance"
    : undefined
}

type Item = RelayAnswer["steps"][number]["items"][number]["data"]

/** The first contradiction between a proposed transaction and its request. */
const transactionObjection = (request: RelayRequest, { chainId, from, value = 0 }: Item) => {
  if (chainId !== request.sourceChainId) return "a transaction on another chain"
  if (from !== request.depositor) return "a transaction of another account"
  return BigInt(value) === 0n ? undefined : "a transaction with native currency"
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

/**
 * The deposit of an answer, if every field of it is what was asked for. `allowed` are the depositories that the operator names and the
 * guard lists on the source chain. Fails with the first contradiction.
 */
export const accept = (
  request: RelayRequest,
  answer: RelayAnswer,
  allowed: ReadonlyArray<Address.Address>
): Result.Result<RelayQuote, string> => {
  const { details } = answer
  const transactions = transactionsOf(answer)
  if (transactions === undefined) return Result.fail("steps other than one deposit after its approval")
  const { approve, deposit: proposed, requestId } = transactions
  if (requestId === undefined) return Result.fail("no request id")
  if (!allowed.includes(proposed.to)) return Result.fail(`the target ${proposed.to}, which is not listed`)
  const objection =
    transactionObjection(request, proposed) ??
    (approve === undefined ? undefined : transactionObjection(request, approve)) ??
    amountsObjection(request, details)
  if (objection !== undefined) return Result.fail(objection)
  if (details.sender !== undefined && details.sender !== request.depositor) return Result.fail("another sender")
  if (details.recipient !== undefined && details.recipient !== request.recipient) {
    return Result.fail("another recipient")
  }
  if (approve !== undefined) {
    const spender = Option.getOrUndefined(spenderOf(approve.data))
    if (approve.to !== request.tokenIn || spender !== proposed.to) return Result.fail("another approval")
  }
  const orderId = Option.getOrUndefined(RelayDeposit.orderIdOf(proposed.data))
  if (orderId === undefined) return Result.fail("a call other than a deposit")
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
  if (RelayDeposit.call(deposit) !== proposed.data.toLowerCase()) return Result.fail("a deposit with other arguments")
  return Result.succeed({
    target: proposed.to,
    deposit,
    amountOut: details.currencyOut.amount,
    estimatedSeconds: Math.ceil(details.timeEstimate)
  })
}
