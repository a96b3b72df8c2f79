/** Decides which tokens are selected at first, and how much of each. Pure. */
import type { SweepableToken } from "../../sdk/index.ts"
import { sameAddress } from "../../sdk/model/Address.ts"
import { editable, parse, type Separator } from "../lib/amounts.ts"
import { amountWorth, isBelow, valueUsd as valueOf } from "../lib/usd.ts"
import { NATIVE } from "./catalog.ts"
import { needsCare, warningOf } from "./warning.ts"

/**
 * `dust`: balances below {@link DUST_USD}. `allButGas`: everything but gas money. `custom`: what the user ticks. Marked and doubtful
 * tokens are ticked by the user alone.
 */
export type Preset = "dust" | "allButGas" | "custom"

/** Balances below this value in US dollars are dust. */
export const DUST_USD = 50

/** Gas money that stays in native currency, in US dollars: some transactions on the chain. */
const RESERVE_USD = 1
const RESERVE_ON_ETHEREUM_USD = 10
const ETHEREUM = 1

export const isNative = ({ address }: Pick<SweepableToken, "address">): boolean => sameAddress(address, NATIVE)

/** Gas money that stays, in the smallest unit. All of a native balance without a price, and nothing of other tokens. */
export const reserveOf = (token: SweepableToken): bigint => {
  if (!isNative(token)) return 0n
  if (token.priceUsd === null) return token.balance
  const usd = token.chainId === ETHEREUM ? RESERVE_ON_ETHEREUM_USD : RESERVE_USD
  const reserve = amountWorth(usd, token.decimals, token.priceUsd)
  return reserve < token.balance ? reserve : token.balance
}

/** Amount to sweep unless the user enters another one. A token that is gas money as a whole is swept as a whole, if at all. */
export const defaultAmount = (token: SweepableToken): bigint => {
  const free = token.balance - reserveOf(token)
  return free > 0n ? free : token.balance
}

/** The reason for which a preset leaves a token that can be swept. Undefined if it selects the token. */
export const whyLeft = (preset: Preset, token: SweepableToken): string | undefined => {
  const warning = warningOf(token)
  if (warning !== undefined && needsCare(token)) return warning.text
  if (preset === "custom") return undefined
  if (token.balance === reserveOf(token)) return "Kept as gas money"
  if (preset === "dust" && (token.valueUsd === null || !isBelow(token.valueUsd, DUST_USD))) {
    return token.valueUsd === null ? "Its value is not known" : `Worth $${DUST_USD} or more`
  }
  return undefined
}

/** Value of an amount of a token in US dollars. Null without a price. */
export const amountUsd = ({ balance, decimals, priceUsd, valueUsd }: SweepableToken, amount: bigint): string | null =>
  amount === balance || priceUsd === null ? valueUsd : valueOf(amount, decimals, priceUsd)

/** True if a preset selects a token that can be swept. */
export const isPreselected = (preset: Preset, token: SweepableToken): boolean =>
  preset !== "custom" && whyLeft(preset, token) === undefined

/** True if the text occurs in the token's symbol, name or address. */
export const isFound = (
  { address, name, symbol }: Pick<SweepableToken, "address" | "name" | "symbol">,
  text: string
): boolean => {
  const wanted = text.trim().toLowerCase()
  return [symbol, name, address].some((each) => each.toLowerCase().includes(wanted))
}

/** Input of an amount: undefined without one, and null for a text that is no amount. */
type Entered = bigint | null | undefined

/** Amounts that the user entered, by key. Null for an input that is no amount. */
export type Amounts = ReadonlyMap<string, bigint | null>

/** True for an input that is no amount, or more than the account holds by now. */
export const isNoAmount = ({ balance }: SweepableToken, entered: Entered): boolean =>
  entered === null || (entered !== undefined && entered > balance)

/** The entered amount, or else the default, of which the rest of a sweep is a maximum. */
export const amountOf = (token: SweepableToken, entered: Entered, rest?: bigint): bigint => {
  if (entered !== undefined && entered !== null && !isNoAmount(token, entered)) return entered
  const amount = defaultAmount(token)
  return rest !== undefined && rest < amount ? rest : amount
}

/** A token with the amount to sweep, and if the last input is none. */
interface Selected {
  readonly token: Pick<SweepableToken, "decimals">
  readonly amount: bigint
  readonly lacksAmount: boolean
}

/** Text of the field for an amount: what was typed while it is what is swept, and then the amount, which may change by itself. */
export const shownAmount = (
  { amount, lacksAmount, token: { decimals } }: Selected,
  typed: string,
  sign: Separator
): string => (lacksAmount || parse(typed, decimals, sign) === amount ? typed : editable(amount, decimals, sign))

/**
 * Amounts that are left of a sweep, by key. They are maxima: refunds may arrive after the rest is selected, so that the amount to sweep
 * follows the balance.
 */
export type Rest = ReadonlyMap<string, bigint>

/** The entered amounts once the rest of a sweep is selected, which takes their place. */
export const enteredBesides = (amounts: Amounts, rest: Rest): Amounts =>
  new Map([...amounts].filter(([key]) => !rest.has(key)))

/** Keys that are ticked, and the rest of a sweep, of which a refund may arrive later. */
interface Ticks {
  readonly picked: ReadonlySet<string>
  readonly rest: Rest
}

interface Listed {
  readonly key: string
  readonly isChosen: boolean
}

/**
 * The ticked keys after some changes. The others stay as they are, also the part of a rest that is not listed yet. Nobody can untick that
 * part, so it goes with the last listed tick.
 */
export const ticked = (
  entries: ReadonlyArray<Listed>,
  { picked, rest }: Ticks,
  changes: Iterable<readonly [key: string, isWanted: boolean]>
): ReadonlySet<string> => {
  const listed = new Set(entries.map(({ key }) => key))
  const awaited = [...rest.keys()].filter((key) => picked.has(key) && !listed.has(key))
  const next = new Set([...entries.flatMap(({ isChosen, key }) => (isChosen ? [key] : [])), ...awaited])
  for (const [key, isWanted] of changes) {
    if (isWanted) next.add(key)
    else next.delete(key)
  }
  return [...next].some((key) => listed.has(key)) ? next : new Set()
}

/** The rest without the part that is neither listed nor ticked any more. */
export const restAfter = (rest: Rest, entries: ReadonlyArray<Listed>, picked: ReadonlySet<string>): Rest => {
  const known = new Set([...entries.map(({ key }) => key), ...picked])
  return new Map([...rest].filter(([key]) => known.has(key)))
}

/** The rest once these tokens are swept, or their amounts are entered. */
export const restWithout = (rest: Rest, keys: Iterable<string>): Rest => {
  const gone = new Set([...keys].map((key) => key.toLowerCase()))
  return new Map([...rest].filter(([key]) => !gone.has(key.toLowerCase())))
}
