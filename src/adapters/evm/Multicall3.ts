/** Many reads in one `eth_call`, by Multicall3's `aggregate3`, so that all of them see the same block. */
import { Array, Effect, Option } from "effect"
import { decodeFunctionResult, encodeFunctionData, hexToBigInt, multicall3Abi } from "viem"
import type * as Address from "../../domain/Address.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import { type CallRequest, type ChainClient, ChainUnavailable } from "../../ports/Chains.ts"

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
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [reads.map((each) => ({ target: each.to, allowFailure: true, callData: each.data }))]
  })
  const result = yield* client
    .call({ to: client.chain.multicall3, data, block })
    .pipe(Effect.catchTag("CallReverted", (reverted) => Effect.fail(unusable(client, reverted.message))))
  const answers = decode(result)
  if (Option.isNone(answers) || answers.value.length !== reads.length) {
    return yield* unusable(client, "Multicall3 is not deployed, or its answer is malformed")
  }
  return answers.value
})

const decode = Option.liftThrowable((result: Hex): ReadonlyArray<Answer> =>
  decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: result }).map((each) =>
    each.success ? Option.some(each.returnData) : Option.none()
  )
)

const unusable = (client: ChainClient, detail: string) =>
  new ChainUnavailable({ chainId: client.chain.id, method: "eth_call", detail })

/** The answer as one 32-byte word; none for anything else, such as the silence of an account without code. */
export const word = (answer: Answer): Option.Option<bigint> =>
  Option.flatMap(answer, (data) => (size(data) === 32 ? Option.some(hexToBigInt(data)) : Option.none()))
