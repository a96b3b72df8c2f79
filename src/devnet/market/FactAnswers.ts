/** Answers of services about tokens and bridges, in the shapes of their documentation: DefiLlama, CoinGecko, GoPlus, honeypot.is, Across. */
import * as Usd from "../../domain/Usd.ts"
import * as Tokens from "../Tokens.ts"
import { HONEYPOTS, MONEY } from "./Market.ts"
import type { Placed, Plan } from "./Plan.ts"

/** Dollars of a whole token as a number of JSON, by lower-case address. Of the tokens that sources know, and of the network's own. */
const pricesOf = (
  plan: Plan
): ReadonlyMap<string, { readonly usd: number; readonly decimals: number; readonly symbol: string }> =>
  new Map([
    ...MONEY.map(
      (symbol) =>
        [
          plan.money[symbol].toLowerCase(),
          { usd: Number(Tokens.TOKENS[symbol].usd), decimals: Tokens.TOKENS[symbol].decimals, symbol }
        ] as const
    ),
    ...plan.tokens
      .filter(({ isPriced }) => isPriced)
      .map(
        ({ address, decimals, symbol, usd }) =>
          [address.toLowerCase(), { usd: Number(Usd.format(usd)), decimals, symbol }] as const
      )
  ])

/** `GET /prices/current/{keys}`. `keys`: `chain:address`. */
export const defiLlama = (plans: ReadonlyMap<string, Plan>, keys: ReadonlyArray<string>, nowSeconds: number) => ({
  coins: Object.fromEntries(
    keys.flatMap((key) => {
      const [slug = "", address = ""] = key.split(":")
      const plan = plans.get(slug)
      const found = plan === undefined ? undefined : pricesOf(plan).get(address.toLowerCase())
      return found === undefined
        ? []
        : [
            [
              key,
              {
                decimals: found.decimals,
                symbol: found.symbol,
                price: found.usd,
                timestamp: nowSeconds,
                confidence: 0.99
              }
            ] as const
          ]
    })
  )
})

/** `GET /simple/token_price/{platform}`. */
export const coinGecko = (plan: Plan, addresses: ReadonlyArray<string>, nowSeconds: number) => {
  const prices = pricesOf(plan)
  return Object.fromEntries(
    addresses.flatMap((address) => {
      const found = prices.get(address.toLowerCase())
      return found === undefined
        ? []
        : [[address.toLowerCase(), { usd: found.usd, last_updated_at: nowSeconds }] as const]
    })
  )
}

/** Scanners are late with one honeypot in three, by the number in its symbol. */
const isKnownHoneypot = ({ kind, symbol }: Placed): boolean => HONEYPOTS.has(kind) && Number(symbol.slice(1)) % 3 !== 0

/** `GET /api/v1/token_security/{chain}`. */
export const goPlus = (plan: Plan, addresses: ReadonlyArray<string>) => ({
  code: 1,
  message: "ok",
  result: Object.fromEntries(
    addresses.flatMap((address) => {
      const token = plan.tokens.find((each) => each.address.toLowerCase() === address.toLowerCase())
      if (token === undefined) return []
      const tax = (token.taxBps / 10_000).toString()
      return [
        [
          address.toLowerCase(),
          {
            is_honeypot: isKnownHoneypot(token) ? "1" : "0",
            cannot_sell_all: "0",
            buy_tax: tax,
            sell_tax: tax,
            transfer_pausable: token.kind === "paused" ? "1" : "0"
          }
        ] as const
      ]
    })
  )
})

/** `GET /v2/IsHoneypot`. Undefined for a token that it does not know. */
export const honeypotIs = (plan: Plan, address: string) => {
  const token = plan.tokens.find((each) => each.address.toLowerCase() === address.toLowerCase())
  if (token === undefined) return undefined
  const isHoneypot = isKnownHoneypot(token)
  const tax = token.taxBps / 100
  return {
    summary: { risk: isHoneypot ? "honeypot" : "low", riskLevel: isHoneypot ? 100 : 1, flags: [] },
    simulationSuccess: true,
    honeypotResult: { isHoneypot },
    simulationResult: { buyTax: tax, sellTax: tax, transferTax: tax }
  }
}

/** Fee of relayers on the bridge, in basis points. */
const BRIDGE_FEE_BPS = 10n

/** `GET /api/suggested-fees`. */
export const across = (
  spokePools: { readonly origin: string; readonly destination: string },
  amount: bigint,
  nowSeconds: number
) => {
  const fee = (amount * BRIDGE_FEE_BPS) / 10_000n
  return {
    estimatedFillTimeSec: 4,
    timestamp: String(nowSeconds),
    fillDeadline: String(nowSeconds + 3 * 3_600),
    isAmountTooLow: false,
    exclusiveRelayer: "0x0000000000000000000000000000000000000000",
    exclusivityDeadline: 0,
    spokePoolAddress: spokePools.origin,
    destinationSpokePoolAddress: spokePools.destination,
    totalRelayFee: { pct: "1000000000000000", total: fee.toString() },
    lpFee: { pct: "0", total: "0" },
    limits: { minDeposit: "1", maxDeposit: (10n ** 30n).toString(), maxDepositInstant: (10n ** 30n).toString() },
    outputAmount: (amount - fee).toString()
  }
}
