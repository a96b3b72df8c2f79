/** Reads what the fee recipients hold, and plans what to do with it. */
import { Clock, type Duration, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { isOpen, type SaleFailure, type StoredSale, type TreasuryChain } from "../../domain/Treasury.ts"
import type { Book } from "../../domain/TreasuryBooks.ts"
import { type HoldingPlan, planOf, type Priced, retryAtMs } from "../../domain/TreasuryPlan.ts"
import { TreasurySales } from "../../ports/orchestrator/TreasurySales.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { within } from "../../runtime/Within.ts"
import { OrchestratorSettings, type OrchestratorSettingsShape } from "../shared/OrchestratorSettings.ts"
import * as Collected from "./Collected.ts"
import * as Holdings from "./Holdings.ts"
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
  /** Chains whose balances or prices could not be read. */
  readonly unavailableChains: ReadonlyArray<ChainId>
}

type Seen = Omit<Surveyed, "plan">

const planFor = (
  { assetPrice, book: { token }, chain, failure, held, open, price }: Seen,
  arePricesRead: boolean,
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
      isPriceKnown: arePricesRead && (chain.asset === undefined || assetPrice !== undefined)
    },
    rules,
    nowMs
  )

/** The result, or none if the chain fails or takes too long. */
const attempt = <A, E extends { readonly message: string }>(
  { chain }: ChainClient,
  limit: Duration.Input,
  read: Effect.Effect<A, E>
) =>
  Effect.catch(within(limit)(read), (error) =>
    Effect.logWarning("treasury.read_failed").pipe(
      Effect.annotateLogs({ chain: chain.name, detail: error.message }),
      Effect.as(Option.none<A>())
    )
  )

type Describe = Effect.Success<typeof TreasuryChains.make>["describe"]

/** Makes `surveyChain(client, books, stored, limit, nowMs)`. */
const makeSurveyChain = Effect.fnUntraced(function* (describe: Describe) {
  const { balances, prices } = yield* Holdings.make
  const { treasury } = yield* OrchestratorSettings

  return Effect.fnUntraced(function* (
    client: ChainClient,
    known: ReadonlyArray<Book>,
    stored: { readonly open: ReadonlyArray<StoredSale>; readonly failures: ReadonlyArray<SaleFailure> },
    limit: Duration.Input,
    nowMs: number
  ) {
    const chain = describe(client.chain)
    const tokens = known.map(({ token }) => token)
    const failureOf = (token: Address.Address) =>
      stored.failures.find((each) => each.chainId === chain.chainId && each.token === token)
    // A token that rests after a failure is not priced, since that asks its contract and its pools.
    const rests = (token: Address.Address) => {
      const failure = failureOf(token)
      return failure !== undefined && nowMs < retryAtMs(failure)
    }
    const priced = Array.from(new Set([...(chain.asset === undefined ? [] : [chain.asset]), ...tokens]))
    const [held, found] = yield* Effect.all(
      [
        attempt(client, limit, balances(client, tokens)),
        attempt(
          client,
          limit,
          prices(
            client,
            priced.filter((token) => !rests(token))
          )
        )
      ],
      { concurrency: 2 }
    )
    const priceOf = (token: Address.Address | undefined) =>
      token === undefined || Option.isNone(found) ? undefined : found.value.get(token)
    const assetPrice = priceOf(chain.asset)
    const surveyed = known.map((book, index): Surveyed => {
      const { token } = book
      const balance = Option.isNone(held) ? undefined : held.value[index]
      const failure = failureOf(token)
      const price = priceOf(token)
      const seen: Seen = {
        chain,
        book,
        open: stored.open.filter(
          (sale) => isOpen(sale) && sale.chainId === chain.chainId && (sale.token === token || sale.asset === token)
        ),
        ...(balance === undefined ? {} : { held: balance }),
        ...(failure === undefined ? {} : { failure }),
        ...(price === undefined ? {} : { price }),
        ...(assetPrice === undefined ? {} : { assetPrice })
      }
      return { ...seen, plan: planFor(seen, Option.isSome(found), treasury, nowMs) }
    })
    return { surveyed, isRead: Option.isSome(held) && Option.isSome(found) }
  })
})

/** Makes `survey(limit)`, which gives the balances and the prices of each chain the time limit. */
export const make = Effect.fnUntraced(function* ({ describe }: { readonly describe: Describe }) {
  const books = yield* Collected.make
  const chains = yield* Chains
  const surveyChain = yield* makeSurveyChain(describe)
  const store = yield* TreasurySales

  return Effect.fn("Treasury.survey")(function* (limit: Duration.Input) {
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
