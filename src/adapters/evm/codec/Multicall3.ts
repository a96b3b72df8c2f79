/** Many reads in one `eth_call`, by Multicall3's `aggregate3`, so that all of them see the same block. */
import { Array, Effect, Option } from "effect"
import { getAbiItem, hexToBigInt, multicall3Abi, toFunctionSelector } from "viem"
import type * as Address from "../../../domain/Address.ts"
import { type Hex, size } from "../../../domain/Hex.ts"
import { type CallRequest, type ChainClient, ChainUnavailable } from "../../../ports/shared/Chains.ts"
import * as Words from "./Words.ts"

export interface Read {
  readonly to: Address.Address
  readonly data: Hex
}

/** Bytes that a read returned; none when it reverted. An account without code returns no bytes. */
export type Answer = Option.Option<Hex>

export const NONE: Answer = Option.none()

/** Reads in one call, well within the gas and size limits of nodes. */
const BATCH = 200

/** Detail of the failure for an answer that a smaller call would not change. */
export const UNUSABLE = "Multicall3 is not deployed, or its answer is malformed"

/** Calls in flight at once, for each use of {@link read}. */
const CONCURRENCY = 4

/**
 * Runs the reads, at most `batch` to a call, and returns their answers in order. Default: 200 to a call, in the latest block. A
 * read that reverts is none and leaves the others alone. Fails with {@link ChainUnavailable} when Multicall3 itself does not
 * answer.
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
    return yield* unusable(client, UNUSABLE)
  }
  return answers.value
})

const AGGREGATE = toFunctionSelector(getAbiItem({ abi: multicall3Abi, name: "aggregate3" }))

/** That the read may fail, and the offset of the calldata, which is that of the fourth word. */
const BEFORE_DATA = Words.ofNumber(1) + Words.ofNumber(3 * Words.WORD)

/** Calldata of `aggregate3`, which lets each read fail. */
export const encode = (reads: ReadonlyArray<Read>): Hex => {
  // The balances of a portfolio ask thousands of tokens the same.
  let [last, encoded] = ["0x" as Hex, Words.ofBytes("0x")]
  const calls = reads.map(({ data, to }) => {
    if (data !== last) [last, encoded] = [data, Words.ofBytes(data)]
    return Words.ofAddress(to) + BEFORE_DATA + encoded
  })
  return `${AGGREGATE}${Words.ofList(calls)}`
}

/** Decodes the result of `aggregate3`; none when it is malformed. */
export const decode = (result: Hex): Option.Option<ReadonlyArray<Answer>> => {
  const { bytesAt, list, numberAt } = Words.reader(result)
  const answers: Array<Answer> = []
  for (const place of list() ?? [Number.NaN]) {
    const success = numberAt(place)
    const data = bytesAt(place + numberAt(place + Words.WORD))
    if (data === undefined || !(success <= 1)) return Option.none()
    answers.push(success === 1 ? Option.some(data) : Option.none())
  }
  return Option.some(answers)
}

/** Method of failures by Multicall3 itself, which other reads in the call may have caused. */
const METHOD = "aggregate3"

const unusable = (client: ChainClient, detail: string) =>
  new ChainUnavailable({ chainId: client.chain.id, method: METHOD, detail })

/** True if the node answered, and a call with fewer reads may succeed. False if the node did not answer. */
export const mayDivide = ({ method }: ChainUnavailable): boolean => method === METHOD

const ZERO_WORD: Hex = `0x${Words.ofNumber(0)}`

/** The answer as one 32-byte word; none for any other answer, such as that of an account without code. */
export const word = (answer: Answer): Option.Option<bigint> =>
  Option.flatMap(answer, (data) => {
    if (size(data) !== 32) return Option.none()
    // Most balances of a portfolio are zero.
    return Option.some(data === ZERO_WORD ? 0n : hexToBigInt(data))
  })
