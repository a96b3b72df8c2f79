/** Finds an owner's tokens by GoldRush (Covalent), which also tells spam. */
import { Effect, Option, Redacted, Schema } from "effect"
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
  /** Default: GoldRush's own. */
  readonly baseUrl?: string
}

const CHAINS: Readonly<Record<ChainId, string>> = {
  1: "eth-mainnet",
  10: "optimism-mainnet",
  56: "bsc-mainnet",
  137: "matic-mainnet",
  8453: "base-mainnet",
  42161: "arbitrum-mainnet"
}

const Balances = Schema.Struct({
  error: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  data: Schema.Struct({ items: Schema.Array(Schema.Unknown) })
})

/** Items are decoded one by one, so that one malformed item does not discard the others. */
const decodeItem = Schema.decodeUnknownOption(
  Schema.Struct({
    contract_address: Address.NonZeroAddress,
    contract_decimals: Schema.optionalKey(
      Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 77 })))
    ),
    contract_ticker_symbol: Schema.optionalKey(Schema.NullOr(Schema.String)),
    contract_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
    native_token: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
    is_spam: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
    balance: Schema.NullOr(Schema.String.check(Schema.isPattern(/^[0-9]{1,78}$/)))
  })
)

const foundIn = (item: unknown): Option.Option<Found> =>
  decodeItem(item).pipe(
    Option.filter(({ native_token }) => native_token !== true),
    Option.filter(({ balance }) => balance !== null && BigInt(balance) > 0n),
    Option.map((decoded) => {
      const decimals = decoded.contract_decimals
      return {
        address: decoded.contract_address,
        isSpam: decoded.is_spam === true,
        ...(typeof decimals === "number"
          ? {
              told: {
                balance: BigInt(decoded.balance ?? 0),
                symbol: decoded.contract_ticker_symbol ?? "",
                name: decoded.contract_name ?? "",
                decimals
              }
            }
          : {})
      }
    })
  )

const readBalances = Answer.json(Balances)

export const make = Effect.fnUntraced(function* ({ apiKey, baseUrl = "https://api.covalenthq.com/v1" }: Options) {
  const provider = yield* Provider.make({
    name: "goldrush",
    baseUrl,
    headers: { authorization: `Bearer ${Redacted.value(apiKey)}` },
    deadline: 650,
    maxBytes: 4 * 1_048_576,
    budget: { requests: 40, per: "10 seconds" }
  })
  const finder: TokenFinder = {
    name: "goldrush",
    find: Effect.fn("GoldRush.find")(
      function* ({ chain }: ChainClient, owner: Address.Address) {
        const name = CHAINS[chain.id]
        if (name === undefined) return []
        const { data } = yield* provider.ask(
          HttpClientRequest.get(`/${name}/address/${owner}/balances_v2/`),
          (answer): Effect.Effect<typeof Balances.Type, ReturnType<typeof Answer.unexpected>> => {
            if (answer.status !== 200) return Effect.fail(Answer.unexpected(answer))
            return Effect.flatMap(readBalances(answer), (body) =>
              body.error === true ? Effect.fail(provider.unusable("the answer is an error")) : Effect.succeed(body)
            )
          }
        )
        return data.items.flatMap((item) => Option.toArray(foundIn(item)))
      },
      (effect, _client, owner) => Subject.of(owner)(effect)
    )
  }
  return finder
})
