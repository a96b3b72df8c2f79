/**
 * Quotes many tokens of one owner, on any number of chains, for one signature. The parties are screened and the account is read once
 * for each chain, and the tokens are quoted side by side, so that they share the requests to nodes and prices. Each order is simulated
 * as if it were the only one, because the owner may leave out the others, and a gas limit that counts on what they warmed would be too low.
 */
import { Clock, Effect, Fiber, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Authorization } from "../../domain/Delegation.ts"
import type { QuoteReason } from "../../domain/QuoteReason.ts"
import * as SweepBatch from "../../domain/SweepBatch.ts"
import type { SweepQuotesRequest, SweepToken } from "../../domain/SweepQuotes.ts"
import { type SweepTotals, totals } from "../../domain/SweepTotals.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import * as RequestNetwork from "../../ports/shared/RequestNetwork.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Counting from "./Counting.ts"
import * as Offering from "./Offering.ts"
import * as OutputPrice from "./OutputPrice.ts"
import { reasonOf } from "./Reasons.ts"
import * as RequestRefused from "./RequestRefused.ts"
import * as WalletToken from "./WalletToken.ts"

/** A token without a quote. */
export interface Unquoted extends Pick<SweepToken, "chainId" | "token"> {
  readonly reason: QuoteReason
}

export interface WalletOffer {
  readonly id: string
  /** UNIX milliseconds. */
  readonly expiresAtMs: number
  /** One entry for each token, in the order of the request. */
  readonly quotes: ReadonlyArray<WalletToken.TokenOffer | Unquoted>
  /** Absent if no token can be quoted. */
  readonly signing?: {
    readonly typedData: ReturnType<typeof SweepBatch.typedData>
    /** For each chain where the account does not run the delegate. */
    readonly authorizations: ReadonlyArray<Pick<Authorization, "address" | "chainId" | "nonce">>
  }
  readonly totals: SweepTotals
}

/** Makes `quoteAll(request, network)`. */
export const make = Effect.fnUntraced(function* (steps: WalletToken.Steps) {
  const outputOf = yield* OutputPrice.make
  const quoteEach = yield* WalletToken.make(steps)
  const random = yield* SecureRandom.SecureRandom
  const refuse = yield* RequestRefused.make
  const settings = yield* OrchestratorSettings

  return Effect.fn("Quoter.quoteAll")(
    function* (request: SweepQuotesRequest, network?: string) {
      yield* refuse({ ...request, tokens: [request.tokenOut, ...request.tokens.map(({ token }) => token)] })
      const times = Offering.timesFrom(yield* Clock.currentTimeMillis, settings)
      const output = yield* Effect.forkChild(outputOf(request))
      const outcomes = yield* quoteEach(request, times, Fiber.join(output), network)
      const quotes = yield* Effect.forEach(outcomes, (outcome, index) => entryOf(request.tokens[index], outcome))
      const offered = outcomes.flatMap((outcome) => (Result.isSuccess(outcome) ? [outcome.success] : []))
      const id = yield* random.uuidV4()
      yield* Effect.logInfo("quotes.offered").pipe(
        Effect.annotateLogs({ quotesId: id, tokens: outcomes.length, offered: offered.length })
      )
      const parts = offered.map(({ fees, quote: { estimatedAmountOut, minAmountOut }, tokenIn }) => ({
        estimatedAmountOut,
        fees,
        minAmountOut,
        tokenIn
      }))
      return {
        id,
        expiresAtMs: times.expiresAtMs,
        quotes,
        ...signingOf(offered, settings.domainName),
        totals: totals(parts, yield* Fiber.join(output))
      } satisfies WalletOffer
    },
    Counting.measured("wallet"),
    Priority.at("quote"),
    (effect, _request, network) => RequestNetwork.of(network)(effect)
  )
})

/** The entry of a token in the response. */
const entryOf = Effect.fnUntraced(function* (
  token: SweepToken | undefined,
  outcome: Result.Result<WalletToken.TokenOffer, WalletToken.Failure>
) {
  if (Result.isSuccess(outcome)) {
    yield* Counting.offered(outcome.success.quote.provider)
    return outcome.success
  }
  if (token === undefined) return yield* Effect.die(new Error("there are more outcomes than tokens"))
  const reason = reasonOf(outcome.failure)
  const { chainId, token: address } = token
  yield* Counting.refused(Counting.reasonIn(outcome.failure))
  yield* Effect.logInfo("quote.refused").pipe(
    Effect.annotateLogs({ chainId, token: address, reason, detail: outcome.failure.message })
  )
  return { chainId, token: address, reason } satisfies Unquoted
})

/** The batch of these offers for the owner to sign, and an authorization for each chain that needs one. */
const signingOf = (
  offered: ReadonlyArray<WalletToken.TokenOffer>,
  domainName: string
): Pick<WalletOffer, "signing"> => {
  const [first, ...others] = offered.map(({ order, quote }) => ({ chainId: quote.sourceChainId, order }))
  if (first === undefined) return {}
  const authorizations = new Map(
    offered.flatMap(({ authorization }) =>
      authorization === undefined ? [] : [[authorization.chainId, authorization] as const]
    )
  )
  return {
    signing: {
      typedData: SweepBatch.typedData([first, ...others], domainName),
      authorizations: [...authorizations.values()]
    }
  }
}
