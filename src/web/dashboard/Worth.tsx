/** Values of amounts in US dollars. Its script is loaded when the first amount is shown. */
import { type PriceOf, usePriceOf } from "../api/prices.ts"
import type { TokenBook } from "../api/tokens.ts"
import { dollars, sumOf, worth } from "../lib/usd.ts"
import { Stat } from "../ui/Card.tsx"
import { Skeleton } from "../ui/States.tsx"

export interface WorthProps {
  readonly chainId: number | undefined
  readonly token: string
  readonly decimals: number
  /** In the token's smallest unit. */
  readonly value: bigint
}

/** Renders nothing without a price. */
export function Worth({ chainId, decimals, token, value }: WorthProps) {
  const price = usePriceOf()?.(chainId, token)
  return price === undefined ? null : <>{worth(value, decimals, price)}</>
}

interface Balance {
  readonly chainId?: number
  readonly token: string
  readonly amount: bigint
}

/** The known value of balances, and the number of those whose value is not known. */
const valueOf = (balances: ReadonlyArray<Balance>, book: TokenBook, priceOf: PriceOf) =>
  sumOf(
    balances.map(({ amount, chainId, token }) => ({
      amount,
      decimals: book.token(chainId, token)?.decimals,
      priceUsd: priceOf(chainId, token)
    }))
  )

const tokens = (count: number): string => (count === 1 ? "1 token" : `${count.toLocaleString()} tokens`)

export interface WorthStatProps {
  readonly label: string
  /** Undefined while they are loaded. */
  readonly balances: ReadonlyArray<Balance> | undefined
  readonly book: TokenBook
  /** Note for no balance, and for balances that are all priced. */
  readonly none: string
  readonly all: string
}

/** A sum in US dollars. It never counts a token without a price as nothing: the note names their number. */
export function WorthStat({ all, balances, book, label, none }: WorthStatProps) {
  const priceOf = usePriceOf()
  if (balances?.length === 0) return <Stat label={label} note={none} value="$0.00" />
  if (balances === undefined || priceOf === undefined)
    return <Stat label={label} value={<Skeleton className="h-6 w-20" />} />
  const { unpriced, usd } = valueOf(balances, book, priceOf)
  if (unpriced === balances.length)
    return <Stat label={label} note={`${tokens(unpriced)} without a known price`} value="Unknown" />
  return (
    <Stat
      label={label}
      note={unpriced === 0 ? all : `and ${tokens(unpriced)} without a known price`}
      value={dollars(usd)}
    />
  )
}
