/** Everything that a text names: sweeps, builders, payout batches, and the parts of an address in the deployment. */
import { useQuery } from "@tanstack/react-query"
import { Link, Navigate, useSearch } from "@tanstack/react-router"
import type { BuilderAccount } from "../../domain/Builder.ts"
import type { AddressRole, FoundByOrchestrator, FoundSweep } from "../../domain/SweepStory.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import { Address } from "../ui/Address.tsx"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState, Skeleton } from "../ui/States.tsx"
import { Time } from "../ui/Time.tsx"
import { missingSettings, NotConfigured } from "./NotConfigured.tsx"
import { foundInBooks, foundSweeps } from "./queries.ts"
import { statusOf } from "./story/words.ts"

const ROLES: Readonly<Record<AddressRole["role"], string>> = {
  lane: "Lane of the relayer",
  delegate: "Delegate contract",
  guard: "Guard contract",
  entry: "Entry contract",
  fee_recipient: "Fee recipient",
  builder_vault: "Builders' vault",
  router: "Router",
  bridge: "Bridge",
  token: "Token"
}

function SweepRow({ book, sweep }: { readonly book: TokenBook; readonly sweep: FoundSweep }) {
  const [label, tone] = statusOf(sweep.status)
  const source = book.chainName(sweep.sourceChainId)
  return (
    <li className="px-4 py-3 sm:px-5">
      <Link
        className="flex flex-wrap items-center gap-2 font-medium hover:underline"
        params={{ id: sweep.id }}
        to="/admin/sweeps/$id"
      >
        <Badge tone={tone}>{label}</Badge>
        <Amount token={book.token(sweep.sourceChainId, sweep.tokenIn)} value={sweep.amountIn} />
        <span>
          {sweep.sourceChainId === sweep.destChainId
            ? `on ${source}`
            : `${source} → ${book.chainName(sweep.destChainId)}`}
        </span>
      </Link>
      <p className="mt-1 flex flex-wrap items-center gap-x-3 text-sm text-muted">
        <span className="font-mono text-xs break-all">{sweep.id}</span>
        <Address label="owner" value={sweep.owner} />
        <span>
          quoted <Time ms={sweep.createdAtMs} />
        </span>
      </p>
    </li>
  )
}

function Sweeps({ book, found }: { readonly book: TokenBook; readonly found: FoundByOrchestrator }) {
  if (found.sweeps.length === 0) return null
  return (
    <Card
      description={
        found.batch === undefined ? undefined : "Their owner signed them together, as one batch with this identifier."
      }
      flush
      title="Sweeps"
    >
      <ul className="divide-y divide-line">
        {found.sweeps.map((sweep) => (
          <SweepRow book={book} key={sweep.id} sweep={sweep} />
        ))}
      </ul>
      {found.more && (
        <p className="border-t border-line px-4 py-3 text-sm text-muted sm:px-5">
          These are the newest {found.sweeps.length}. Search for an intent or a transaction to find an older one.
        </p>
      )}
    </Card>
  )
}

function Roles({ book, roles }: { readonly book: TokenBook; readonly roles: ReadonlyArray<AddressRole> }) {
  if (roles.length === 0) return null
  return (
    <Card title="This address">
      <ul className="flex flex-col gap-1">
        {roles.map(({ chainId, name, role }) => (
          <li key={`${role} ${chainId}`}>
            {ROLES[role]} {name === undefined ? "" : `${name} `}on {book.chainName(chainId)}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Builders({ builders }: { readonly builders: ReadonlyArray<BuilderAccount> }) {
  if (builders.length === 0) return null
  return (
    <Card flush title="Builders">
      <ul className="divide-y divide-line">
        {builders.map(({ id, name, payoutAddress, suspendedAtMs }) => (
          <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 sm:px-5" key={id}>
            <Link className="font-medium hover:underline" params={{ id }} to="/admin/builders/$id">
              {name}
            </Link>
            {suspendedAtMs !== undefined && <Badge tone="bad">Suspended</Badge>}
            <span className="font-mono text-xs break-all text-muted">{id}</span>
            <Address label="payout address" value={payoutAddress} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Results({ q }: { readonly q: string }) {
  const book = useTokenBook()
  const sweeps = useQuery(foundSweeps(q))
  const books = useQuery(foundInBooks(q))
  const missing = missingSettings(sweeps.error)
  const found = sweeps.data
  if (sweeps.isPending || books.isPending) return <Skeleton className="h-40 w-full" />
  const builders = books.data?.builders ?? []
  const payout = books.data?.payout
  const others = builders.length + (payout === undefined ? 0 : 1) + (found?.roles.length ?? 0)
  const [only, ...more] = found?.sweeps ?? []
  if (only !== undefined && more.length === 0 && others === 0) {
    return <Navigate params={{ id: only.id }} replace to="/admin/sweeps/$id" />
  }
  const isNothing = only === undefined && others === 0
  return (
    <>
      {missing !== undefined && <NotConfigured missing={missing} />}
      {sweeps.isError && missing === undefined && (
        <Card title="Sweeps">
          <ErrorState error={sweeps.error} retry={sweeps.refetch} />
        </Card>
      )}
      {books.isError && (
        <Card title="Builders">
          <ErrorState error={books.error} retry={books.refetch} />
        </Card>
      )}
      {found !== undefined && <Roles book={book} roles={found.roles} />}
      {found !== undefined && <Sweeps book={book} found={found} />}
      <Builders builders={builders} />
      {payout !== undefined && (
        <Card title="Payout batch">
          <Link
            className="font-mono text-sm break-all text-accent hover:underline"
            params={{ id: payout.id }}
            to="/admin/payouts/$id"
          >
            {payout.id}
          </Link>
        </Card>
      )}
      {isNothing && found !== undefined && books.isSuccess && (
        <Card>
          <EmptyState icon="search" title="Nothing has this name">
            Paste the whole id, hash or address. A transaction is found by the hash of any version that this service
            sent, and by that of a delivery on another chain. Quotes that nobody signed are found by their id alone.
          </EmptyState>
        </Card>
      )}
    </>
  )
}

export function SearchPage() {
  const { q } = useSearch({ from: "/admin/search" })
  return (
    <Page description={q === "" ? undefined : `For “${q}”`} title="Search">
      {q === "" ? (
        <Card>
          <EmptyState icon="search" title="Search for anything">
            The id of an intent or a batch, the hash of a transaction, an address, or the name of a builder. A link to
            an explorer works as well.
          </EmptyState>
        </Card>
      ) : (
        <Results key={q} q={q} />
      )}
    </Page>
  )
}
