/** Checks that an endpoint with a far head has the blocks of the others, since a far head may be that of another chain, or made up. */
import { Effect, Option, Schema } from "effect"
import { numberToHex } from "viem"
import { Hash } from "../../../domain/Hex.ts"
import { type Endpoint, EndpointFailed } from "./JsonRpc.ts"
import { Quantity } from "./Schemas.ts"

/** Endpoints that are asked for their newest known blocks. */
const WITNESSES = 2

/** No reorganisation replaces so many blocks. */
const SETTLED_BLOCKS = 64n

const decode = Schema.decodeUnknownOption(Schema.Struct({ number: Quantity, hash: Hash }))

/** Hash of the endpoint's block. None if it fails, or does not have the block. */
export const hashAt = (endpoint: Endpoint, number: bigint): Effect.Effect<Option.Option<Hash>> =>
  Effect.match(endpoint.request("eth_getBlockByNumber", [numberToHex(number), false]), {
    onFailure: Option.none,
    onSuccess: (answer) =>
      Option.flatMap(decode(answer), (block) => (block.number === number ? Option.some(block.hash) : Option.none()))
  })

export interface Witness {
  readonly endpoint: Endpoint
  readonly height: bigint
}

/** True if both have the same block well below this height. */
export const isSameBelow = Effect.fnUntraced(function* (endpoint: Endpoint, other: Endpoint, height: bigint) {
  const number = height - SETTLED_BLOCKS
  if (number < 0n) return false
  const [own, theirs] = yield* Effect.all([hashAt(endpoint, number), hashAt(other, number)], {
    concurrency: "unbounded"
  })
  return Option.isSome(own) && Option.isSome(theirs) && own.value === theirs.value
})

/**
 * Endpoints that have another block than this one at their heights. Empty if it has the same block as one of the others, and a block at
 * its own height. Also if no other endpoint shows its block. Fails if the endpoint does not show its blocks.
 */
export const check = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  height: bigint,
  others: ReadonlyArray<Witness>
): Effect.fn.Return<ReadonlyArray<Endpoint>, EndpointFailed> {
  const missing = (number: bigint) =>
    new EndpointFailed({
      endpoint: endpoint.name,
      detail: `its head is far above the others, and it lacks block ${number}`
    })
  const differing: Array<Endpoint> = []
  for (const witness of others.toSorted((a, b) => Number(b.height - a.height)).slice(0, WITNESSES)) {
    const [own, theirs] = yield* Effect.all(
      [hashAt(endpoint, witness.height), hashAt(witness.endpoint, witness.height)],
      { concurrency: "unbounded" }
    )
    if (Option.isNone(theirs)) continue
    if (Option.isNone(own)) return yield* missing(witness.height)
    if (own.value !== theirs.value) {
      differing.push(witness.endpoint)
      continue
    }
    return Option.isSome(yield* hashAt(endpoint, height)) ? [] : yield* missing(height)
  }
  return differing
})
