/** Requests to the nodes of one chain, whose failures are those of the `Chains` port. */
import { Effect, Option, Schema } from "effect"
import { numberToHex } from "viem"
import type { Chain } from "../../../domain/Chain.ts"
import { type BlockHash, ChainUnavailable } from "../../../ports/shared/Chains.ts"
import type { Corroborating } from "../../../ports/shared/Corroborating.ts"
import * as RpcErrors from "../rpc/Errors.ts"
import type { RpcFailure } from "../rpc/JsonRpc.ts"
import type { JsonRpcPool } from "../rpc/Pool.ts"
import * as Rpc from "../rpc/Schemas.ts"

export interface Node extends Corroborating<ChainUnavailable> {
  readonly chain: Chain
  readonly pool: JsonRpcPool
  readonly unavailable: (method: string, detail: string) => ChainUnavailable
  /** {@link ChainUnavailable} for a request that failed. */
  readonly failed: (method: string, failure: RpcFailure) => ChainUnavailable
  /** A read of which every error counts as {@link ChainUnavailable}. */
  readonly read: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, ChainUnavailable>
  /** A read of the latest block, from the endpoint with the highest one. */
  readonly readHead: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, ChainUnavailable>
  /** Decodes an answer by its schema. A malformed one counts as {@link ChainUnavailable}. */
  readonly decoded: <A, I>(
    schema: Schema.Codec<A, I>
  ) => (method: string, answer: unknown) => Effect.Effect<A, ChainUnavailable>
  /** Result of a hand-written decoder. None counts as {@link ChainUnavailable}. */
  readonly wellFormed: <A>(method: string, result: Option.Option<A>) => Effect.Effect<A, ChainUnavailable>
}

/** Block parameter of a request. */
export const tag = (which: "latest" | "pending" | bigint | BlockHash) => {
  if (typeof which === "bigint") return numberToHex(which)
  return typeof which === "string" ? which : { blockHash: which.hash, requireCanonical: true }
}

const isNull = (answer: unknown): boolean => answer === null

const decodeHeight = Schema.decodeUnknownOption(Schema.Struct({ number: Rpc.Quantity }))

const heightOf = (answer: unknown): Option.Option<bigint> => Option.map(decodeHeight(answer), ({ number }) => number)

export const make = (chain: Chain, pool: JsonRpcPool): Node => {
  const unavailable = (method: string, detail: string) => new ChainUnavailable({ chainId: chain.id, method, detail })
  const failed: Node["failed"] = (method, failure) =>
    new ChainUnavailable({
      chainId: chain.id,
      method,
      detail: failure.message,
      ...(RpcErrors.isUnknownBlock(failure) ? { isBlockUnknown: true } : {})
    })
  const attested: Node["attested"] = (read, comparison) =>
    Effect.map(pool.attested(read, comparison), ({ answer, corroborate }) => ({
      answer,
      corroborate: Effect.catchTag(corroborate, "Contradiction", ({ message }) =>
        Effect.fail(
          new ChainUnavailable({
            chainId: chain.id,
            method: "a read of two endpoints",
            detail: message,
            isContradiction: true
          })
        )
      )
    }))
  return {
    chain,
    pool,
    unavailable,
    failed,
    read: (method, params) =>
      Effect.mapError(pool.request(method, params, { isIgnorance: isNull }), (failure) => failed(method, failure)),
    attested,
    corroborated: (read, comparison) => Effect.flatMap(attested(read, comparison), ({ corroborate }) => corroborate),
    readHead: (method, params) =>
      Effect.mapError(pool.head(method, params, heightOf), (failure) => failed(method, failure)),
    decoded: (schema) => {
      const decode = Schema.decodeUnknownEffect(schema)
      return (method, answer) => Effect.mapError(decode(answer), () => unavailable(method, "malformed answer"))
    },
    wellFormed: (method, result) =>
      Effect.mapError(Effect.fromOption(result), () => unavailable(method, "malformed answer"))
  }
}
