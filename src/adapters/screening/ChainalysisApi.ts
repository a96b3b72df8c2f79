/**
 * {@link Screening} by Chainalysis's sanctions API, `GET /api/v1/address/{address}`. An address with any identification is listed.
 * Anything but a valid answer for every address blocks the request.
 */
import { Duration, Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { Screening, ScreeningBlocked } from "../../ports/shared/Screening.ts"
import * as Answer from "../providers/Answer.ts"
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

export const make = Effect.fnUntraced(function* (options: Options) {
  const provider = yield* Provider.make({
    name: "chainalysis",
    baseUrl: options.baseUrl ?? "https://public.chainalysis.com",
    headers: { "X-API-Key": Redacted.value(options.apiKey) },
    deadline: options.deadline ?? Duration.millis(2_500),
    // The API allows 5,000 requests in 5 minutes.
    budget: { requests: 4_500, per: "5 minutes" },
    // While the API is down every request is blocked, so the circuit never opens: the first answer must end that at once.
    failuresToOpen: Number.MAX_SAFE_INTEGER
  })

  const isListed = (address: Address.Address) =>
    provider.ask(HttpClientRequest.get(`/api/v1/address/${address.toLowerCase()}`), (answer) =>
      answer.status === 200
        ? Effect.map(readIdentifications(answer), ({ identifications }) => identifications.length > 0)
        : Effect.fail(Answer.unexpected(answer))
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
