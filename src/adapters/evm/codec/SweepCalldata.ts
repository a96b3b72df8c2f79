/**
 * Calldata of the delegate's `execute` and the entry's `run`, by hand on hex digits (ABI specification, "Formal Specification of
 * the Encoding"): each sweep is encoded once and copied into a batch, which general encoders do byte by byte. Held to viem by
 * a property test.
 */
import { toFunctionSelector } from "viem"
import type * as Address from "../../../domain/Address.ts"
import type { Hex } from "../../../domain/Hex.ts"
import type { SweepOrder } from "../../../domain/SweepOrder.ts"
import { sweepDelegate, sweepEntry } from "../abi/contracts.generated.ts"

const WORD_DIGITS = 64
const WORD = 32

const selectorOf = (abi: typeof sweepDelegate.abi | typeof sweepEntry.abi, name: string): string => {
  const found = abi.find((item) => item.type === "function" && item.name === name)
  if (found?.type !== "function") throw new Error(`the contracts have no function ${name}`)
  return toFunctionSelector(found)
}

const EXECUTE = selectorOf(sweepDelegate.abi, "execute")
const RUN = selectorOf(sweepEntry.abi, "run")

const wordOf = (value: bigint | number): string => value.toString(16).padStart(WORD_DIGITS, "0")
const addressWord = (address: Address.Address): string => address.slice(2).toLowerCase().padStart(WORD_DIGITS, "0")

/** Length and content of `bytes`, filled up to whole words. */
const bytesOf = (data: Hex): string => {
  const digits = data.slice(2).toLowerCase()
  const padded = digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, "0")
  return wordOf(digits.length / 2) + padded
}

const bytesLength = (digits: string): number => digits.length / 2

/** Words of an order's head: one for each of its fields. */
const ORDER_WORDS = 14

const orderOf = (order: SweepOrder): string =>
  addressWord(order.owner) +
  addressWord(order.tokenIn) +
  wordOf(order.amountIn) +
  wordOf(order.feeAmount) +
  addressWord(order.builder) +
  wordOf(order.builderFee) +
  addressWord(order.tokenOut) +
  wordOf(order.minAmountOut) +
  addressWord(order.destination) +
  addressWord(order.swapTarget) +
  wordOf(ORDER_WORDS * WORD) +
  wordOf(order.deadline) +
  wordOf(order.nonce) +
  wordOf(order.destChainId) +
  bytesOf(order.swapCalldata)

/** `execute(SweepOrder order, bytes signature)` */
export const execute = (order: SweepOrder, signature: Hex): Hex => {
  const encoded = orderOf(order)
  const head = 2 * WORD
  return `0x${EXECUTE.slice(2)}${wordOf(head)}${wordOf(head + bytesLength(encoded))}${encoded}${bytesOf(signature)}`
}

export interface Item {
  readonly account: Address.Address
  readonly gasLimit: bigint
  readonly data: Hex
}

/** `run((address account, uint256 gasLimit, bytes data)[] items)` */
export const run = (items: ReadonlyArray<Item>): Hex => {
  const encoded = items.map(
    ({ account, data, gasLimit }) => addressWord(account) + wordOf(gasLimit) + wordOf(3 * WORD) + bytesOf(data)
  )
  let offset = items.length * WORD
  let offsets = ""
  for (const item of encoded) {
    offsets += wordOf(offset)
    offset += bytesLength(item)
  }
  return `0x${RUN.slice(2)}${wordOf(WORD)}${wordOf(items.length)}${offsets}${encoded.join("")}`
}
