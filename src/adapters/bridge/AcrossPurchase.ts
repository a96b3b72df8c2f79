/**
 * Codecs of a swap on arrival: the message of a deposit to Across's MulticallHandler. The handler approves the router for the delivered
 * token and swaps it, both or none. In either case it sends what is left of the delivered token to the recipient, so that the recipient
 * gets the bought token, or the delivered one if the swap fails. The router pays the recipient itself: the handler keeps nothing.
 */
import { Option } from "effect"
import { decodeAbiParameters, encodeAbiParameters, encodeFunctionData, erc20Abi } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import * as ExactCalldata from "../swap/ExactCalldata.ts"
import { instructionsAbi } from "./multicallHandlerAbi.ts"
import * as RouterSwap from "./RouterSwap.ts"

export interface Purchase {
  /** Token that the bridge delivers to the handler, and its amount that is sold. */
  readonly sold: Address.Address
  readonly amount: bigint
  readonly router: Address.Address
  readonly calldata: Hex
  /** Gets the delivered token if the swap fails, and what is left of it otherwise. */
  readonly fallbackRecipient: Address.Address
}

/** The calls of the message, as the handler's events repeat them. */
export const callsOf = ({ amount, calldata, router, sold }: Purchase) => [
  {
    target: sold,
    callData: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [router, amount] }),
    value: 0n
  },
  { target: router, callData: calldata, value: 0n }
]

const lower = (bytes: Hex): Hex => `0x${bytes.slice(2).toLowerCase()}`

export const encode = (purchase: Purchase): Hex =>
  // Digits of the router's calldata may have any case, and bytes are compared as text.
  lower(
    encodeAbiParameters(instructionsAbi, [{ calls: callsOf(purchase), fallbackRecipient: purchase.fallbackRecipient }])
  )

/** viem throws if the bytes do not match. */
const decodeExactly = Option.liftThrowable((message: Hex): Purchase => {
  const [{ calls, fallbackRecipient }] = decodeAbiParameters(instructionsAbi, message)
  const [approval, swap] = calls
  if (approval === undefined || swap === undefined || calls.length !== 2) throw new Error("not two calls")
  const approved = ExactCalldata.decode(erc20Abi, approval.callData)
  if (approved?.functionName !== "approve") throw new Error("not an approval")
  const purchase = {
    sold: Address.of(approval.target),
    amount: approved.args[1],
    router: Address.of(swap.target),
    calldata: swap.callData,
    fallbackRecipient: Address.of(fallbackRecipient)
  }
  if (encode(purchase) !== message) throw new Error("not canonical")
  return purchase
})

/** None unless {@link encode} produces exactly the same bytes, so the message makes no other call and has no other interpretation. */
export const decode = (message: Hex): Option.Option<Purchase> => decodeExactly(lower(message))

/** The purchase as the recipient sees it. */
export interface Bought {
  /** ERC-20. The wrapped native token if the recipient gets native currency. */
  readonly token: Address.Address
  readonly minAmount: bigint
  readonly recipient: Address.Address
  readonly unwraps: boolean
}

/**
 * The purchase of a deposit that delivers `amount` of `token` to `recipient`, if the message does exactly what the chain allows: it sells
 * all of that on the chain's router, for at least a minimum, to the account that also gets the token if the swap fails.
 */
export const boughtBy = (
  { multicallHandler, swapRouter, wrappedNative }: Pick<Chain, "multicallHandler" | "swapRouter" | "wrappedNative">,
  purchase: Purchase,
  deposit: {
    readonly recipient: Address.Address
    readonly outputToken: Address.Address
    readonly outputAmount: bigint
    readonly fillDeadline: number
  }
): Option.Option<Bought> =>
  RouterSwap.read(purchase.calldata).pipe(
    Option.filter(
      (swap) =>
        deposit.recipient === multicallHandler &&
        purchase.router === swapRouter &&
        purchase.sold === deposit.outputToken &&
        purchase.amount === deposit.outputAmount &&
        swap.tokenIn === purchase.sold &&
        swap.amountIn === purchase.amount &&
        swap.tokenOut !== swap.tokenIn &&
        (!swap.unwraps || swap.tokenOut === wrappedNative) &&
        swap.minAmountOut > 0n &&
        // A relayer may fill in the last second.
        swap.deadline >= BigInt(deposit.fillDeadline) &&
        swap.recipient === purchase.fallbackRecipient &&
        !Address.isZero(swap.recipient)
    ),
    Option.map(({ minAmountOut: minAmount, recipient, tokenOut: token, unwraps }) => ({
      token,
      minAmount,
      recipient,
      unwraps
    }))
  )
