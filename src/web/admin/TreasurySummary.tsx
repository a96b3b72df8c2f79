/** Dollars that the deployment holds: collected fees, and the vaults' cover of what builders are owed. At the prices of now. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { usePriceOf } from "../api/prices.ts"
import type { TokenBook } from "../api/tokens.ts"
import { dollars, total, valueUsd } from "../lib/usd.ts"
import { Card } from "../ui/Card.tsx"
import { ErrorState, Skeleton } from "../ui/States.tsx"
import { collectedFees, treasury } from "./queries.ts"

/** Undefined for an amount that cannot be valued. */
type Value = string | undefined

/** The sum of the known values, and the number of amounts that are not in it. */
function Sum({ values }: { readonly values: ReadonlyArray<Value> | undefined }) {
  if (values === undefined) return <Skeleton className="h-6 w-20" />
  const known = values.filter((value) => value !== undefined)
  const unknown = values.length - known.length
  return (
    <>
      {known.length === 0 && unknown > 0 ? "Unknown" : dollars(total(known))}
      {unknown > 0 && (
        <span className="block text-sm font-normal text-muted">
          {unknown === 1 ? "1 amount" : `${unknown.toLocaleString()} amounts`} without a known value not counted
        </span>
      )}
    </>
  )
}

function Figure({ children, label }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="text-lg font-semibold tabular-nums">{children}</dd>
    </div>
  )
}

const LINK = "text-accent hover:underline"

export function TreasurySummary({ book }: { readonly book: TokenBook }) {
  const fees = useQuery(collectedFees)
  const vaults = useQuery(treasury)
  const priceOf = usePriceOf()
  const held = fees.data?.entries.flatMap(({ held, valueUsd: value }): ReadonlyArray<Value> =>
    held === 0n ? [] : [value]
  )
  const positions = priceOf === undefined ? undefined : vaults.data?.positions
  const valued = (of: (position: NonNullable<typeof positions>[number]) => bigint | undefined) =>
    positions?.flatMap((position): ReadonlyArray<Value> => {
      const amount = of(position)
      if (amount === 0n) return []
      const decimals = book.token(position.chainId, position.token)?.decimals
      const price = priceOf?.(position.chainId, position.token)
      const isKnown = amount !== undefined && decimals !== undefined && price !== undefined
      return [isKnown ? valueUsd(amount, decimals, price) : undefined]
    })
  const failed = [fees, vaults].find(({ isError }) => isError)
  return (
    <Card description="At the prices of now" title="Treasury">
      {failed !== undefined ? (
        <ErrorState error={failed.error} retry={failed.refetch} />
      ) : (
        <>
          <dl className="grid grid-cols-1 gap-4 sm:grid-cols-3">
            <Figure label="Collected fees held">
              <Sum values={held} />
            </Figure>
            <Figure label="Owed to builders">
              <Sum values={valued(({ owed }) => (owed > 0n ? owed : 0n))} />
            </Figure>
            <Figure label="In the vaults for them">
              <Sum values={valued(({ vaultBalance }) => vaultBalance)} />
            </Figure>
          </dl>
          <p className="mt-4 flex flex-wrap gap-x-4 text-sm">
            <Link className={LINK} to="/admin/fees">
              Collected fees by token
            </Link>
            <Link className={LINK} to="/admin/revenue">
              Vaults by token
            </Link>
          </p>
        </>
      )}
    </Card>
  )
}
