/**
 * One JSON-RPC endpoint of a node. It distinguishes an error that the node returned ({@link RpcError}), a missing or unusable
 * answer ({@link EndpointFailed}), and a refusal for the rate of requests ({@link RateLimited}). Every decision about a retry
 * depends on that.
 */
import { Clock, Duration, Effect, Schema } from "effect"
import { isWithin } from "../../../domain/Age.ts"
import { at } from "../../../ports/shared/Priority.ts"

/** The node answered with an error object (JSON-RPC 2.0, section 5.1). */
export class RpcError extends Schema.TaggedError<RpcError>()("RpcError", {
  endpoint: Schema.String,
  code: Schema.Number,
  text: Schema.String,
  data: Schema.Unknown,
  /** True if the endpoint shows the block that it said it does not have. */
  isBlockShown: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `${this.endpoint}: ${this.text} (${this.code})`
  }
}

/** No usable answer: the network, a timeout, an HTTP error, a malformed body, or the wrong chain. */
export class EndpointFailed extends Schema.TaggedError<EndpointFailed>()("EndpointFailed", {
  endpoint: Schema.String,
  detail: Schema.String,
  /** True if the endpoint serves another chain. */
  isOtherChain: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `${this.endpoint}: ${this.detail}`
  }
}

/** The endpoint refuses for the rate of requests, or its budget does not allow the request in time. It may be asked later. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  endpoint: Schema.String,
  detail: Schema.String,
  /** Milliseconds after which it may be asked again, if known. */
  retryAfterMillis: Schema.optional(Schema.Number)
}) {
  override get message(): string {
    return `${this.endpoint}: ${this.detail}`
  }
}

export type RpcFailure = RpcError | EndpointFailed | RateLimited

export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export interface Endpoint {
  /** Host of the URL only, since the rest of an RPC URL often contains an API key. */
  readonly name: string
  readonly request: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, RpcFailure>
  /** Answers to several lookups, in order, by fewer requests. Fails when one of them fails. */
  readonly requestAll: (lookups: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<unknown>, RpcFailure>
}

/** Text of an answer. An object's own `toString` may be anything. */
const textOf = (answer: unknown): string => (typeof answer === "string" ? answer : JSON.stringify(answer))

/** Fails unless `answer`, the result of `eth_chainId`, is the chain's id. */
export const checkChain = (endpoint: string, answer: unknown, chainId: number): Effect.Effect<void, EndpointFailed> =>
  answer === `0x${chainId.toString(16)}`
    ? Effect.void
    : Effect.fail(
        new EndpointFailed({ endpoint, detail: `serves chain ${textOf(answer)}, not ${chainId}`, isOtherChain: true })
      )

/** A check of the chain counts for this many milliseconds. A newer one then runs beside the requests, which do not wait for it. */
const CHECK_LIFETIME_MILLIS = 90_000

/** Requests wait for a new check if the last one is older than this many milliseconds. An idle chain is read every two minutes. */
const LONGEST_CHECK_MILLIS = 2 * CHECK_LIFETIME_MILLIS

/** Least time between checks beside the requests, in milliseconds. */
const CHECK_SPACING_MILLIS = 5_000

/** Times in UNIX milliseconds. */
interface Checks {
  /** Start of the last check that found the right chain. Undefined if none did, or another chain was found since. */
  readonly provedAt: number | undefined
  /** Start of the last check beside the requests. */
  readonly besideAt: number
}

/** Tells if a request needs no check, one beside it, or one before it. A clock that was set back makes the last check old. */
const checkFor = ({ besideAt, provedAt }: Checks, now: number): "none" | "beside" | "before" => {
  if (provedAt === undefined || now < provedAt || now - provedAt >= LONGEST_CHECK_MILLIS) return "before"
  if (now - provedAt < CHECK_LIFETIME_MILLIS) return "none"
  return isWithin(CHECK_SPACING_MILLIS, besideAt, now) ? "none" : "beside"
}

/** An endpoint that checks which chain it serves. */
export interface VerifiedEndpoint extends Endpoint {
  /** Checks now that the endpoint serves its chain. */
  readonly recheck: Effect.Effect<void, RpcFailure>
}

/**
 * Checks that the endpoint serves `chainId`: before the first request, and again while it is used, because another node may take its
 * place. After an answer with another chain, requests under way fail as well, even if a later check finds the right one, and each later
 * request waits for a check.
 */
export const verified = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  chainId: number
): Effect.fn.Return<VerifiedEndpoint> {
  let checks: Checks = { provedAt: undefined, besideAt: Number.NEGATIVE_INFINITY }
  /** Failure of the last check, if it found another chain. */
  let otherChain: EndpointFailed | undefined
  /** Failure of the newest check that found another chain. Each check makes one of its own. */
  let lastFound: EndpointFailed | undefined

  /** Checks that began, and the number of the newest of them that found another chain. */
  let begun = 0
  let foundOther = 0

  // Requests of any priority may wait for the same check.
  const askChain = at("relay")(endpoint.request("eth_chainId", []))

  const recheck = Effect.flatMap(Clock.currentTimeMillis, (startedAt) => {
    const number = (begun += 1)
    return Effect.matchEffect(
      Effect.flatMap(askChain, (answer) => checkChain(endpoint.name, answer, chainId)),
      {
        onFailure: (failure) => {
          if (failure._tag === "EndpointFailed" && failure.isOtherChain === true) {
            otherChain = lastFound = failure
            foundOther = Math.max(foundOther, number)
            checks = { ...checks, provedAt: undefined }
          }
          return Effect.fail(failure)
        },
        onSuccess: () => {
          // It may tell the chain of an earlier time.
          if (number < foundOther) return otherChain === undefined ? Effect.void : Effect.fail(otherChain)
          otherChain = undefined
          checks = { ...checks, provedAt: startedAt }
          return Effect.void
        }
      }
    )
  })
  // Only requests that wait at the same time share a check. A lifetime of zero would keep its outcome while a clock that was set back
  // catches up.
  const shared = yield* Effect.cachedWithTTL(recheck, Duration.negativeInfinity)

  const guarded = <A>(answer: Effect.Effect<A, RpcFailure>): Effect.Effect<A, RpcFailure> => {
    const proved = Effect.suspend(() => {
      const before = lastFound
      /** Failure of a check since the request began. A check after that may have reached another node than the request. */
      const found = () => (lastFound === before ? otherChain : lastFound)
      return Effect.matchEffect(answer, {
        onFailure: (failure) => Effect.fail(found() ?? failure),
        onSuccess: (value) => {
          const other = found()
          return other === undefined ? Effect.succeed(value) : Effect.fail(other)
        }
      })
    })
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      switch (checkFor(checks, now)) {
        case "none":
          return proved
        case "beside":
          checks = { ...checks, besideAt: now }
          return Effect.andThen(Effect.forkDetach(Effect.ignore(shared)), proved)
        case "before":
          return Effect.andThen(shared, proved)
      }
    })
  }

  return {
    name: endpoint.name,
    request: (method, params) => guarded(endpoint.request(method, params)),
    requestAll: (lookups) => guarded(endpoint.requestAll(lookups)),
    recheck
  }
})
