/** Books and sales of the treasury as text. Pure. */
import type {
  HoldingState,
  RoundOutcome,
  Sale,
  TreasuryChain,
  TreasuryEntry,
  TreasuryView
} from "../domain/Treasury.ts"
import { table } from "./Table.ts"

const STATES: Readonly<Record<HoldingState, string>> = {
  sell: "to be sold",
  selling: "sale under way",
  asset: "kept: the asset",
  no_asset: "kept: the chain has no asset",
  shared_vault: "kept: the account is the builders' vault, too",
  small: "kept: below the minimum",
  unsellable: "cannot be sold",
  empty: "–",
  unknown: "the chain does not answer"
}

const dollars = (value: string | undefined): string =>
  value === undefined ? "–" : `$${Number(value).toLocaleString("en-US", { maximumFractionDigits: 2 })}`

const planOf = ({ lots = 1, reason, retryAtMs, state }: TreasuryEntry): string => {
  if (state === "sell" && lots > 1) return `to be sold in ${lots} lots`
  if (state !== "unsellable") return STATES[state]
  const again = retryAtMs === undefined ? "" : `, next attempt ${new Date(retryAtMs).toISOString()}`
  return `${STATES[state]}: ${reason ?? "unknown reason"}${again}`
}

const asRow = (entry: TreasuryEntry): ReadonlyArray<string> => [
  String(entry.chainId),
  entry.token,
  entry.collected.toString(),
  entry.sold.toString(),
  entry.arrived.toString(),
  entry.lost.toString(),
  entry.held?.toString() ?? "–",
  entry.unexplained?.toString() ?? "–",
  dollars(entry.valueUsd),
  planOf(entry)
]

const COLUMNS = ["CHAIN", "TOKEN", "COLLECTED", "SOLD", "ARRIVED", "LOST", "HELD", "UNEXPLAINED", "VALUE", "PLAN"]

const nextOf = ({ chains, nextRoundAtMs }: TreasuryView): string => {
  if (nextRoundAtMs !== undefined) return `next round: ${new Date(nextRoundAtMs).toISOString()}`
  return chains.some(({ selling }) => selling === "on")
    ? "next round: with `sweep treasury sell`"
    : "the service sells nothing: the fee recipient's key and TREASURY_ASSETS name no chain"
}

/** Reason for which nothing is sold on a chain whose fee recipient holds builders' fees, too. */
export const sharedVault = ({ chainId, feeRecipient }: TreasuryChain): string =>
  `the service sells nothing on chain ${chainId}: its fee recipient is the builders' vault, too, so ${feeRecipient} also holds what builders are owed. Remove the chain from TREASURY_ASSETS first. Set builderVault as docs/how-to/turn-fees-into-money.md says: what builders are owed is sold otherwise`

const sharedVaults = ({ chains }: TreasuryView): ReadonlyArray<string> =>
  chains.filter(({ selling }) => selling === "shared_vault").map(sharedVault)

/** Amounts are in the smallest unit of the token. */
export const asBooks = (view: TreasuryView): string =>
  [
    table(COLUMNS, view.entries.map(asRow), "no fees were collected"),
    [nextOf(view), ...sharedVaults(view)].join("\n")
  ].join("\n\n")

const asSale = ({ amount, asset, chainId, id, token }: Sale): ReadonlyArray<string> => [
  id,
  String(chainId),
  token,
  amount.toString(),
  asset
]

export const asOpened = ({ opened }: RoundOutcome): string =>
  table(["SALE", "CHAIN", "TOKEN", "AMOUNT", "INTO"], opened.map(asSale), "nothing is to be sold")
