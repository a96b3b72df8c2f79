/** Events of the demo, as text for people or as one JSON object per line for programs. */
import { formatUnits } from "viem"
import type { IntentStatus } from "../../domain/Intent.ts"
import type { Check } from "./Reconciliation.ts"

export interface TokenAmount {
  readonly amount: bigint
  readonly symbol: string
  readonly decimals: number
}

export interface ChainAmount extends TokenAmount {
  readonly chain: string
}

export type DemoEvent =
  | { readonly event: "scenario"; readonly number: number; readonly title: string }
  | {
      readonly event: "owner"
      readonly address: string
      readonly holds: TokenAmount
      readonly gas: TokenAmount
      readonly chain: string
    }
  | {
      readonly event: "quote"
      readonly id: string
      readonly provider: string
      readonly send: TokenAmount
      readonly fromChain: string
      readonly protocolFee: TokenAmount
      readonly builderFee: TokenAmount
      readonly receiveAtLeast: TokenAmount
      readonly toChain: string
      readonly destination: string
      readonly expiresAtMs: number
    }
  | {
      readonly event: "wallet"
      readonly address: string
      readonly holds: ReadonlyArray<ChainAmount>
      readonly gas: ReadonlyArray<ChainAmount>
    }
  | {
      readonly event: "quotes"
      readonly quotes: ReadonlyArray<{
        readonly id: string
        readonly provider: string
        readonly send: TokenAmount
        readonly fromChain: string
        readonly fees: TokenAmount
        readonly receiveAtLeast: TokenAmount
      }>
      readonly receiveAtLeast: TokenAmount
      readonly toChain: string
      readonly destination: string
      readonly expiresAtMs: number
    }
  | { readonly event: "signed"; readonly what: "order" | "batch" | "authorization"; readonly detail: string }
  | {
      readonly event: "status"
      /** Token and chain of the intent, in a sweep of many. */
      readonly of?: string
      readonly status: IntentStatus
      readonly txHash?: string
      readonly elapsedMs: number
    }
  | { readonly event: "delivery"; readonly txHash: string; readonly chain: string }
  | { readonly event: "balance"; readonly whose: string; readonly before: TokenAmount; readonly after: TokenAmount }
  | { readonly event: "check"; readonly check: Check }
  | { readonly event: "summary"; readonly rows: ReadonlyArray<SummaryRow>; readonly elapsedMs: number }

export interface SummaryRow {
  readonly title: string
  /** One amount for each token. */
  readonly sent: TokenAmount | ReadonlyArray<TokenAmount>
  /** In the input token. Of many tokens: in the output token, at the prices of the quotes. */
  readonly fees: TokenAmount
  readonly received: TokenAmount
  readonly status: IntentStatus
  readonly seconds: number
  readonly ok: boolean
}

/** The exact amount with the token's symbol. Amounts are never rounded. */
const show = ({ amount, decimals, symbol }: TokenAmount): string => `${formatUnits(amount, decimals)} ${symbol}`

const showSent = (sent: SummaryRow["sent"]): string => ("symbol" in sent ? show(sent) : `${sent.length} tokens`)

/** One line for each chain. */
const holdings = ({ gas, holds }: DemoEvent & { readonly event: "wallet" }): string =>
  gas
    .map((native) => {
      const tokens = holds.filter(({ chain }) => chain === native.chain).map(show)
      return `   on ${native.chain} it holds ${tokens.join(", ")}, and ${show(native)} for gas`
    })
    .join("\n")

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = rows.reduce<ReadonlyArray<number>>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    []
  )
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   ")}`.trimEnd())
    .join("\n")
}

/** Lines of a table below a scenario. */
const indented = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  table(rows)
    .split("\n")
    .map((line) => ` ${line}`)
    .join("\n")

const quotesTable = (event: DemoEvent & { readonly event: "quotes" }): string =>
  indented([
    ["send", "on", "fees", "receive at least", "by"],
    ...event.quotes.map((each) => [
      show(each.send),
      each.fromChain,
      show(each.fees),
      show(each.receiveAtLeast),
      each.provider
    ]),
    ["together", "", "", show(event.receiveAtLeast), `on ${event.toChain}`]
  ])

/** The event as text. */
export const asText = (event: DemoEvent): string => {
  switch (event.event) {
    case "scenario":
      return `\n${event.number}. ${event.title}`
    case "owner":
      return `   owner ${event.address} on ${event.chain} holds ${show(event.holds)} and ${show(event.gas)} for gas`
    case "quote":
      return indented([
        ["quote", `${event.id} by ${event.provider}`],
        ["send", `${show(event.send)} on ${event.fromChain}`],
        ["fees", `${show(event.protocolFee)} protocol and network, ${show(event.builderFee)} builder`],
        ["receive", `at least ${show(event.receiveAtLeast)} on ${event.toChain}`],
        ["to", event.destination],
        ["expires", new Date(event.expiresAtMs).toISOString()]
      ])
    case "wallet":
      return `   owner ${event.address}\n${holdings(event)}`
    case "quotes":
      return `${quotesTable(event)}\n   to ${event.destination}, expires ${new Date(event.expiresAtMs).toISOString()}`
    case "signed":
      return `   signed ${event.what}: ${event.detail}`
    case "status":
      return `   ${event.of === undefined ? "" : `${event.of}: `}${event.status} after ${seconds(event.elapsedMs)}${event.txHash === undefined ? "" : `, transaction ${event.txHash}`}`
    case "delivery":
      return `   delivered on ${event.chain} by ${event.txHash}`
    case "balance":
      return `   ${event.whose}: ${show(event.before)} → ${show(event.after)}`
    case "check":
      return event.check.ok
        ? `   ok   ${event.check.name}`
        : `   FAIL ${event.check.name}: expected ${event.check.expected}, got ${event.check.actual}`
    case "summary":
      return `\n${table([
        ["sweep", "sent", "fees", "received", "status", "time", "balances"],
        ...event.rows.map((row) => [
          row.title,
          showSent(row.sent),
          show(row.fees),
          show(row.received),
          row.status,
          `${row.seconds.toFixed(1)} s`,
          row.ok ? "match" : "DIFFER"
        ])
      ])}\n\n  ${event.rows.length} sweeps in ${seconds(event.elapsedMs)}; owners paid no gas`
  }
}

/** The event as one line of JSON. Amounts are decimal strings in the smallest unit. */
export const asJson = (event: DemoEvent): string =>
  JSON.stringify(event, (_key, value: unknown) => (typeof value === "bigint" ? value.toString() : value))
