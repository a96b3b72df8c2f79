/**
 * {@link SaleEstimates} by the pools of a chain's exchanges: what each pays for the whole balance in the tokens that routes lead through.
 * The pools that paid are remembered, so that a token is asked of all exchanges once for balances of a size, and of its best pools afterwards.
 */
import { Array, Clock, Effect, Option, Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import * as SaleWorth from "../../domain/SaleWorth.ts"
import type { Sale, SaleEstimatesShape } from "../../ports/orchestrator/SaleEstimates.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { toItsEnd } from "../../runtime/Within.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as Curves from "./Curves.ts"
import type * as ListedRouters from "./ListedRouters.ts"
import type { VenueSource } from "./VenueSource.ts"

export interface Options {
  readonly sources: ReadonlyArray<VenueSource>
  readonly listed: ReturnType<typeof ListedRouters.make>
  /** True if services are asked for routes, too. A listed token without a pool may have a route by them, so nothing is said of it. */
  readonly hasServices: boolean
}

/** Reads of one chain for one portfolio. Tokens beyond them have no estimate, until earlier ones are remembered. */
const MOST_READS = 600

/** Reads in one call, since nodes limit the gas of a call. */
const MOST_IN_CALL = 52

/** Unlisted tokens in one call. A token can burn the gas of the call that it is in, and its neighbours would seem to have no buyer. */
const UNLISTED_IN_CALL = 1

/** Calls in flight at once, for each portfolio. */
const CONCURRENCY = 8

/** Time limit of a reading, in milliseconds. Portfolios wait for a shorter time. */
const LIMIT_MILLIS = 3_000

/** Time for which only the best pools of a token are asked, in milliseconds. */
const POOLS_LIFETIME_MILLIS = 600_000

/** Best pools of a token that are asked again, for each money token. */
const BEST_POOLS = 2

/**
 * Largest multiple of an amount up to which its best pools are asked alone. Dust finds a buyer in pools without money, so the pools that pay
 * most for it may pay nearly nothing for a balance.
 */
const LARGEST_MULTIPLE = 2n

/** Estimates of tokens, and sizes of balances with their pools, of all chains that are remembered. Beyond them the oldest is forgotten. */
const CAPACITY = 20_000

interface MoneyPool extends Curves.PoolRead {
  readonly money: Address.Address
}

/** The best pools for balances of a size. Empty if none bought the last one, so that the next reading asks all of them. */
interface Remembered {
  readonly pools: ReadonlyArray<MoneyPool>
  readonly pooled: Pooled
}

/** A reading of all pools. */
interface Pooled {
  readonly amount: bigint
  /** UNIX milliseconds. */
  readonly atMillis: number
}

interface Asked {
  readonly sale: Sale
  readonly pools: ReadonlyArray<MoneyPool>
  readonly pooled: Pooled
}

/** Tokens whose reads fit into one call, and those within the limit of all calls. */
const callsOf = (asked: ReadonlyArray<Asked>, mostTokens: number): ReadonlyArray<ReadonlyArray<Asked>> => {
  const calls: Array<Array<Asked>> = []
  let reads = Infinity
  for (const each of asked) {
    const last = calls.at(-1)
    reads += each.pools.length
    if (last === undefined || last.length >= mostTokens || reads > MOST_IN_CALL) {
      calls.push([each])
      reads = each.pools.length
    } else last.push(each)
  }
  return calls
}

const within = (asked: ReadonlyArray<Asked>): ReadonlyArray<Asked> => {
  let reads = 0
  return asked.filter(({ pools }) => (reads += pools.length) <= MOST_READS)
}

/** The best outputs of a sale and the pools that paid them, the best first. */
const outcomeOf = ({ pools, sale }: Asked, answers: ReadonlyArray<Multicall3.Answer>) => {
  const paid = Array.zip(pools, answers)
    .flatMap(([pool, answer]) =>
      Option.toArray(Option.flatMap(answer, pool.amountOf)).map((amount) => ({ amount, pool, token: pool.money }))
    )
    .toSorted((a, b) => (a.amount > b.amount ? -1 : 1))
  const byMoney = Object.values(Object.groupBy(paid, ({ token }) => token)).flatMap((group) => (group ? [group] : []))
  const estimate: SaleWorth.SaleEstimate =
    paid.length === 0
      ? { _tag: "NoRoute" }
      : {
          _tag: "Paid",
          outputs: byMoney.flatMap(([best]) => (best ? [{ token: best.token, amount: best.amount }] : []))
        }
  return { sale, estimate, pools: byMoney.flatMap((group) => group.slice(0, BEST_POOLS).map(({ pool }) => pool)) }
}

const hasPoolsFor = ({ pooled, pools }: Remembered, amount: bigint, nowMillis: number): boolean =>
  pools.length > 0 && nowMillis - pooled.atMillis < POOLS_LIFETIME_MILLIS && amount <= pooled.amount * LARGEST_MULTIPLE

const tokenOf = (chainId: ChainId, { token }: Sale): string => `${chainId} ${token}`

/**
 * Balances with the same number of digits. Other pools may be better for less, or have run out of money for it, and wallets of different
 * sizes do not forget each other's pools.
 */
const sizeOf = (chainId: ChainId, sale: Sale): string => `${tokenOf(chainId, sale)} ${String(sale.amount).length}`

/** Makes the memory of estimates by token, and of pools by the size of the balance. */
const makeMemory = () => {
  const estimates = LatestMap.make<string, SaleWorth.KnownEstimate>(CAPACITY)
  const pools = LatestMap.make<string, Remembered>(CAPACITY)
  return {
    estimateOf: (chainId: ChainId, sale: Sale) => estimates.get(tokenOf(chainId, sale)),
    poolsOf: (chainId: ChainId, sale: Sale) => pools.get(sizeOf(chainId, sale)),
    remember: (chainId: ChainId, sale: Sale, fresh: SaleWorth.KnownEstimate, best: Remembered): void => {
      const key = tokenOf(chainId, sale)
      estimates.set(key, SaleWorth.remembered(estimates.get(key), fresh))
      pools.set(sizeOf(chainId, sale), best)
    }
  }
}

/** Makes `sourcesOn(client)`: sources of the chain whose routers the guard lists. That of `swapRouter` is listed since its deployment. */
const makeSourcesOn = (sources: ReadonlyArray<VenueSource>, listed: Options["listed"]) =>
  Effect.fnUntraced(function* (client: ChainClient) {
    const { chain } = client
    const declared = sources.flatMap((source) => source.routersOn(chain).map((router) => ({ source, router })))
    const others = declared.filter(({ router }) => router !== chain.swapRouter)
    const usable =
      others.length === 0
        ? new Set<Address.Address>()
        : yield* listed.of(
            client,
            others.map(({ router, source }) => ({ venue: source.name, router }))
          )
    return declared.flatMap(({ router, source }) => (router === chain.swapRouter || usable.has(router) ? [source] : []))
  })

/** Asks for one call's tokens. Without an answer nothing is known of them. */
const ask = (client: ChainClient, asked: ReadonlyArray<Asked>) => {
  const reads = asked.flatMap(({ pools, sale }) => pools.map(({ callOf, to }) => ({ to, data: callOf(sale.amount) })))
  return Multicall3.read(client, reads, { batch: MOST_IN_CALL }).pipe(
    Effect.map((answers) => {
      let next = 0
      return asked.map((each) => ({
        ...outcomeOf(each, answers.slice(next, (next += each.pools.length))),
        pooled: each.pooled
      }))
    }),
    Effect.catchTag("ChainUnavailable", (error) =>
      Effect.as(
        Effect.annotateLogs(Effect.logDebug("portfolio.estimates_unanswered"), {
          chainId: client.chain.id,
          detail: error.message
        }),
        []
      )
    )
  )
}

export const make = Effect.fnUntraced(function* ({ hasServices, listed, sources }: Options) {
  const chains = yield* Chains
  const memory = makeMemory()
  const sourcesOn = makeSourcesOn(sources, listed)

  const poolsOf = (client: ChainClient, open: ReadonlyArray<VenueSource>, token: Address.Address) =>
    Curves.hopsOf(client, { tokenIn: token, tokenOut: token }).flatMap((money) =>
      open.flatMap(({ poolReads }) =>
        (poolReads?.(client.chain, { tokenIn: token, tokenOut: money }) ?? []).map((read): MoneyPool => ({
          ...read,
          money
        }))
      )
    )

  /** Estimates of tokens that are not known, remembered for the next portfolios. */
  const read = Effect.fnUntraced(function* (client: ChainClient, sales: ReadonlyArray<Sale>, nowMillis: number) {
    const open = yield* sourcesOn(client)
    const chainId = client.chain.id
    const asked = sales.map((sale): Asked => {
      const known = memory.poolsOf(chainId, sale)
      return known !== undefined && hasPoolsFor(known, sale.amount, nowMillis)
        ? { sale, pools: known.pools, pooled: known.pooled }
        : {
            sale,
            pools: poolsOf(client, open, sale.token),
            pooled: { amount: sale.amount, atMillis: nowMillis }
          }
    })
    const allowed = within(asked.filter(({ pools }) => pools.length > 0))
    const calls = [
      ...callsOf(
        allowed.filter(({ sale }) => sale.isListed),
        Infinity
      ),
      ...callsOf(
        allowed.filter(({ sale }) => !sale.isListed),
        UNLISTED_IN_CALL
      )
    ]
    const outcomes = yield* Effect.forEach(calls, (call) => ask(client, call), { concurrency: CONCURRENCY })
    return outcomes.flat().map(({ estimate, pooled, pools, sale }) => {
      memory.remember(chainId, sale, { amount: sale.amount, estimate, atMillis: nowMillis }, { pools, pooled })
      return { sale, estimate }
    })
  })

  /** Services may have a route of a listed token that no pool buys. */
  const isTold = ({ estimate, sale }: { readonly sale: Sale; readonly estimate: SaleWorth.SaleEstimate }): boolean =>
    estimate._tag === "Paid" || !(hasServices && sale.isListed)

  const of: SaleEstimatesShape["of"] = Effect.fn("PoolEstimates.of")(
    function* (chainId, sales) {
      const client = yield* chains.get(chainId)
      const now = yield* Clock.currentTimeMillis
      const [known, missing] = Array.partition(sales, (sale) => {
        const remembered = memory.estimateOf(chainId, sale)
        const estimate = remembered === undefined ? undefined : SaleWorth.applied(remembered, sale.amount, now)
        return estimate === undefined ? Result.fail(sale) : Result.succeed({ sale, estimate })
      })
      // To its end, so that a reading that comes late is there for the next portfolio.
      const fresh =
        missing.length === 0
          ? []
          : yield* toItsEnd(
              Effect.timeoutOrElse(read(client, missing, now), {
                duration: LIMIT_MILLIS,
                orElse: () => Effect.succeed([])
              })
            )
      return new Map([...known, ...fresh].filter(isTold).map(({ estimate, sale }) => [sale.token, estimate]))
    },
    Effect.catchTag("UnsupportedChain", () => Effect.succeed(new Map()))
  )

  return { of } satisfies SaleEstimatesShape
})
