/** Reads what the fee recipients hold, and plans what to do with it. */
import { Clock, type Duration, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { isOpen, type SaleFailure, type StoredSale, type TreasuryChain } from "../../domain/Treasury.ts"
import type { Book } from "../../domain/TreasuryBooks.ts"
import { type HoldingPlan, planOf, type Priced, retryAtMs } from "../../domain/TreasuryPlan.ts"
import { TreasurySales } from "../../ports/orchestrator/TreasurySales.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings, type OrchestratorSettingsShape } from "../shared/OrchestratorSettings.ts"
import * as Collected from "./Collected.ts"
import * as Holdings from "./Holdings.ts"
import type { Reading } from "../../runtime/TokenReads.ts"
import type * as TreasuryChains from "./TreasuryChains.ts"

/** A token of a fee recipient with its books and its plan. */
export interface Surveyed {
  readonly chain: TreasuryChain
  readonly book: Book
  readonly plan: HoldingPlan
  /** Absent if it could not be read. */
  readonly held?: bigint
  readonly failure?: SaleFailure
  /** Open sales that change the balance. */
  readonly open: ReadonlyArray<StoredSale>
  readonly price?: Priced
  /** Price of the chain's asset. */
  readonly assetPrice?: Priced
}

export interface Survey {
  readonly nowMs: number
  readonly tokens: ReadonlyArray<Surveyed>
  /** Chains of which no balance or no price could be read. */
  readonly unavailableChains: ReadonlyArray<ChainId>
}

type Seen = Omit<Surveyed, "plan">

const planFor = (
  { assetPrice, book: { token }, chain, failure, held, open, price }: Seen,
  isPriceRead: boolean,
  rules: OrchestratorSettingsShape["treasury"],
  nowMs: number
): HoldingPlan =>
  planOf(
    {
      token,
      held,
      asset: chain.asset,
      isSelling: open.some((sale) => sale.token === token),
      failure,
      price,
      // Without the asset's price there is no minimum output.
      isPriceKnown: isPriceRead && (chain.asset === undefined || assetPrice !== undefined),
      isVaultShared: chain.selling === "shared_vault"
    },
    rules,
    nowMs
  )

const priceIn = ({ answers }: Reading<Option.Option<Priced>>, token: Address.Address): Priced | undefined =>
  Option.getOrUndefined(Option.flatten(Option.fromUndefinedOr(answers.get(token))))

/** Tokens of a survey. A view shows all. Sales need those that do not rest after a failure. */
export type Scope = "all" | "due"

/** Reports tokens that could not be read. */
const reported = <A>(chain: Chain, what: string, asked: number, { answers, failure }: Reading<A>) =>
  failure === undefined
    ? Effect.void
    : Effect.annotateLogs(Effect.logWarning("treasury.read_failed"), {
        chain: chain.name,
        what,
        tokens: asked - answers.size,
        detail: failure
      })

type Describe = Effect.Success<typeof TreasuryChains.make>["describe"]

interface Stored {
  readonly open: ReadonlyArray<StoredSale>
  readonly failures: ReadonlyArray<SaleFailure>
}

/** Makes `surveyChain(client, books, stored, scope, limit, nowMs)`. */
const makeSurveyChain = Effect.fnUntraced(function* (describe: Describe) {
  const { balances, pricesInTime } = yield* Holdings.make
  const { treasury } = yield* OrchestratorSettings

  return Effect.fnUntraced(function* (
    client: ChainClient,
    known: ReadonlyArray<Book>,
    stored: Stored,
    scope: Scope,
    limit: Duration.Input,
    nowMs: number
  ) {
    const chain = describe(client.chain)
    const failures = new Map(
      stored.failures.flatMap((each) => (each.chainId === chain.chainId ? [[each.token, each] as const] : []))
    )
    const open = stored.open.filter((sale) => isOpen(sale) && sale.chainId === chain.chainId)
    const rests = (token: Address.Address) => {
      const failure = failures.get(token)
      return failure !== undefined && nowMs < retryAtMs(failure)
    }
    const tokens = known.map(({ token }) => token)
    const due = tokens.filter((token) => !rests(token))
    const asset = chain.asset === undefined ? [] : [chain.asset]
    const held = scope === "all" ? tokens : due
    // A token that rests is not priced, since that asks its contract and its pools. Without the asset's price nothing is sold.
    const priced = Array.from(new Set([...asset, ...due]))
    const [balance, price] = yield* Effect.all([balances(client, held, limit), pricesInTime(client, priced, limit)], {
      concurrency: 2
    })
    yield* reported(client.chain, "balances", held.length, balance)
    yield* reported(client.chain, "prices", priced.length, price)
    const isAssetRead = asset.every((token) => price.answers.has(token))
    const assetPrice = chain.asset === undefined ? undefined : priceIn(price, chain.asset)
    const surveyed = known.map((book): Surveyed => {
      const { token } = book
      const amount = Option.getOrUndefined(Option.flatten(Option.fromUndefinedOr(balance.answers.get(token))))
      const failure = failures.get(token)
      const worth = priceIn(price, token)
      const seen: Seen = {
        chain,
        book,
        open: open.filter((sale) => sale.token === token || sale.asset === token),
        ...(amount === undefined ? {} : { held: amount }),
        ...(failure === undefined ? {} : { failure }),
        ...(worth === undefined ? {} : { price: worth }),
        ...(assetPrice === undefined ? {} : { assetPrice })
      }
      return { ...seen, plan: planFor(seen, price.answers.has(token), treasury, nowMs) }
    })
    return { surveyed, isRead: balance.isAnswered && price.isAnswered && isAssetRead }
  })
})

/** Makes `survey(scope, limit)`, which gives the balances and the prices of each chain the time limit. */
export const make = Effect.fnUntraced(function* ({ describe }: { readonly describe: Describe }) {
  const books = yield* Collected.make
  const chains = yield* Chains
  const surveyChain = yield* makeSurveyChain(describe)
  const store = yield* TreasurySales

  return Effect.fn("Treasury.survey")(function* (scope: Scope, limit: Duration.Input) {
    const nowMs = yield* Clock.currentTimeMillis
    // Open sales are read before the books. A sale that ends in between then counts as open, and its token is not judged.
    const stored = { open: yield* store.open, failures: yield* store.failures }
    const known = yield* books
    const all = yield* Effect.forEach(
      chains.all,
      (client) =>
        Effect.map(
          surveyChain(
            client,
            known.filter(({ chainId }) => chainId === client.chain.id),
            stored,
            scope,
            limit,
            nowMs
          ),
          (found) => ({ ...found, chainId: client.chain.id })
        ),
      { concurrency: "unbounded" }
    )
    return {
      nowMs,
      tokens: all.flatMap(({ surveyed }) => surveyed),
      unavailableChains: all.flatMap(({ chainId, isRead }) => (isRead ? [] : [chainId]))
    } satisfies Survey
  })
})
