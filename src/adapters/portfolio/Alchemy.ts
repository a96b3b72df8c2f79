/** Finds an owner's tokens by Alchemy's Portfolio API. The key is part of the URL, so requests are never logged. */
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as Answer from "../providers/Answer.ts"
import * as Provider from "../providers/Provider.ts"
import * as Subject from "../providers/Subject.ts"
import type { Found, TokenFinder } from "./TokenFinder.ts"

export interface Options {
  readonly apiKey: Redacted.Redacted
  /** Default: Alchemy's own. */
  readonly baseUrl?: string
}

const NETWORKS: Readonly<Record<ChainId, string>> = {
  1: "eth-mainnet",
  10: "opt-mainnet",
  56: "bnb-mainnet",
  137: "polygon-mainnet",
  8453: "base-mainnet",
  42161: "arb-mainnet"
}

/** Pages of one answer that are read. */
const PAGES = 3

/** Time limit of all pages, within that of a source. Tokens of the pages that came in time count. */
const LIMIT_MILLIS = 650

const Page = Schema.Struct({
  data: Schema.Struct({
    tokens: Schema.Array(Schema.Unknown),
    pageKey: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
})

/** Tokens are decoded one by one, so that one malformed token does not discard the others. */
const decodeToken = Schema.decodeUnknownOption(
  Schema.Struct({
    network: Schema.optionalKey(Schema.String),
    tokenAddress: Address.NonZeroAddress,
    tokenBalance: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,64}$/)),
    tokenMetadata: Schema.optionalKey(
      Schema.NullOr(
        Schema.Struct({
          symbol: Schema.optionalKey(Schema.NullOr(Schema.String)),
          name: Schema.optionalKey(Schema.NullOr(Schema.String)),
          decimals: Schema.optionalKey(Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 77 }))))
        })
      )
    )
  })
)

const foundIn = (network: string, token: unknown): Option.Option<Found> =>
  decodeToken(token).pipe(
    Option.filter((decoded) => decoded.network === undefined || decoded.network === network),
    Option.filter(({ tokenBalance }) => BigInt(tokenBalance) > 0n),
    Option.map(({ tokenAddress: address, tokenBalance, tokenMetadata }) => {
      const { decimals, name, symbol } = tokenMetadata ?? {}
      return {
        address,
        isSpam: false,
        ...(typeof decimals === "number"
          ? { told: { balance: BigInt(tokenBalance), symbol: symbol ?? "", name: name ?? "", decimals } }
          : {})
      }
    })
  )

const readPage = Answer.json(Page)

export const make = Effect.fnUntraced(function* ({ apiKey, baseUrl = "https://api.g.alchemy.com/data/v1" }: Options) {
  const provider = yield* Provider.make({
    name: "alchemy",
    baseUrl,
    deadline: LIMIT_MILLIS,
    budget: { requests: 100, per: "10 seconds" }
  })

  const page = (network: string, owner: Address.Address, pageKey: string | undefined) =>
    provider.ask(
      HttpClientRequest.post(`/${encodeURIComponent(Redacted.value(apiKey))}/assets/tokens/by-address`).pipe(
        HttpClientRequest.bodyJsonUnsafe({
          addresses: [{ address: owner, networks: [network] }],
          withMetadata: true,
          withPrices: false,
          includeNativeTokens: false,
          includeErc20Tokens: true,
          ...(pageKey === undefined ? {} : { pageKey })
        })
      ),
      (answer) => (answer.status === 200 ? readPage(answer) : Effect.fail(Answer.unexpected(answer)))
    )

  const finder: TokenFinder = {
    name: "alchemy",
    find: Effect.fn("Alchemy.find")(
      function* ({ chain }: ChainClient, owner: Address.Address) {
        const network = NETWORKS[chain.id]
        if (network === undefined) return []
        const begun = yield* Clock.currentTimeMillis
        const found: Array<Found> = []
        const readFrom = Effect.fnUntraced(function* (pageKey: string | undefined) {
          const { data } = yield* page(network, owner, pageKey)
          found.push(...data.tokens.flatMap((token) => Option.toArray(foundIn(network, token))))
          return data.pageKey ?? undefined
        })
        let next = yield* readFrom(undefined)
        for (let pages = 1; pages < PAGES && next !== undefined; pages++) {
          const left = LIMIT_MILLIS - ((yield* Clock.currentTimeMillis) - begun)
          const read = yield* readFrom(next).pipe(
            Effect.timeoutOption(Math.max(0, left)),
            Effect.option,
            Effect.map(Option.flatten)
          )
          next = Option.getOrUndefined(read)
        }
        return found
      },
      (effect, _client, owner) => Subject.of(owner)(effect)
    )
  }
  return finder
})
