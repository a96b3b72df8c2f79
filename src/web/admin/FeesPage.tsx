/** Collected fees: what each token brought in, what was sold and lost, and what the fee recipients hold. */
import { useQuery } from "@tanstack/react-query"
import type {
  HoldingState,
  Sale,
  SaleState,
  TreasuryChain,
  TreasuryEntry,
  TreasuryView
} from "../../domain/Treasury.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import { tokenKey } from "../lib/tokenKey.ts"
import * as explorer from "../lib/explorer.ts"
import { dollars } from "../lib/usd.ts"
import { Address } from "../ui/Address.tsx"
import { Amount } from "../ui/Amount.tsx"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState, Skeleton } from "../ui/States.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { TokenName } from "../ui/TokenName.tsx"
import { missingSettings, NotConfigured } from "./NotConfigured.tsx"
import { collectedFees } from "./queries.ts"

const STATES: Readonly<Record<HoldingState, readonly [label: string, tone: Tone]>> = {
  sell: ["To be sold", "good"],
  selling: ["Sale under way", "good"],
  asset: ["Asset, kept", "neutral"],
  no_asset: ["Kept: no asset is set", "neutral"],
  shared_vault: ["Kept: the account is the builders' vault, too", "bad"],
  small: ["Kept: too little", "neutral"],
  unsellable: ["Cannot be sold", "bad"],
  empty: ["Nothing held", "neutral"],
  unknown: ["Not known", "warn"]
}

const SALES: Readonly<Record<SaleState, readonly [label: string, tone: Tone]>> = {
  planned: ["Planned", "neutral"],
  offered: ["Under way", "neutral"],
  settled: ["Settled", "good"],
  failed: ["Failed", "bad"]
}

const SELLING: Readonly<Record<TreasuryChain["selling"], readonly [label: string, tone: Tone]>> = {
  on: ["Sold by the service", "good"],
  no_asset: ["Kept: TREASURY_ASSETS names no token", "neutral"],
  shared_vault: ["Not sold: builderVault is the fee recipient", "bad"],
  no_key: ["Sold by a Safe: no key of the fee recipient is set", "neutral"],
  other_key: ["Not sold: the fee recipient's key is of another account", "bad"]
}

function Tagged({ of: [label, tone] }: { readonly of: readonly [string, Tone] }) {
  return <Badge tone={tone}>{label}</Badge>
}

const chainColumns = (book: TokenBook): ReadonlyArray<Column<TreasuryChain>> => [
  { title: "Chain", cell: ({ chainId }) => book.chainName(chainId) },
  {
    title: "Fee recipient",
    cell: ({ chainId, feeRecipient }) => (
      <Address href={explorer.account(book.chain(chainId), feeRecipient)} label="fee recipient" value={feeRecipient} />
    )
  },
  {
    title: "Sold into",
    cell: ({ asset, chainId }) =>
      asset === undefined ? (
        <span className="text-muted">none</span>
      ) : (
        <TokenName book={book} chainId={chainId} token={asset} />
      )
  },
  { title: "Sales", cell: ({ selling }) => <Tagged of={SELLING[selling]} /> }
]

const PARTS = [
  ["collected", "Collected"],
  ["sold", "Sold"],
  ["arrived", "Arrived"],
  ["lost", "Lost"],
  ["held", "Held"],
  ["unexplained", "Unexplained"]
] as const

const entryColumns = (book: TokenBook): ReadonlyArray<Column<TreasuryEntry>> => [
  { title: "Token", cell: ({ chainId, token }) => <TokenName book={book} chainId={chainId} token={token} /> },
  ...PARTS.map(([part, title]): Column<TreasuryEntry> => ({
    title,
    align: "right",
    cell: (entry) => {
      const value = entry[part]
      return value === undefined ? (
        <span className="text-muted">unknown</span>
      ) : (
        <Amount symbol={false} token={book.token(entry.chainId, entry.token)} value={value} />
      )
    }
  })),
  {
    title: "Value",
    align: "right",
    cell: ({ valueUsd }) => (valueUsd === undefined ? <span className="text-muted">unknown</span> : dollars(valueUsd))
  },
  {
    title: "Plan",
    cell: ({ reason, retryAtMs, state }) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        <Tagged of={STATES[state]} />
        {state === "unsellable" && reason !== undefined && <code className="text-xs">{reason}</code>}
        {state === "unsellable" && retryAtMs !== undefined && (
          <span className="text-xs text-muted">
            next attempt <Time ms={retryAtMs} />
          </span>
        )}
      </span>
    )
  }
]

const saleColumns = (book: TokenBook): ReadonlyArray<Column<Sale>> => [
  { title: "Planned", cell: ({ openedAtMs }) => <Time ms={openedAtMs} /> },
  {
    title: "Sold",
    align: "right",
    cell: ({ amount, chainId, feeAmount = 0n, token }) => (
      <Amount token={book.token(chainId, token)} value={amount - feeAmount} />
    )
  },
  {
    title: "Arrived",
    align: "right",
    cell: ({ amountOut, asset, chainId }) =>
      amountOut === undefined ? (
        <span className="text-muted">–</span>
      ) : (
        <Amount token={book.token(chainId, asset)} value={amountOut} />
      )
  },
  {
    title: "State",
    cell: ({ reason, state }) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        <Tagged of={SALES[state]} />
        {reason !== undefined && <code className="text-xs">{reason}</code>}
      </span>
    )
  },
  {
    title: "Transaction",
    cell: ({ chainId, txHash }) =>
      txHash === undefined ? (
        <span className="text-muted">none</span>
      ) : (
        <Address href={explorer.transaction(book.chain(chainId), txHash)} label="transaction hash" value={txHash} />
      )
  }
]

function NextRound({ view: { chains, nextRoundAtMs } }: { readonly view: TreasuryView }) {
  if (nextRoundAtMs !== undefined) {
    return (
      <>
        Next sale <Time ms={nextRoundAtMs} />.
      </>
    )
  }
  const states = new Set(chains.map(({ selling }) => selling))
  if (states.has("on")) {
    return (
      <>
        Sold on request, with <code>sweep treasury sell</code>.
      </>
    )
  }
  return states.has("shared_vault") && !states.has("no_key") && !states.has("other_key") ? (
    <>
      The service sells nothing, because the fee recipient is the builders&apos; vault, too. Remove the chain from{" "}
      <code>TREASURY_ASSETS</code> first. Set <code>builderVault</code> as{" "}
      <code>docs/how-to/turn-fees-into-money.md</code> says: what builders are owed is sold otherwise.
    </>
  ) : (
    <>
      The service sells nothing. <code>sweep treasury plan</code> prints the sales for a Safe.
    </>
  )
}

function Books({ view }: { readonly view: TreasuryView }) {
  const book = useTokenBook()
  return (
    <>
      <Card description={<NextRound view={view} />} flush title="Books">
        {view.entries.length === 0 ? (
          <EmptyState icon="wallet" title="No fees yet">
            The fee of each settled sweep is counted here.
          </EmptyState>
        ) : (
          <Table
            caption="Collected fees by token"
            columns={entryColumns(book)}
            rowKey={({ chainId, token }) => tokenKey(chainId, token)}
            rows={view.entries}
          />
        )}
      </Card>
      <Card description="Newest first" flush title="Sales">
        {view.sales.length === 0 ? (
          <EmptyState icon="payout" title="No sales yet" />
        ) : (
          <Table
            caption="Sales of collected fees"
            columns={saleColumns(book)}
            rowKey={({ id }) => id}
            rows={view.sales}
          />
        )}
      </Card>
      <Card flush title="Fee recipients">
        <Table
          caption="Fee recipients by chain"
          columns={chainColumns(book)}
          rowKey={({ chainId }) => String(chainId)}
          rows={view.chains}
        />
      </Card>
      <p className="text-sm text-muted">
        Sold: without the fees that sales pay to the fee recipient itself. Lost: held, and not sellable at present.
        Unexplained: held without a fee or a sale behind it, or withdrawn if negative.
      </p>
    </>
  )
}

export function FeesPage() {
  const found = useQuery(collectedFees)
  const missing = missingSettings(found.error)
  return (
    <Page description="Fees that sweeps paid, and their sales." title="Collected fees">
      {missing !== undefined ? (
        <NotConfigured missing={missing} />
      ) : found.isError ? (
        <Card>
          <ErrorState error={found.error} retry={found.refetch} />
        </Card>
      ) : found.data === undefined ? (
        <Skeleton className="h-64 w-full" />
      ) : (
        <Books view={found.data} />
      )}
    </Page>
  )
}
