/** Sources that find tokens of an owner which no list needs to have. */
import { Array, Duration, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { isNative } from "../../domain/Token.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"

/** A token that the owner may hold. The chain has the last word on its balance. */
export interface Found {
  readonly address: Address.Address
  readonly isSpam: boolean
  /** A provider's facts about it. They are shown while the chain does not answer. */
  readonly told?: {
    readonly balance: bigint
    readonly symbol: string
    readonly name: string
    readonly decimals: number
  }
}

export interface TokenFinder {
  /** Unique. Written to logs. */
  readonly name: string
  readonly find: (
    client: ChainClient,
    owner: Address.Address
  ) => Effect.Effect<ReadonlyArray<Found>, { readonly message: string }>
}

/** Time limit of each source. The chain's own reads and the prices follow within the limit of a read for users. */
const LIMIT = Duration.millis(700)

/** Largest number of tokens that are taken from one source. A wallet can be sent any number of them. */
export const MOST = 300

const RANKS = [0, 1, 2] as const

/** Tokens that a provider has a balance of, then others, then spam. */
const rankOf = ({ isSpam, told }: Found): (typeof RANKS)[number] => {
  if (isSpam) return 2
  return told !== undefined && told.balance > 0n ? 0 : 1
}

const byRank = (found: ReadonlyArray<Found>): ReadonlyArray<Found> =>
  found.toSorted((one, other) => rankOf(one) - rankOf(other))

const unanswered = (name: string, { chain }: ChainClient, detail: string) =>
  Effect.annotateLogs(Effect.logWarning("portfolio.source_unanswered"), {
    source: name,
    chain: chain.name,
    chainId: chain.id,
    detail
  }).pipe(Effect.as([]))

const ask = (finder: TokenFinder, client: ChainClient, owner: Address.Address): Effect.Effect<ReadonlyArray<Found>> =>
  finder.find(client, owner).pipe(
    Effect.timeoutOption(LIMIT),
    Effect.flatMap(
      Option.match({
        onNone: () => unanswered(finder.name, client, `no answer within ${Duration.toMillis(LIMIT)} ms`),
        onSome: (found) => Effect.succeed(byRank(found).slice(0, MOST))
      })
    ),
    Effect.catch((error) => unanswered(finder.name, client, error.message))
  )

/** Each list's first, then each list's second, and so on. */
const inTurn = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> =>
  Array.makeBy(Math.max(1, ...lists.map(({ length }) => length)), (place) =>
    lists.flatMap((list) => list.slice(place, place + 1))
  ).flat()

/**
 * Merges what several sources found. A token appears once, and is spam if one of them says so. Only the first ones are read, so tokens are
 * taken from the sources in turn: none can crowd out the others.
 */
export const merge = (lists: ReadonlyArray<ReadonlyArray<Found>>): ReadonlyMap<Address.Address, Found> => {
  const merged = new Map<Address.Address, Found>()
  for (const found of lists.flat()) {
    const before = merged.get(found.address)
    const told = before?.told ?? found.told
    merged.set(found.address, {
      address: found.address,
      isSpam: found.isSpam || before?.isSpam === true,
      ...(told === undefined ? {} : { told })
    })
  }
  const facts = lists.map((list) => list.flatMap(({ address }) => merged.get(address) ?? []))
  const ranked = RANKS.flatMap((rank) => inTurn(facts.map((list) => list.filter((found) => rankOf(found) === rank))))
  return new Map(ranked.map((found) => [found.address, found]))
}

/** Asks all sources at once, each with its own time limit. A source that fails is logged and left out. */
export const findAll = Effect.fn("TokenFinder.findAll")(function* (
  finders: ReadonlyArray<TokenFinder>,
  client: ChainClient,
  owner: Address.Address
) {
  const lists = yield* Effect.forEach(finders, (finder) => ask(finder, client, owner), { concurrency: "unbounded" })
  return merge(lists.map((list) => list.filter(({ address }) => !isNative(address))))
})
