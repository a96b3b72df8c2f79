/** The owner's tokens on all chains: presets, search, the tokens that can be swept, and those that stay with the reason. */
import { type ReactNode, useCallback, useMemo, useRef, useState } from "react"
import { afterPaint, usePainted } from "../lib/usePainted.ts"
import { Icon } from "../ui/Icon.tsx"
import { EmptyState, Skeleton } from "../ui/States.tsx"
import { ALL, HoldingsToolbar, type Shown } from "./HoldingsToolbar.tsx"
import { isFound } from "./selection.ts"
import { useSession } from "./session.ts"
import { TokenRows } from "./TokenRows.tsx"
import type { Selection } from "./useSelection.ts"
import { needsCare } from "./warning.ts"

export function HoldingsSkeleton() {
  return (
    <ul aria-busy="true" aria-label="Loading your tokens" className="divide-y divide-line">
      {Array.from({ length: 6 }, (_, index) => (
        <li className="flex h-[68px] items-center gap-3 px-4 sm:px-5" key={index}>
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

function Nothing({ areAllKnown }: { readonly areAllKnown: boolean }) {
  const { isLocal } = useSession()
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

/** Tokens that cannot be swept, closed at first. */
function Staying({ children, count }: { readonly count: number; readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        aria-expanded={isOpen}
        className="flex w-full items-center gap-2 px-4 py-3 text-left text-sm font-medium text-muted hover:bg-canvas hover:text-ink sm:px-5"
        onClick={() => setOpen(!isOpen)}
        type="button"
      >
        <span className={isOpen ? "rotate-90" : ""}>
          <Icon name="chevron" size={13} />
        </span>
        {count === 1 ? "1 that cannot be swept" : `${count} that cannot be swept`}, and why
      </button>
      {isOpen && <div className="border-t border-line">{children}</div>}
    </>
  )
}

export function Holdings({ areAllKnown, selection }: { readonly selection: Selection; readonly areAllKnown: boolean }) {
  const { catalog } = useSession()
  const { chosen, entries, setAmount, tick } = selection
  const [shown, setShown] = useState<Shown>(ALL)
  const [search, setSearch] = useState("")
  const [edited, setEdited] = useState<string>()
  const latest = useRef({ tick, setAmount })
  latest.current = { tick, setAmount }
  /** Ticks that are painted and not acted on yet. Those of one frame are one change, since each would begin from the same ticks. */
  const waiting = useRef(new Map<string, boolean>())
  const onTick = useCallback((key: string, isWanted: boolean) => {
    waiting.current.set(key, isWanted)
    if (waiting.current.size > 1) return
    afterPaint(() => {
      const changes = waiting.current
      waiting.current = new Map()
      latest.current.tick(changes)
    })
  }, [])
  const onAmount = useCallback((key: string, amount: bigint | null) => {
    latest.current.setAmount(key, amount)
    latest.current.tick([[key, true]])
  }, [])
  const onEdit = useCallback((key: string) => setEdited((last) => (last === key ? undefined : key)), [])
  const actions = useMemo(() => ({ onTick, onAmount, onEdit }), [onTick, onAmount, onEdit])
  const wanted = usePainted(search)
  const matching = useMemo(
    () => entries.filter(({ token }) => (shown === ALL || token.chainId === shown) && isFound(token, wanted)),
    [entries, shown, wanted]
  )
  if (entries.length === 0) return <Nothing areAllKnown={areAllKnown} />
  const free = matching.filter(({ obstacle }) => obstacle === undefined)
  const others = matching.filter(({ obstacle }) => obstacle !== undefined)
  /** Tokens that need care are ticked one by one. */
  const plain = free.filter(({ token }) => !needsCare(token))
  const areAllChosen = plain.length > 0 && plain.every(({ isChosen }) => isChosen)
  return (
    <>
      <HoldingsToolbar
        areAllChosen={areAllChosen}
        chainIds={catalog.chains
          .filter(({ id }) => entries.some(({ token }) => token.chainId === id))
          .map(({ id }) => id)}
        chosen={chosen.length}
        found={plain.length}
        onAll={() => tick(plain.map(({ key }) => [key, !areAllChosen]))}
        onChain={setShown}
        onSearch={setSearch}
        search={search}
        selection={selection}
        shown={shown}
      />
      {free.length === 0 ? (
        <p className="px-4 py-6 text-center text-muted sm:px-5">
          {matching.length === 0
            ? "No token matches."
            : "None of these tokens can be swept to the target. Choose another token or chain."}
        </p>
      ) : (
        <TokenRows actions={actions} edited={edited} entries={free} label="Your tokens" />
      )}
      {others.length > 0 && (
        <Staying count={others.length}>
          <TokenRows actions={actions} edited={undefined} entries={others} label="Tokens that cannot be swept" />
        </Staying>
      )}
    </>
  )
}
