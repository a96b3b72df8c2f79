/** Books of the fee recipient's tokens: collected, sold, arrived, held. Pure. */
import type * as Address from "./Address.ts"
import type { ChainId } from "./ChainId.ts"
import type { Proceeds } from "./Treasury.ts"

/** Fees of settled sweeps in one token. */
export interface CollectedFees {
  readonly chainId: ChainId
  readonly token: Address.Address
  /** In the token's smallest unit. */
  readonly amount: bigint
  readonly sweeps: number
}

/** Sum of settled sales of one token into another. */
export interface SoldFees {
  readonly chainId: ChainId
  readonly token: Address.Address
  readonly asset: Address.Address
  /** Swapped amount, without the fees that return, in the smallest unit of `token`. */
  readonly amount: bigint
  /** In the smallest unit of `asset`. */
  readonly amountOut: bigint
}

/** Books of one token without its balance. */
export interface Book {
  readonly chainId: ChainId
  readonly token: Address.Address
  readonly collected: bigint
  readonly sweeps: number
  readonly sold: bigint
  readonly proceeds: ReadonlyArray<Proceeds>
  readonly arrived: bigint
}

/** Balance that the books foresee. */
export const expected = ({ arrived, collected, sold }: Pick<Book, "arrived" | "collected" | "sold">): bigint =>
  collected + arrived - sold

const keyOf = (chainId: ChainId, token: Address.Address): string => `${chainId} ${token}`

/** Books of every token that was collected, sold or received, ordered by chain and then by token. */
export const booksOf = (
  collected: ReadonlyArray<CollectedFees>,
  sold: ReadonlyArray<SoldFees>
): ReadonlyArray<Book> => {
  const books = new Map<string, Book>()
  const change = (chainId: ChainId, token: Address.Address, by: (book: Book) => Partial<Book>) => {
    const key = keyOf(chainId, token)
    const book = books.get(key) ?? { chainId, token, collected: 0n, sweeps: 0, sold: 0n, proceeds: [], arrived: 0n }
    books.set(key, { ...book, ...by(book) })
  }
  for (const { amount, chainId, sweeps, token } of collected) {
    change(chainId, token, (book) => ({ collected: book.collected + amount, sweeps: book.sweeps + sweeps }))
  }
  for (const { amount, amountOut, asset, chainId, token } of sold) {
    change(chainId, token, (book) => ({
      sold: book.sold + amount,
      proceeds: withProceeds(book.proceeds, { token: asset, amount: amountOut })
    }))
    change(chainId, asset, (book) => ({ arrived: book.arrived + amountOut }))
  }
  return Array.from(books.values()).toSorted((a, b) => a.chainId - b.chainId || (a.token < b.token ? -1 : 1))
}

const withProceeds = (all: ReadonlyArray<Proceeds>, more: Proceeds): ReadonlyArray<Proceeds> => {
  const rest = all.filter(({ token }) => token !== more.token)
  const before = all.find(({ token }) => token === more.token)?.amount ?? 0n
  return [...rest, { token: more.token, amount: before + more.amount }]
}
