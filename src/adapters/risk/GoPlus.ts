/**
 * Opinions of GoPlus's token security API, `GET /api/v1/token_security/{chainId}`. Fields are "0" or "1", and absent if unknown. That of
 * `fake_token` is a number.
 */
import { Duration, Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Opinion } from "../../domain/TokenVerdict.ts"
import * as Answer from "../providers/Answer.ts"
import * as Provider from "../providers/Provider.ts"
import * as Subject from "../providers/Subject.ts"
import { DEADLINE, type RiskService, SUSPICIOUS_TAX, TRAP_TAX } from "./RiskService.ts"

export const NAME = "goplus"

export interface Options {
  /** Default: the public API. */
  readonly baseUrl?: string
  readonly apiKey?: Redacted.Redacted | undefined
}

/** The API limits keyless clients to 30 requests a minute. */
const BUDGET = { requests: 30, per: Duration.minutes(1) }

/** Plans differ. Anybody can ask for quotes of new tokens, and each request of a plan is paid for. */
const BUDGET_WITH_KEY = { requests: 300, per: Duration.minutes(1) }

/** Codes of the body: answered, answered in part, and too many requests. */
const COMPLETE = 1
const PARTIAL = 2
const RATE_LIMITED = 4029
/** Codes that speak of the request, such as an address without a contract, are from 2000 to 2999. They are no statement. */
const isOfRequest = (code: number): boolean => code >= 2_000 && code < 3_000
const RATE_LIMIT_MILLIS = 60_000

const readResult = Answer.json(
  Schema.Struct({
    code: Schema.Finite,
    result: Schema.optionalKey(
      Schema.NullOr(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)))
    )
  })
)

/** Fields of which each makes a token suspicious, unless the API trusts it: large tokens can be paused and blocked too. */
const SUSPICIOUS = [
  "cannot_sell_all",
  "transfer_pausable",
  "is_blacklisted",
  "owner_change_balance",
  "hidden_owner",
  "is_airdrop_scam"
]

type Facts = Readonly<Record<string, unknown>>

const isSet = (facts: Facts, field: string): boolean => facts[field] === "1" || facts[field] === 1

/** A tax as a fraction in text. 0 if there is none. */
const percentOf = (facts: Facts, field: string): number => {
  const text = facts[field]
  const fraction = typeof text === "string" && text.trim() !== "" ? Number(text) : 0
  return Number.isFinite(fraction) ? fraction * 100 : 0
}

export const opinionOf = (facts: Facts | undefined): Omit<Opinion, "source"> => {
  if (facts === undefined) return { danger: "unknown", reasons: [] }
  const taxes = ["buy_tax", "sell_tax"]
  const traps = [
    ...(isSet(facts, "is_honeypot") ? ["is_honeypot"] : []),
    ...taxes.filter((field) => percentOf(facts, field) >= TRAP_TAX)
  ]
  if (traps.length > 0) return { danger: "trap", reasons: traps }
  const fake =
    typeof facts.fake_token === "object" && facts.fake_token !== null
      ? isSet({ ...facts.fake_token }, "value")
      : isSet(facts, "fake_token")
  const doubts = isSet(facts, "trust_list")
    ? []
    : [
        ...SUSPICIOUS.filter((field) => isSet(facts, field)),
        ...(fake ? ["fake_token"] : []),
        ...taxes.filter((field) => percentOf(facts, field) >= SUSPICIOUS_TAX)
      ]
  if (doubts.length > 0) return { danger: "suspicious", reasons: doubts }
  return { danger: facts.is_honeypot === "0" ? "none" : "unknown", reasons: [] }
}

export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const provider = yield* Provider.make({
    name: NAME,
    baseUrl: options.baseUrl ?? "https://api.gopluslabs.io",
    deadline: DEADLINE,
    headers: options.apiKey === undefined ? {} : { Authorization: Redacted.value(options.apiKey) },
    budget: options.apiKey === undefined ? BUDGET : BUDGET_WITH_KEY
  })
  const ask = (chainId: ChainId, token: Address.Address) =>
    provider
      .ask(
        HttpClientRequest.get(`/api/v1/token_security/${chainId}`).pipe(
          HttpClientRequest.setUrlParams({ contract_addresses: token.toLowerCase() })
        ),
        (answer) =>
          Effect.gen(function* () {
            if (answer.status !== 200) return yield* Answer.unexpected(answer)
            const { code, result } = yield* readResult(answer)
            if (code === RATE_LIMITED)
              return yield* Answer.failed(NAME, "rate limited in the body", { retryAfterMillis: RATE_LIMIT_MILLIS })
            // Such as an access token that has expired, which must not pass for a service that knows nothing.
            const isAnswered = code === COMPLETE || code === PARTIAL
            if (!isAnswered && !isOfRequest(code)) return yield* Answer.failed(NAME, `code ${code} in the body`)
            // An entry of another token says nothing of this one.
            const opinion = opinionOf(isAnswered ? result?.[token.toLowerCase()] : undefined)
            // Facts that a partial answer lacks may be the danger.
            const isDoubtful = code === PARTIAL && opinion.danger === "none"
            return { source: NAME, ...opinion, ...(isDoubtful ? { danger: "unknown" as const } : {}) }
          })
      )
      .pipe(Subject.of(token))
  return { name: NAME, ask } satisfies RiskService
})
