/** Many reads in one `eth_call`, by Multicall3's `aggregate3`, so that all of them see the same block. */
import { Array, Effect, Option } from "effect"
import { hexToBigInt } from "viem"
import type * as Address from "../../../domain/Address.ts"
import { type Hex, size } from "../../../domain/Hex.ts"
import { type CallRequest, type ChainClient, ChainUnavailable } from "../../../ports/shared/Chains.ts"

export interface Read {
  readonly to: Address.Address
  readonly data: Hex
}

/** What a read returned; none where it reverted. An account without code "returns" no bytes at all. */
export type Answer = Option.Option<Hex>

/** Keeps a batch of cheap reads well within the gas and size limits that nodes set for one call. */
const BATCH = 200

/** Batches in flight at once, per call of {@link read}. */
const CONCURRENCY = 4

/**
 * Runs the reads, at most `batch` to a call, and answers in their order. A read that reverts is none and harms no other. When
 * Multicall3 itself does not answer as it must, the state of things is unknown: {@link ChainUnavailable}.
 */
export const read = Effect.fnUntraced(function* (
  client: ChainClient,
  reads: ReadonlyArray<Read>,
  options: { readonly batch?: number; readonly block?: CallRequest["block"] } = {}
) {
  const batches = Array.chunksOf(reads, options.batch ?? BATCH)
  const answers = yield* Effect.forEach(batches, (batch) => aggregate(client, batch, options.block ?? "latest"), {
    concurrency: CONCURRENCY
  })
  return answers.flat()
})

const aggregate = Effect.fnUntraced(function* (
  client: ChainClient,
  reads: ReadonlyArray<Read>,
  block: NonNullable<CallRequest["block"]>
) {
  const data = encode(reads)
  const result = yield* client
    .call({ to: client.chain.multicall3, data, block })
    .pipe(Effect.catchTag("CallReverted", (reverted) => Effect.fail(unusable(client, reverted.message))))
  const answers = decode(result)
  if (Option.isNone(answers) || answers.value.length !== reads.length) {
    return yield* unusable(client, "Multicall3 is not deployed, or its answer is malformed")
  }
  return answers.value
})

/** `aggregate3((address target, bool allowFailure, bytes callData)[])` */
const AGGREGATE3 = "0x82ad56cb"

const WORD_DIGITS = 64

const wordOf = (value: number): string => value.toString(16).padStart(WORD_DIGITS, "0")

/** Calldata by hand (ABI specification, "Use of Dynamic Types"): every order is screened by such a call. */
export const encode = (reads: ReadonlyArray<Read>): Hex => {
  const calls = reads.map(({ data, to }) => {
    const digits = data.slice(2)
    const padded = digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, "0")
    return `${to.slice(2).toLowerCase().padStart(WORD_DIGITS, "0")}${wordOf(1)}${wordOf(0x60)}${wordOf(size(data))}${padded}`
  })
  let offset = calls.length * (WORD_DIGITS / 2)
  let offsets = ""
  for (const call of calls) {
    offsets += wordOf(offset)
    offset += call.length / 2
  }
  return `${AGGREGATE3}${wordOf(0x20)}${wordOf(calls.length)}${offsets}${calls.join("")}`
}

/** What `aggregate3` returned, `(bool success, bytes returnData)[]`; none where it is anything else. */
export const decode = (result: Hex): Option.Option<ReadonlyArray<Answer>> => {
  const digits = result.slice(2)
  /** The word at a byte, as a number that can be a length or an offset in it; -1 for any other. */
  const number = (at: number): number => {
    const text = digits.slice(2 * at, 2 * at + WORD_DIGITS)
    const value = text.length === WORD_DIGITS ? Number.parseInt(text, 16) : -1
    return value <= digits.length ? value : -1
  }
  if (number(0) !== 0x20) return Option.none()
  const count = number(0x20)
  const list = 0x40
  const answers: Array<Answer> = []
  for (let index = 0; index < count; index++) {
    const offset = number(list + 0x20 * index)
    const success = number(list + offset)
    const position = number(list + offset + 0x20)
    const bytes = list + offset + position
    const length = number(bytes)
    const data = digits.slice(2 * (bytes + 0x20), 2 * (bytes + 0x20 + length))
    const isWhole = offset >= 0 && position >= 0 && length >= 0 && data.length === 2 * length
    if (!isWhole || (success !== 0 && success !== 1)) return Option.none()
    answers.push(success === 1 ? Option.some<Hex>(`0x${data}`) : Option.none())
  }
  return count < 0 ? Option.none() : Option.some(answers)
}

const unusable = (client: ChainClient, detail: string) =>
  new ChainUnavailable({ chainId: client.chain.id, method: "eth_call", detail })

/** The answer as one 32-byte word; none for anything else, such as the silence of an account without code. */
export const word = (answer: Answer): Option.Option<bigint> =>
  Option.flatMap(answer, (data) => (size(data) === 32 ? Option.some(hexToBigInt(data)) : Option.none()))
