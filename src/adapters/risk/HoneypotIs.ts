/** Opinions of honeypot.is, `GET /v2/IsHoneypot`, which simulates a trade itself. */
import { Duration, Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Opinion } from "../../domain/TokenVerdict.ts"
import * as Answer from "../providers/Answer.ts"
import * as Provider from "../providers/Provider.ts"
import * as Subject from "../providers/Subject.ts"
import { DEADLINE, type RiskService, SUSPICIOUS_TAX, TRAP_TAX } from "./RiskService.ts"

export const NAME = "honeypot"

export interface Options {
  /** Default: the public API. */
  readonly baseUrl?: string
  readonly apiKey?: Redacted.Redacted | undefined
}

/** Chains that the service knows. */
const CHAINS: ReadonlySet<ChainId> = new Set([1, 56, 8453])

const SILENT: Opinion = { source: NAME, danger: "unknown", reasons: [] }

const Percent = Schema.optionalKey(Schema.NullOr(Schema.Finite))

const readReport = Answer.json(
  Schema.Struct({
    summary: Schema.optionalKey(Schema.NullOr(Schema.Struct({ risk: Schema.optionalKey(Schema.String) }))),
    simulationSuccess: Schema.optionalKey(Schema.Boolean),
    honeypotResult: Schema.optionalKey(Schema.NullOr(Schema.Struct({ isHoneypot: Schema.Boolean }))),
    simulationResult: Schema.optionalKey(
      Schema.NullOr(Schema.Struct({ buyTax: Percent, sellTax: Percent, transferTax: Percent }))
    )
  })
)

type Report = Effect.Success<ReturnType<typeof readReport>>

const RISKY: ReadonlySet<string> = new Set(["high", "very_high", "honeypot"])

export const opinionOf = ({ honeypotResult, simulationResult, simulationSuccess, summary }: Report): Opinion => {
  const taxes = Object.entries(simulationResult ?? {})
  const above = (limit: number) => taxes.flatMap(([name, percent]) => ((percent ?? 0) >= limit ? [name] : []))
  const traps = [...(honeypotResult?.isHoneypot === true ? ["isHoneypot"] : []), ...above(TRAP_TAX)]
  if (traps.length > 0) return { source: NAME, danger: "trap", reasons: traps }
  const doubts = [...(RISKY.has(summary?.risk ?? "") ? ["risk"] : []), ...above(SUSPICIOUS_TAX)]
  if (doubts.length > 0) return { source: NAME, danger: "suspicious", reasons: doubts }
  const isClean = simulationSuccess === true && honeypotResult?.isHoneypot === false
  return isClean ? { source: NAME, danger: "none", reasons: [] } : SILENT
}

export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const provider = yield* Provider.make({
    name: NAME,
    baseUrl: options.baseUrl ?? "https://api.honeypot.is",
    deadline: DEADLINE,
    headers: options.apiKey === undefined ? {} : { "X-API-KEY": Redacted.value(options.apiKey) },
    budget: { requests: 60, per: Duration.minutes(1) }
  })
  const ask = (chainID: ChainId, address: Address.Address) => {
    if (!CHAINS.has(chainID)) return Effect.succeed(SILENT)
    const request = HttpClientRequest.get("/v2/IsHoneypot").pipe(HttpClientRequest.setUrlParams({ address, chainID }))
    return provider
      .ask(request, (answer) => {
        // The service knows no pair of the token, or takes it for none. That says nothing of the service: anybody can name such tokens.
        if (answer.status === 404 || answer.status === 400) return Effect.succeed(SILENT)
        return answer.status === 200
          ? Effect.map(readReport(answer), opinionOf)
          : Effect.fail(Answer.unexpected(answer))
      })
      .pipe(Subject.of(address))
  }
  return { name: NAME, ask } satisfies RiskService
})
