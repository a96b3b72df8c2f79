/**
 * {@link Screening} by Chainalysis's sanctions API, `GET /api/v1/address/{address}`. An address with any identification is listed.
 * Anything but a valid answer for every address blocks the request. The answer is the same on every chain, so callers share it.
 */
import { Cache, Duration, Effect, Exit, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import { Screening, ScreeningBlocked } from "../../ports/shared/Screening.ts"
import * as Answer from "../providers/Answer.ts"
import * as Budget from "../providers/Budget.ts"
import * as Provider from "../providers/Provider.ts"
import * as FailClosed from "./FailClosed.ts"

export interface Options {
  readonly apiKey: Redacted.Redacted
  /** Default: the public API. */
  readonly baseUrl?: string
  /** Time limit of a request. Default: 2.5 seconds. */
  readonly deadline?: Duration.Input
}

const readIdentifications = Answer.json(Schema.Struct({ identifications: Schema.Array(Schema.Unknown) }))

/** Requests of one screening that are under way at a time. */
const CONCURRENCY = 8

/**
 * The API allows 5,000 requests in 5 minutes: a burst and what is restored meanwhile are 4,900. Anybody can ask for quotes, so these leave
 * the last half of a burst to submissions and to the relay. The burst is large, because quotes come in crowds with two addresses each.
 */
const BUDGET: Budget.Budget = { requests: 3_000, per: "5 minutes", burst: 1_900, reservedFor: "intake" }

/** Longest pause that the API can ask for. Every request is blocked during a pause. */
const LONGEST_PAUSE = Duration.seconds(5)

/** Time for which an address stays clear without another request. The addresses of one quote are asked for on many chains. */
const CLEAR_LIFETIME = Duration.seconds(5)

/** Addresses that are kept. */
const CAPACITY = 10_000

interface Question {
  /** In lower case. */
  readonly address: string
  /** True if the question may spend the reserve. Others may wait longer, so urgent ones do not join them. */
  readonly isUrgent: boolean
}

export const make = Effect.fnUntraced(function* (options: Options) {
  const provider = yield* Provider.make({
    name: "chainalysis",
    baseUrl: options.baseUrl ?? "https://public.chainalysis.com",
    headers: { "X-API-Key": Redacted.value(options.apiKey) },
    deadline: options.deadline ?? Duration.millis(2_500),
    budget: BUDGET,
    longestPause: LONGEST_PAUSE,
    // While the API is down every request is blocked, so the circuit never opens: the first answer must end that at once.
    failuresToOpen: Number.MAX_SAFE_INTEGER
  })

  // Only clear answers are kept: a listing or a failure is asked for again.
  const listings = yield* Cache.makeWith(
    ({ address }: Question) =>
      provider.ask(HttpClientRequest.get(`/api/v1/address/${address}`), (answer) =>
        answer.status === 200
          ? Effect.map(readIdentifications(answer), ({ identifications }) => identifications.length > 0)
          : Effect.fail(Answer.unexpected(answer))
      ),
    {
      capacity: CAPACITY,
      timeToLive: (exit) => (Exit.isSuccess(exit) && !exit.value ? CLEAR_LIFETIME : Duration.zero)
    }
  )

  const isListed = (address: Address.Address) =>
    Effect.flatMap(Priority.Current, (priority) =>
      Cache.get(listings, {
        address: address.toLowerCase(),
        isUrgent: Budget.mayUseReserve(BUDGET, priority)
      })
    )

  const clear = Effect.fn("ChainalysisApi.clear")(
    function* (_chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
      const verdicts = yield* Effect.forEach(new Set(addresses), (address) => Effect.result(isListed(address)), {
        concurrency: CONCURRENCY
      })
      // A hit counts even if another address has no answer.
      if (verdicts.some((verdict) => verdict._tag === "Success" && verdict.success)) {
        return yield* new ScreeningBlocked({ cause: "listed" })
      }
      for (const verdict of verdicts) yield* Effect.fromResult(verdict)
    },
    FailClosed.guard("the Chainalysis API", Duration.seconds(3))
  )

  return Screening.of({ clear })
})
