/**
 * {@link Balances} by Multicall3 over the operator's tokens and the token lists of each chain, and over what other sources find. The
 * chain has the last word on every balance. A source that fails or does not answer leaves the others alone.
 */
import { Array, Clock, Effect, Layer, Option, Result } from "effect"
import { encodeFunctionData, erc20Abi, multicall3Abi } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hex } from "../../domain/Hex.ts"
import { isNative, NATIVE, type TokenInfo } from "../../domain/Token.ts"
import * as TokenText from "../../domain/TokenText.ts"
import { Balances, BalancesUnavailable, type TokenBalance } from "../../ports/orchestrator/Balances.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as AdaptiveReads from "./AdaptiveReads.ts"
import { type Found, findAll, type TokenFinder } from "./TokenFinder.ts"
import * as UnlistedTokens from "./UnlistedTokens.ts"

export interface Options {
  /** Tokens of the token lists on a chain. Default: none. */
  readonly listed?: (chainId: ChainId) => Effect.Effect<ReadonlyArray<TokenInfo>>
  /** Sources of tokens that no list has. Default: none. */
  readonly finders?: ReadonlyArray<TokenFinder>
}

/** Largest number of unlisted tokens that are read of one chain. Those that were asked for come first. */
const MOST_UNLISTED = 250

/**
 * Time limit of the read of unlisted tokens, and latest time for it within the read of a chain, in milliseconds. Anybody can send the owner
 * a token whose calls take long. The limit of the whole read is that of `orchestrator/shared/PerChain.ts`, and prices follow within it.
 */
const UNLISTED_LIMIT_MILLIS = 400
const READS_LIMIT_MILLIS = 1_100

const unlistedLimit = (elapsedMillis: number): number =>
  Math.max(0, Math.min(UNLISTED_LIMIT_MILLIS, READS_LIMIT_MILLIS - elapsedMillis))

/** A listed token, as a balance without its amount. */
type Listed = Omit<TokenBalance, "balance">

/**
 * The native currency first, then the operator's tokens in their order, then those of token lists. Some lists contain the native
 * currency too, and the operator's entry of a token counts.
 */
const listedTokens = (chain: Chain.Chain, lists: ReadonlyArray<TokenInfo>): ReadonlyArray<Listed> => {
  const own = [
    ...Option.toArray(Chain.token(chain, NATIVE)),
    ...chain.tokens.filter((token) => !isNative(token.address))
  ]
  const known = new Set(own.map(({ address }) => address))
  return [
    ...own.map((token) => ({ token })),
    ...lists.filter(({ address }) => !known.has(address)).map((token) => ({ token, voucher: "list" as const }))
  ]
}

/** Makes `listedTokens` that remembers its last result of each chain, because a list changes once a day. */
const makeListed = () => {
  const known = new Map<
    ChainId,
    {
      readonly lists: ReadonlyArray<TokenInfo>
      readonly entries: ReadonlyArray<Listed>
      readonly addresses: ReadonlySet<Address.Address>
    }
  >()
  return (chain: Chain.Chain, lists: ReadonlyArray<TokenInfo>) => {
    const last = known.get(chain.id)
    if (last?.lists === lists) return last
    const entries = listedTokens(chain, lists)
    const next = { lists, entries, addresses: new Set(entries.map(({ token }) => token.address)) }
    known.set(chain.id, next)
    return next
  }
}

/** A token that reverts or does not return one word is left out, so that one bad token does not hide the others. */
const balancesOf = (
  listed: ReadonlyArray<Listed>,
  answers: ReadonlyArray<Multicall3.Answer>,
  found: ReadonlyMap<Address.Address, Found>
): ReadonlyArray<TokenBalance> =>
  Array.zip(listed, answers).flatMap(([entry, answer]) => {
    const balance = Option.getOrElse(Multicall3.word(answer), () => 0n)
    if (balance === 0n) return []
    const isSpam = found.get(entry.token.address)?.isSpam === true
    return [{ ...entry, balance, ...(isSpam ? { isSpam } : {}) }]
  })

/** The balances that providers tell, while the chain does not answer. Listed tokens have the list's entry. */
const told = (
  { chain }: ChainClient,
  listed: ReadonlyArray<Listed>,
  found: ReadonlyMap<Address.Address, Found>
): ReadonlyArray<TokenBalance> => {
  const entries = new Map(listed.map((entry) => [entry.token.address, entry]))
  return Array.fromIterable(found.values()).flatMap(({ address, isSpam, told: facts }): ReadonlyArray<TokenBalance> => {
    if (facts === undefined || facts.balance <= 0n) return []
    const { balance, decimals, name, symbol } = facts
    const entry = entries.get(address) ?? {
      token: {
        chainId: chain.id,
        address,
        symbol: TokenText.symbol(symbol),
        name: TokenText.name(name),
        decimals
      },
      voucher: "none" as const
    }
    return [{ ...entry, balance, ...(isSpam ? { isSpam } : {}) }]
  })
}

export const make = Effect.fnUntraced(function* ({ finders = [], listed = () => Effect.succeed([]) }: Options = {}) {
  const chains = yield* Chains
  /** Readers of listed and of other tokens, so that the latter cannot make the calls of the former smaller. */
  const readers = new Map(
    chains.all.map((client) => [
      client.chain.id,
      { listed: AdaptiveReads.make(client), others: AdaptiveReads.make(client) }
    ])
  )
  const readUnlisted = UnlistedTokens.make()
  const listedOn = makeListed()

  const onChain = Effect.fn("MulticallBalances.onChain")(function* (
    client: ChainClient,
    owner: Address.Address,
    asked: ReadonlyArray<Address.Address>
  ) {
    const { chain } = client
    const begun = yield* Clock.currentTimeMillis
    const reader = readers.get(chain.id) ?? { listed: AdaptiveReads.make(client), others: AdaptiveReads.make(client) }
    const { addresses, entries } = listedOn(chain, yield* listed(chain.id))
    const balanceOf = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [owner] })
    const getEthBalance = encodeFunctionData({ abi: multicall3Abi, functionName: "getEthBalance", args: [owner] })
    const [known, found] = yield* Effect.all(
      [
        Effect.result(
          reader.listed(
            entries.map(({ token: { address } }) =>
              isNative(address) ? { to: chain.multicall3, data: getEthBalance } : { to: address, data: balanceOf }
            )
          )
        ),
        findAll(finders, client, owner)
      ],
      { concurrency: 2 }
    )
    if (Result.isFailure(known)) {
      const others = told(client, entries, found)
      return others.length === 0 ? yield* Effect.fail(known.failure) : others
    }
    const limitMillis = unlistedLimit((yield* Clock.currentTimeMillis) - begun)
    const readOthers = (reads: ReadonlyArray<Multicall3.Read>) => reader.others(reads, { limitMillis })
    const others = yield* unlisted(client, readOthers, { asked, listed: addresses, found }, balanceOf)
    return [...balancesOf(entries, known.success, found), ...others]
  })

  /** The balances of what was asked for and found, besides the listed tokens. Those without an answer are left out. */
  const unlisted = Effect.fnUntraced(function* (
    client: ChainClient,
    reader: UnlistedTokens.Reader,
    {
      asked,
      found,
      listed: known
    }: {
      readonly asked: ReadonlyArray<Address.Address>
      readonly listed: ReadonlySet<Address.Address>
      readonly found: ReadonlyMap<Address.Address, Found>
    },
    balanceOf: Hex
  ) {
    const tokens = Array.dedupe([...asked, ...found.keys()]).filter((token) => !isNative(token) && !known.has(token))
    const held = yield* readUnlisted(client, reader, tokens.slice(0, MOST_UNLISTED), balanceOf).pipe(
      Effect.catch((error) =>
        Effect.annotateLogs(Effect.logWarning("portfolio.unlisted_unanswered"), {
          chainId: client.chain.id,
          tokens: tokens.length,
          detail: error.message
        }).pipe(Effect.as([]))
      )
    )
    return held.map((balance): TokenBalance => {
      const isSpam = found.get(balance.token.address)?.isSpam === true
      return { ...balance, voucher: "none", ...(isSpam ? { isSpam } : {}) }
    })
  })

  const on = Effect.fn("MulticallBalances.on")(
    function* (chainId: ChainId, owner: Address.Address, asked: ReadonlyArray<Address.Address> = []) {
      return yield* onChain(yield* chains.get(chainId), owner, asked)
    },
    Effect.mapError((error) => new BalancesUnavailable({ detail: error.message }))
  )
  return Balances.of({ on })
})

export const layer = Layer.effect(Balances, make())
