/**
 * Everything that a quote reads from its source chain and of its token, begun at once and waited for in the order in which it can
 * refuse the request. So a quote's round trips to a chain are one for all of it, and one for each simulation.
 */
import { Effect, Fiber, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { accountCode } from "../../domain/Delegation.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import { Subscriptions } from "../../ports/orchestrator/Subscriptions.ts"
import { TokenRisk } from "../../ports/orchestrator/TokenRisk.ts"
import { TokenVerdicts } from "../../ports/orchestrator/TokenVerdicts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { within } from "../../runtime/Within.ts"
import * as Pauses from "../shared/Pauses.ts"
import * as Attributing from "./Attributing.ts"
import * as OutputPrice from "./OutputPrice.ts"
import type * as Pricing from "./Pricing.ts"
import { QuoteFailed, whilePaused } from "./QuoteFailed.ts"
import * as Routing from "./Routing.ts"
import * as SalePrice from "./SalePrice.ts"
import * as TransferFees from "./TransferFees.ts"

/** Time for which a quote waits to learn that the token to receive is one, in milliseconds. */
const OUTPUT_LIMIT_MILLIS = 1_000

/** Makes `account(client, request)`, which reads what quotes of all tokens of an owner on a chain share. */
export const makeAccount = Effect.map(
  Effect.all([Attributing.make, Subscriptions]),
  ([attribute, subscriptions]) =>
    (
      client: ChainClient,
      {
        apiKey,
        owner,
        subscriptionActive,
        userId
      }: Pick<QuoteRequest, "apiKey" | "owner" | "subscriptionActive" | "userId">
    ) =>
      Effect.all(
        {
          code: client.code(owner),
          accountNonce: client.transactionCount(owner, "pending"),
          attributed: attribute(client, apiKey),
          isSubscribed: subscriptions.isActive({ subscriptionActive, userId }),
          gasFees: client.feesPerGas,
          head: client.block("latest")
        },
        { concurrency: "unbounded" }
      )
)

type Account = ReturnType<Effect.Success<typeof makeAccount>>

/** Reads that requests share. */
export interface Shared {
  /** Read with {@link makeAccount}. */
  readonly account: Account
  /** Read with {@link OutputPrice.make}. */
  readonly output: ReturnType<Effect.Success<typeof OutputPrice.make>>
}

/**
 * Makes `begin(client, request, deadline, shared)`, which starts the reads as children of the calling fiber. Without `shared`, these
 * are read for this request alone.
 */
export const make = Effect.fnUntraced(function* (usdPrices: Effect.Success<typeof Pricing.make>["usdPrices"]) {
  const factsOf = yield* makeFacts
  const outputOf = yield* OutputPrice.make
  const prepareRoute = yield* Routing.make
  const readAccount = yield* makeAccount
  const tokenRisk = yield* TokenRisk

  return Effect.fnUntraced(function* (
    client: ChainClient,
    request: QuoteRequest,
    deadline: bigint,
    shared: Shared = { account: readAccount(client, request), output: outputOf(request) }
  ) {
    const facts = yield* Effect.forkChild(factsOf(client, request, shared.account))
    const routes = yield* Effect.forkChild(prepareRoute(client, request, deadline))
    const output = yield* Effect.forkChild(shared.output)
    const usd = yield* Effect.forkChild(
      Effect.flatMap(tokenRisk.describe(client.chain.id, request.tokenIn), (token) =>
        usdPrices(client, request, token, SalePrice.of(client.chain, request, token, { routes, output }))
      )
    )
    return {
      client,
      /** Waits for what refuses a sweep before it is priced, and fails with the refusal. */
      allowed: Effect.asVoid(Fiber.join(facts)),
      /** Waits for the price of the output, which the order does not need. */
      output: Fiber.join(output),
      /** Waits for everything, and fails with the first refusal. */
      all: Effect.gen(function* () {
        const known = yield* Fiber.join(facts)
        return { ...known, usd: yield* Fiber.join(usd), routeOf: yield* Fiber.join(routes) }
      }),
      stop: Fiber.interruptAll([facts, usd, routes, output])
    }
  })
})

/** Reads that have begun. */
export type Begun = Effect.Success<ReturnType<Effect.Success<ReturnType<typeof make>>>>

/**
 * Makes `isToken(output)`: false for an address that is known to be no token, of which services could say nothing. True if the chain does
 * not answer in time.
 */
const makeIsToken = Effect.map(
  TokenRisk,
  (tokenRisk) =>
    ({ chainId, token }: { readonly chainId: ChainId; readonly token: Address.Address }) =>
      tokenRisk.describe(chainId, token).pipe(
        within(OUTPUT_LIMIT_MILLIS),
        Effect.as(true),
        Effect.catchTags({
          ChainUnavailable: () => Effect.succeed(true),
          TokenDeclined: () => Effect.succeed(false)
        })
      )
)

/** Makes `factsOf(client, request, account)`: what a quote needs from the chain, the token's screening and the builder's key. */
const makeFacts = Effect.map(
  Effect.all([Pauses.make, TokenRisk, TokenVerdicts, makeIsToken]),
  ([pauses, tokenRisk, verdicts, isToken]) =>
    Effect.fnUntraced(function* (client: ChainClient, request: QuoteRequest, account: Account) {
      const { amountIn: amount, destChainId, owner, tokenIn: token, tokenOut } = request
      const screening = yield* Effect.forkChild(
        tokenRisk.screenInput({ chainId: client.chain.id, token, owner, amount })
      )
      // Risk services limit requests, and anybody can name addresses, so they are asked about tokens that the owner holds.
      const isListed = Chain.listedTier(client.chain, token) !== "tier3"
      const held = isListed ? Effect.void : Fiber.join(screening)
      const output = { chainId: destChainId, token: tokenOut }
      const isJudged = verdicts.ruleOf(output)?.use === "deny" ? Effect.succeed(true) : isToken(output)
      const [{ code, head, ...facts }, screened, tierOf] = yield* Effect.all(
        [
          account,
          Fiber.join(screening),
          Effect.andThen(held, verdicts.judge({ chainId: client.chain.id, token })),
          Effect.flatMap(isJudged, (judged) => (judged ? Effect.asVoid(verdicts.judge(output)) : Effect.void))
        ],
        { concurrency: "unbounded" }
      )
      const builderId = facts.attributed?.attribution.builderId
      const paused = builderId === undefined ? undefined : yield* pauses.ofBuilder(builderId)
      if (paused !== undefined) return yield* whilePaused(paused)
      const profile = { ...screened, tier: tierOf(screened.tier) }
      const attributed = yield* TransferFees.requireWhole({
        profile,
        request,
        chainId: client.chain.id,
        attributed: facts.attributed
      })
      const kind = accountCode(code)
      if (kind._tag === "Contract") {
        return yield* new QuoteFailed({
          reason: "owner_is_a_contract",
          detail: "only an externally owned account can be delegated"
        })
      }
      if (Option.isNone(head)) {
        return yield* new QuoteFailed({
          reason: "upstream_unavailable",
          detail: `${client.chain.name} has no latest block`
        })
      }
      const isDelegated = kind._tag === "Delegated" && kind.delegate === client.chain.contracts.delegate
      return { ...facts, attributed, profile, isDelegated, block: head.value }
    })
)
