/** Tells an endpoint that lacks a block from one that has the block and does not read it, for example because its state is pruned. */
import { Effect, Option, Predicate, Schema } from "effect"
import { Hash } from "../../../domain/Hex.ts"
import * as Choice from "./Choice.ts"
import * as Errors from "./Errors.ts"
import { type Endpoint, RpcError, type RpcFailure } from "./JsonRpc.ts"
import { hashAt } from "./SameHistory.ts"
import { Quantity } from "./Schemas.ts"

/** Methods whose second parameter is a block. */
const TAGGED: ReadonlySet<string> = new Set(["eth_call", "eth_getBalance", "eth_getCode", "eth_getTransactionCount"])

/** Least blocks below its head at which an honest node may have pruned the state. geth keeps that of 128 blocks. */
const LEAST_PRUNED = 64n

const decodeNumber = Schema.decodeUnknownOption(Quantity)
const decodeHash = Schema.decodeUnknownOption(Schema.Struct({ blockHash: Hash }))
const decodeHeader = Schema.decodeUnknownOption(Schema.Struct({ number: Quantity, hash: Hash }))

/** Number or hash of the block that a request names. None for a tag such as `latest`. */
const namedBlock = (method: string, [first, second]: ReadonlyArray<unknown>): Option.Option<bigint | Hash> => {
  const named = TAGGED.has(method) ? second : method === "eth_getLogs" ? first : undefined
  const byHash = Option.map(decodeHash(named), ({ blockHash }) => blockHash)
  return Option.orElse(byHash, () => decodeNumber(Predicate.hasProperty(named, "toBlock") ? named.toBlock : named))
}

/** Number of the block if the endpoint shows it as part of its chain. */
const shownNumber = Effect.fnUntraced(function* (endpoint: Endpoint, block: bigint | Hash) {
  if (typeof block === "bigint") return Option.as(yield* hashAt(endpoint, block), block)
  const answer = yield* Effect.option(endpoint.request("eth_getBlockByHash", [block, false]))
  const header = Option.filter(Option.flatMap(answer, decodeHeader), ({ hash }) => hash === block)
  if (Option.isNone(header)) return Option.none()
  const { number } = header.value
  // Nodes keep blocks that a reorganisation removed.
  return Option.contains(yield* hashAt(endpoint, number), block) ? Option.some(number) : Option.none()
})

/** True if the endpoint shows the block so far below its head that it may have pruned the state. */
const mayHavePruned = Effect.fnUntraced(function* (endpoint: Endpoint, block: bigint | Hash) {
  const number = yield* shownNumber(endpoint, block)
  if (Option.isNone(number)) return false
  const head = Option.flatMap(yield* Effect.option(endpoint.request("eth_blockNumber", [])), decodeNumber)
  return Option.exists(head, (height) => height - number.value >= LEAST_PRUNED)
})

const shown = ({ code, data, endpoint, text }: RpcError) =>
  new RpcError({ endpoint, code, text, data, isBlockShown: true })

/**
 * Marks failures of reads that are compared with those of another endpoint: `isBlockShown` if the endpoint does not know the block that
 * the read names, and shows it 64 blocks or more below its head. Such a failure is no statement about the chain. Reads that need the state
 * are not marked.
 */
export const marking = <E extends Endpoint>(endpoint: E): E => {
  const request: Endpoint["request"] = (method, params) => {
    const asked = endpoint.request(method, params)
    const mark = Effect.fnUntraced(function* (failure: RpcFailure) {
      const choice = yield* Choice.Current
      const block = namedBlock(method, params)
      if (choice?.only === undefined || choice.needsState === true || Option.isNone(block)) {
        return yield* Effect.fail(failure)
      }
      if (!(yield* mayHavePruned(endpoint, block.value))) return yield* Effect.fail(failure)
      // The block may have arrived since the first request.
      return yield* Effect.mapError(asked, (again) =>
        again._tag === "RpcError" && Errors.isUnknownBlock(again) ? shown(again) : again
      )
    })
    return Effect.catch(asked, (failure) => (Errors.isUnknownBlock(failure) ? mark(failure) : Effect.fail(failure)))
  }
  return { ...endpoint, request }
}
