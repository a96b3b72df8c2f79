/** {@link TokenVerdicts} from the operator's rules, risk services and trial trades. Verdicts are cached, and their reasons are logged and counted. */
import { Cache, Duration, Effect, Layer, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { riskier, type Tier } from "../../domain/Tier.ts"
import { isNative } from "../../domain/Token.ts"
import * as TokenPolicy from "../../domain/TokenPolicy.ts"
import * as TokenVerdict from "../../domain/TokenVerdict.ts"
import { TokenDeclined } from "../../ports/orchestrator/TokenRisk.ts"
import { TokenVerdicts } from "../../ports/orchestrator/TokenVerdicts.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { TOKEN_REASONS, TOKEN_VERDICTS } from "../../telemetry/metrics/Quotes.ts"
import type { RiskService } from "./RiskService.ts"

export interface Options {
  readonly rules: ReadonlyArray<TokenPolicy.TokenRule>
  readonly services: ReadonlyArray<RiskService>
  /** Fails if there is no answer, which says nothing of the token. Default: no trial is made. */
  readonly tryOut?: (
    client: ChainClient,
    token: Address.Address
  ) => Effect.Effect<TokenVerdict.Trial, { readonly message: string }>
  /** Time for which a verdict counts to which each source contributed. Default: 10 minutes. */
  readonly lifetime?: Duration.Input
  /** Time that a quote waits for each source. Default: 1.5 seconds. */
  readonly patience?: Duration.Input
}

/** Tokens whose verdicts are kept. */
const CAPACITY = 10_000

/** Time for which a verdict counts to which a source did not contribute. */
const PARTIAL_LIFETIME = Duration.seconds(30)

interface Key {
  readonly chainId: ChainId
  readonly token: Address.Address
}

interface Judged {
  readonly verdict: TokenVerdict.Verdict
  /** Time for which the verdict counts. */
  readonly lifetime: Duration.Duration
}

const note = Effect.fnUntraced(function* (chainId: ChainId, token: Address.Address, { verdict }: Judged) {
  yield* TOKEN_VERDICTS.record(1, { outcome: verdict._tag })
  for (const reason of verdict.reasons) yield* TOKEN_REASONS.record(1, { reason })
  if (verdict.reasons.length === 0) return
  yield* Effect.annotateLogs(Effect.logWarning("token.verdict"), {
    chainId,
    token,
    outcome: verdict._tag,
    reasons: verdict.reasons.join(" ")
  })
})

export const make = Effect.fnUntraced(function* ({
  lifetime = Duration.minutes(10),
  patience = Duration.millis(1_500),
  rules,
  services,
  tryOut
}: Options) {
  const chains = yield* Chains
  const policy = TokenPolicy.index(rules)
  const clientOf = (chainId: ChainId) => chains.all.find(({ chain }) => chain.id === chainId)

  /** None if a source fails or does not answer in time. */
  const answerOf = <A, E>(source: Effect.Effect<A, E>): Effect.Effect<Option.Option<A>> =>
    source.pipe(
      Effect.timeoutOption(patience),
      Effect.catch(() => Effect.succeedNone)
    )

  /** A verdict counts no longer than the oldest opinion that it rests on. */
  const lifetimeOf = (isComplete: boolean, remaining: ReadonlyArray<number>): Duration.Duration =>
    Duration.millis(Math.min(Duration.toMillis(isComplete ? lifetime : PARTIAL_LIFETIME), ...remaining))

  const verdicts = yield* Cache.makeWith(
    Effect.fnUntraced(function* ({ chainId, token }: Key) {
      const client = clientOf(chainId)
      const trial: Effect.Effect<Option.Option<TokenVerdict.Trial>> =
        tryOut === undefined || client === undefined ? Effect.succeedNone : answerOf(tryOut(client, token))
      const [opinions, tried] = yield* Effect.all(
        [
          Effect.forEach(services, (service) => answerOf(service.ask(chainId, token)), { concurrency: "unbounded" }),
          trial
        ],
        { concurrency: "unbounded" }
      )
      const given = opinions.flatMap((opinion) => Option.toArray(opinion))
      const judged: Judged = {
        verdict: TokenVerdict.verdictOf(
          given,
          Option.getOrElse(tried, () => ({ _tag: "Unproven" as const }))
        ),
        lifetime: lifetimeOf(
          given.length === services.length && (tryOut === undefined || Option.isSome(tried)),
          given.flatMap(({ remainingMillis }) => remainingMillis ?? [])
        )
      }
      yield* note(chainId, token, judged)
      return judged
    }),
    {
      capacity: CAPACITY,
      timeToLive: (exit) => (exit._tag === "Success" ? exit.value.lifetime : PARTIAL_LIFETIME)
    }
  )

  const asked = services.length > 0 || tryOut !== undefined

  const judge = Effect.fn("TokenVerdicts.judge")(function* ({ chainId, token }: Key) {
    const rule = TokenPolicy.ruleOf(policy, chainId, token)
    if (rule?.use === "deny") {
      return yield* new TokenDeclined({ token, reason: "denied", detail: "TOKEN_POLICY_FILE denies it" })
    }
    const ruled = (listed: Tier): Tier => rule?.tier ?? listed
    const client = clientOf(chainId)
    const isVouchedFor =
      rule?.use === "allow" ||
      isNative(token) ||
      client === undefined ||
      Chain.listedTier(client.chain, token) === "tier1"
    if (!asked || isVouchedFor) return ruled
    const { verdict } = yield* Cache.get(verdicts, { chainId, token })
    if (verdict._tag === "Declined") {
      return yield* new TokenDeclined({ token, reason: "risky", detail: verdict.reasons.join(" ") })
    }
    return (listed: Tier): Tier => riskier(ruled(listed), verdict.leastTier)
  })

  return TokenVerdicts.of({ judge, ruleOf: ({ chainId, token }) => TokenPolicy.ruleOf(policy, chainId, token) })
})

export const layer = <R>(options: Effect.Effect<Options, never, R>) =>
  Layer.effect(TokenVerdicts, Effect.flatMap(options, make))
