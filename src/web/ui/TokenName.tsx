/** A token's symbol and chain, or the address of an unlisted token. */
import type { TokenBook } from "../api/tokens.ts"
import { account } from "../lib/explorer.ts"
import { Address } from "./Address.tsx"

export interface TokenNameProps {
  readonly book: TokenBook
  readonly chainId: number | undefined
  readonly token: string
}

export function TokenName({ book, chainId, token }: TokenNameProps) {
  const known = book.token(chainId, token)
  const chain = book.chain(chainId)
  if (known === undefined) return <Address href={account(chain, token)} label="token address" value={token} />
  return (
    <span className="inline-flex items-center gap-2">
      <span
        aria-hidden="true"
        className="grid size-6 place-items-center rounded-full bg-accent-soft text-[0.625rem] font-semibold text-accent"
      >
        {known.symbol.slice(0, 2).toUpperCase()}
      </span>
      <span>
        <span className="font-medium">{known.symbol}</span>
        {chain !== undefined && <span className="text-muted"> on {book.chainName(chain.id)}</span>}
      </span>
    </span>
  )
}
