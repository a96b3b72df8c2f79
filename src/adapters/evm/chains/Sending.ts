/** Hands signed transactions to a chain's nodes. */
import { Effect } from "effect"
import { type ChainClient, SendRejected } from "../../../ports/shared/Chains.ts"
import * as Keccak from "../codec/Keccak.ts"
import type { Hex } from "../../../domain/Hex.ts"
import type { Endpoint, RateLimited } from "../rpc/JsonRpc.ts"
import type { Node } from "./Node.ts"
import * as Refusals from "./Refusals.ts"

/**
 * Tries every endpoint, since sending the same bytes twice is harmless. Once an endpoint may have accepted them, the refusal of
 * another proves nothing, and only "already known" is certain.
 */
export const make = ({ chain, pool, unavailable }: Node): ChainClient["send"] =>
  Effect.fnUntraced(function* (raw) {
    const method = "eth_sendRawTransaction"
    const hash = Keccak.hash(raw)
    const doubts: Array<string> = []
    /** Last refusal for the rate of requests of each endpoint that did not take the transaction since. The pool asks it again. */
    const limited = new Map<Endpoint, RateLimited>()
    const rejections: Array<SendRejected> = []
    const attempt = (endpoint: Endpoint) =>
      Effect.matchEffect(endpoint.request(method, [raw]), {
        onSuccess: (answer) => {
          if (String(answer).toLowerCase() === hash) return Effect.succeed(hash)
          doubts.push(`${endpoint.name}: answered with another hash`)
          return Effect.fail("doubtful" as const)
        },
        onFailure: (failure): Effect.Effect<Hex, "doubtful" | "rejected" | RateLimited> => {
          if (failure._tag === "RateLimited") {
            limited.set(endpoint, failure)
            return Effect.fail(failure)
          }
          limited.delete(endpoint)
          const said = failure._tag === "RpcError" ? Refusals.outcome(failure) : undefined
          if (said?._tag === "Known") return Effect.succeed(hash)
          if (said?._tag === "Rejected") {
            rejections.push(new SendRejected({ chainId: chain.id, reason: said.reason, detail: failure.message }))
            return Effect.fail("rejected" as const)
          }
          doubts.push(failure.message)
          return Effect.fail("doubtful" as const)
        }
      })
    const outcome = yield* Effect.result(pool.first(attempt))
    if (outcome._tag === "Success") return outcome.success
    doubts.push(...Array.from(limited.values(), ({ message }) => message))
    const rejection = Refusals.decisive(rejections)
    if (doubts.length === 0 && rejection !== undefined) return yield* rejection
    return yield* unavailable(method, doubts.join("; "))
  })
