/** The owner's tokens on all chains. Those worth sweeping can be chosen, and the others have a reason. */
import { useState } from "react"
import type { SweepableToken } from "../../sdk/index.ts"
import { exact, readable } from "../lib/amounts.ts"
import { classes } from "../lib/classes.ts"
import { byValue, dollars } from "../lib/usd.ts"
import { Badge } from "../ui/Badge.tsx"
import { EmptyState, Skeleton } from "../ui/States.tsx"
import { chainName, keyOf, type Place } from "./catalog.ts"
import { obstacle as obstacleTo } from "./obstacle.ts"
import { useSession } from "./session.ts"
import { TokenMark } from "./TokenMark.tsx"
import { needsCare, warningOf } from "./warning.ts"

const ALL = "all"

/** The chain whose tokens are shown, or all chains. */
type Shown = number | typeof ALL

function Row({
  isChosen,
  obstacle,
  onToggle,
  token
}: {
  readonly token: SweepableToken
  /** The reason why it cannot be chosen. */
  readonly obstacle: string | undefined
  readonly isChosen: boolean
  readonly onToggle?: () => void
}) {
  const { catalog } = useSession()
  const { address, balance, chainId, decimals, estimatedNetUsd, name, symbol, valueUsd } = token
  const warning = warningOf(token)
  const chain = chainName(catalog.chain(chainId), chainId)
  return (
    <li>
      <label
        className={classes(
          "flex min-h-16 items-center gap-3 px-4 py-2.5 sm:px-5",
          obstacle === undefined ? "cursor-pointer hover:bg-canvas" : "cursor-not-allowed",
          "has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent"
        )}
      >
        <input
          checked={isChosen}
          className="size-4.5 shrink-0 accent-(--accent-fill) outline-none"
          disabled={obstacle !== undefined}
          onChange={() => onToggle?.()}
          type="checkbox"
        />
        <TokenMark chainId={chainId} symbol={symbol} />
        <span className="min-w-0 flex-1">
          <span className="flex min-w-0 items-center gap-2">
            <span className="truncate font-medium">{symbol}</span>
            {warning !== undefined && <Badge tone={warning.tone}>{warning.word}</Badge>}
          </span>
          <span className="block text-sm text-muted max-sm:line-clamp-2 sm:truncate">
            on {chain}
            {obstacle === undefined && name === symbol ? "" : ` · ${obstacle ?? name}`}
          </span>
          {warning !== undefined && (
            <span className="block text-sm text-muted">
              {warning.text}
              {token.standing !== undefined && <span className="block truncate font-mono text-xs">{address}</span>}
            </span>
          )}
        </span>
        <span className="shrink-0 text-right tabular-nums">
          <span className="block font-medium">{valueUsd === null ? "no price" : dollars(valueUsd)}</span>
          <span className="block text-sm text-muted" title={`${exact(balance, decimals)} ${symbol}`}>
            {readable(balance, decimals, 4)} {symbol}
          </span>
          {obstacle === undefined && estimatedNetUsd !== null && (
            <span className="sr-only">, about {dollars(estimatedNetUsd)} after fees</span>
          )}
        </span>
      </label>
    </li>
  )
}

export function HoldingsSkeleton() {
  return (
    <ul aria-busy="true" aria-label="Loading your tokens" className="divide-y divide-line">
      {Array.from({ length: 5 }, (_, index) => (
        <li className="flex min-h-16 items-center gap-3 px-4 py-2.5 sm:px-5" key={index}>
          <Skeleton className="size-4.5" />
          <Skeleton className="size-9 rounded-full" />
          <span className="flex flex-1 flex-col gap-1.5">
            <Skeleton className="h-4 w-28" />
            <Skeleton className="h-3.5 w-20" />
          </span>
          <Skeleton className="h-4 w-16" />
        </li>
      ))}
    </ul>
  )
}

export interface HoldingsProps {
  /** False while tokens of a chain are missing. */
  readonly areAllKnown: boolean
  readonly tokens: ReadonlyArray<SweepableToken>
  readonly to: Place | undefined
  readonly isChosen: (token: SweepableToken) => boolean
  readonly onToggle: (tokens: ReadonlyArray<SweepableToken>, isChosen: boolean) => void
}

/** Chooses all tokens that can be swept, and the chain whose tokens are shown. */
function Toolbar({
  areAllChosen,
  canChoose,
  chainId,
  chainIds,
  onChain,
  onToggleAll
}: {
  readonly areAllChosen: boolean
  readonly canChoose: boolean
  readonly chainId: Shown
  readonly chainIds: ReadonlyArray<number>
  readonly onChain: (shown: Shown) => void
  readonly onToggleAll: () => void
}) {
  const { catalog } = useSession()
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 sm:px-5">
      <label className="flex cursor-pointer items-center gap-3 text-sm font-medium">
        <input
          checked={areAllChosen}
          className="size-4.5 accent-(--accent-fill)"
          disabled={!canChoose}
          onChange={onToggleAll}
          type="checkbox"
        />
        All that can be swept
      </label>
      {chainIds.length > 1 && (
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">Show tokens of</legend>
          {([ALL, ...chainIds] as const).map((id) => (
            <label
              className={classes(
                "cursor-pointer rounded-full px-2.5 py-1 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent",
                chainId === id ? "bg-accent-soft font-medium text-accent" : "text-muted hover:bg-sunken hover:text-ink"
              )}
              key={id}
            >
              <input
                checked={chainId === id}
                className="sr-only"
                name="shown chain"
                onChange={() => onChain(id)}
                type="radio"
              />
              {id === ALL ? "All chains" : chainName(catalog.chain(id), id)}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  )
}

export function Holdings({ areAllKnown, isChosen, onToggle, to, tokens }: HoldingsProps) {
  const { catalog, isLocal } = useSession()
  const [chainId, setChainId] = useState<Shown>(ALL)
  if (tokens.length === 0) {
    return (
      <EmptyState icon="wallet" title={areAllKnown ? "Nothing to sweep" : "Nothing found yet"}>
        {!areAllKnown
          ? "This account holds no listed token on the chains that answered."
          : isLocal
            ? "This account holds no listed token. The accounts in .sweep/dev.json hold all of them."
            : "This account holds no listed token on the supported chains."}
      </EmptyState>
    )
  }
  const chains = catalog.chains.filter(({ id }) => tokens.some((token) => token.chainId === id))
  const shown = tokens
    .filter((token) => chainId === ALL || token.chainId === chainId)
    .map((token) => ({ token, obstacle: obstacleTo(catalog, token, to) }))
    .toSorted((a, b) => byValue(a.token.valueUsd, b.token.valueUsd))
  const others = shown.filter(({ obstacle }) => obstacle !== undefined)
  const free = shown.flatMap(({ obstacle, token }) => (obstacle === undefined ? [token] : []))
  /** Tokens that need care are chosen one by one. */
  const plain = free.filter((token) => !needsCare(token))
  const areAllChosen = plain.length > 0 && plain.every(isChosen)
  return (
    <>
      <Toolbar
        areAllChosen={areAllChosen}
        canChoose={plain.length > 0}
        chainId={chainId}
        chainIds={chains.map(({ id }) => id)}
        onChain={setChainId}
        onToggleAll={() => onToggle(plain, !areAllChosen)}
      />
      {free.length === 0 ? (
        <p className="px-4 py-6 text-center text-muted sm:px-5">
          None of these tokens can be swept to the target. Choose another token or chain.
        </p>
      ) : (
        <ul aria-label="Your tokens" className="divide-y divide-line">
          {free.map((token) => (
            <Row
              isChosen={isChosen(token)}
              key={keyOf(token)}
              obstacle={undefined}
              onToggle={() => onToggle([token], !isChosen(token))}
              token={token}
            />
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <details className="border-t border-line">
          <summary className="px-4 py-3 text-sm font-medium text-muted hover:bg-canvas hover:text-ink sm:px-5">
            {others.length === 1 ? "1 that stays" : `${others.length} that stay`}, and why
          </summary>
          <ul aria-label="Tokens that stay" className="divide-y divide-line border-t border-line">
            {others.map(({ obstacle, token }) => (
              <Row isChosen={false} key={keyOf(token)} obstacle={obstacle} token={token} />
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
