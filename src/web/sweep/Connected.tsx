/** The widget for an account: its client, its choices and the page around them. */
import { useCallback, useEffect, useMemo, useRef } from "react"
import { createSweepClient, type Intent, type Node } from "../../sdk/index.ts"
import type { SweepAccount } from "./account.ts"
import { AccountChip } from "./AccountChip.tsx"
import type { Catalog } from "./catalog.ts"
import { Desk } from "./Desk.tsx"
import { type Session, SessionContext } from "./session.ts"
import type { SweepWidgetProps } from "./SweepWidgetProps.ts"
import type { TargetDefaults } from "./target.ts"
import { useSelection } from "./useSelection.ts"
import { useSubmissions } from "./useSubmissions.ts"
import { useWalletChain } from "./useWalletChain.ts"
import { delegatesOf, widgetReview } from "./widgetReview.ts"

const NO_DEFAULTS: TargetDefaults = {}

interface ConnectedProps extends Omit<SweepWidgetProps, "signer" | "nodes" | "sender" | "theme"> {
  readonly account: SweepAccount
  readonly catalog: Catalog
  readonly disconnect: (() => void) | undefined
}

export function Connected({
  account,
  apiKey,
  builderName,
  catalog,
  defaults,
  disconnect,
  heading,
  localNodes,
  onDelivered,
  orchestratorUrl,
  review
}: ConnectedProps) {
  const walletChain = useWalletChain(account)
  const submissions = useSubmissions(orchestratorUrl, account.address)
  const told = useRef(onDelivered)
  useEffect(() => {
    told.current = onDelivered
  }, [onDelivered])
  const tell = useCallback((intent: Intent) => told.current?.(intent), [])
  const client = useMemo(() => {
    const nodes: Record<number, Node> = {}
    for (const { id } of catalog.chains) {
      const node = account.node(id, walletChain)
      if (node !== undefined) nodes[id] = node
    }
    return createSweepClient({ orchestratorUrl, nodes, review: widgetReview(review) })
  }, [orchestratorUrl, account, catalog, review, walletChain])
  const session: Session = {
    client,
    catalog,
    account,
    walletChain,
    submissions,
    apiKey,
    builderName,
    isLocal: localNodes !== undefined,
    delegates: delegatesOf(review),
    onDelivered: tell
  }
  const selection = useSelection(session, defaults ?? NO_DEFAULTS)
  return (
    <SessionContext value={session}>
      <div className="mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        {heading ?? <h2 className="text-xl font-semibold tracking-tight">Sweep</h2>}
        <AccountChip disconnect={disconnect} />
      </div>
      <Desk selection={selection} />
    </SessionContext>
  )
}
