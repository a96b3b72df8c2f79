/** Hands signed transactions to a chain's nodes. */
import { Deferred, Effect, Fiber } from "effect"
import { type ChainClient, ChainUnavailable, SendRejected } from "../../../ports/shared/Chains.ts"
import * as SendScope from "../../../ports/shared/SendScope.ts"
import * as Keccak from "../codec/Keccak.ts"
import type { Hex } from "../../../domain/Hex.ts"
import type { Endpoint, RateLimited } from "../rpc/JsonRpc.ts"
import type { Node } from "./Node.ts"
import * as Refusals from "./Refusals.ts"

type Attempt<E> = (endpoint: Endpoint) => Effect.Effect<Hex, E>

/**
 * Returns the first success of `attempt` on endpoints that `run` asks at once. The others continue, since each is to have the bytes.
 * Fails when all have failed.
 */
const firstOf = Effect.fnUntraced(function* <E>(
  run: (attempt: Attempt<E>) => Effect.Effect<unknown>,
  attempt: Attempt<E>
) {
  const accepted = yield* Deferred.make<Hex>()
  const all = yield* Effect.forkDetach(
    run((endpoint) => Effect.tap(attempt(endpoint), (hash) => Deferred.succeed(accepted, hash)))
  )
  const none = Effect.andThen(Fiber.await(all), Effect.fail("rejected" as const))
  // The last one may have succeeded.
  return yield* Effect.raceFirst(Deferred.await(accepted), none).pipe(
    Effect.catch((failure) =>
      Effect.flatMap(Deferred.isDone(accepted), (isDone) => (isDone ? Deferred.await(accepted) : Effect.fail(failure)))
    )
  )
})

/** Asks these endpoints at once. */
const among =
  <E>(endpoints: ReadonlyArray<Endpoint>) =>
  (attempt: Attempt<E>) =>
    Effect.forEach(endpoints, (endpoint) => Effect.exit(attempt(endpoint)), { concurrency: "unbounded" })

/**
 * Tries one endpoint after the other until one accepts the bytes, or all at once if the fiber's scope says so, since sending the same bytes
 * twice is harmless. Once an endpoint may have accepted them, the refusal of another proves nothing, and only "already known" is certain.
 * `broadcast` are the endpoints to which transactions are sent instead of the pool's, all at once; empty for none.
 */
export const make = (
  { chain, pool, unavailable }: Node,
  broadcast: ReadonlyArray<Endpoint> = []
): ChainClient["send"] =>
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
    const inPool = (yield* SendScope.Current) === "first" ? pool.first(attempt) : firstOf(pool.everywhere, attempt)
    const outcome = yield* Effect.result(broadcast.length === 0 ? inPool : firstOf(among(broadcast), attempt))
    if (outcome._tag === "Success") return outcome.success
    doubts.push(...Array.from(limited.values(), ({ message }) => message))
    const rejection = Refusals.decisive(rejections)
    if (doubts.length === 0 && rejection !== undefined) return yield* rejection
    const detail = [...rejections.map((each) => each.detail), ...doubts].join("; ")
    if (rejection === undefined) return yield* unavailable(method, detail)
    return yield* new ChainUnavailable({ chainId: chain.id, method, detail, refusal: rejection.reason })
  })
