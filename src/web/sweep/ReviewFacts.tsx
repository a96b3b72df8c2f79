/** Facts about one token that the owner must know before signing. They come from the reviewed order only. */
import type { ReactNode } from "react"
import type { Guarantee, ReviewedLeg } from "../../sdk/index.ts"
import { readable } from "../lib/amounts.ts"
import { chainName } from "../lib/chainName.ts"
import { account } from "../lib/explorer.ts"
import { atMoment } from "../lib/time.ts"
import { Address } from "../ui/Address.tsx"
import { type Unit, unitOf } from "./catalog.ts"
import { useSession } from "./session.ts"
import { Fact, type PricedUnit, Value } from "./Value.tsx"

export interface ReviewFactsProps {
  readonly leg: ReviewedLeg
  readonly sent: PricedUnit
  readonly received: Unit
}

const GUARANTEES: Readonly<Record<Guarantee, string>> = {
  order: "Your signature fixes this minimum. If less would arrive, nothing is sent.",
  bridge: "The bridge's contract guarantees this. If no relayer delivers, it refunds your account.",
  service: "Only the service states this. See the warnings."
}

function Panel({
  children,
  label,
  note
}: {
  readonly label: string
  readonly children: ReactNode
  readonly note: ReactNode
}) {
  return (
    <div className="min-w-0 rounded-md bg-sunken px-4 py-3">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="min-w-0 break-words">
        <div className="text-lg">{children}</div>
        <div className="text-sm text-muted">{note}</div>
      </dd>
    </div>
  )
}

/** The token that crosses the bridge after a swap. The owner gets it back if the deposit is not filled. */
function Crossing({ sent, via }: { readonly sent: Unit; readonly via: NonNullable<ReviewedLeg["receive"]["via"]> }) {
  const { catalog } = useSession()
  const chain = catalog.chain(via.chainId)
  const on = chainName(chain, via.chainId)
  const unit = unitOf(catalog, { chainId: via.chainId, address: via.token })
  return (
    <Fact
      label="Over the bridge"
      note={
        <>
          Your {sent.symbol} is swapped into {unit.symbol} on {on} first, which crosses the bridge. If no relayer
          delivers, {unit.symbol} comes back to your account on {on}, not {sent.symbol}.
        </>
      }
    >
      at least <Value unit={unit} value={via.minAmount} /> ·{" "}
      <Address href={account(chain, via.token)} label="the token that crosses the bridge" value={via.token} />
    </Fact>
  )
}

/** The token that crosses the bridge and is swapped on arrival. It arrives as it is if that swap fails. */
function Instead({
  chainId,
  instead,
  received
}: {
  readonly chainId: number
  readonly instead: NonNullable<ReviewedLeg["receive"]["insteadIfSwapFails"]>
  readonly received: Unit
}) {
  const { catalog } = useSession()
  const chain = catalog.chain(chainId)
  const unit = unitOf(catalog, { chainId, address: instead.token })
  return (
    <Fact
      label="If the swap fails"
      note={
        <>
          {unit.symbol} crosses the bridge and is swapped into {received.symbol} on {chainName(chain, chainId)}. If the
          price moves too far in that time, {unit.symbol} arrives in place of {received.symbol}.
        </>
      }
    >
      at least <Value unit={unit} value={instead.minAmount} /> ·{" "}
      <Address
        href={account(chain, instead.token)}
        label="the token that arrives if the swap fails"
        value={instead.token}
      />
    </Fact>
  )
}

function Amounts({ leg, received, sent }: ReviewFactsProps) {
  const { catalog } = useSession()
  const { receive, send } = leg
  return (
    <dl className="relative grid gap-2 sm:grid-cols-2">
      <Panel label="You send" note={`on ${catalog.chainName(send.chainId)}`}>
        <Value strong unit={sent} value={send.amount} />
      </Panel>
      <Panel
        label="You receive at least"
        note={
          <>
            on {catalog.chainName(receive.chainId)} · expected {readable(receive.estimatedAmount, received.decimals)}
          </>
        }
      >
        <Value strong unit={received} value={receive.minAmount} />
      </Panel>
    </dl>
  )
}

function Fees({ leg, sent }: Pick<ReviewFactsProps, "leg" | "sent">) {
  const { catalog } = useSession()
  const { fees, send } = leg
  return (
    <Fact
      label="Fees, out of it"
      note={
        <>
          Service and network: {readable(fees.protocol, sent.decimals)} {sent.symbol}
          <br />
          {fees.builderAddress === undefined ? (
            "This app: nothing"
          ) : (
            <>
              This app: {readable(fees.builder, sent.decimals)} {sent.symbol} to{" "}
              <Address
                href={account(catalog.chain(send.chainId), fees.builderAddress)}
                label="the app's address"
                value={fees.builderAddress}
              />
            </>
          )}
        </>
      }
    >
      <Value unit={sent} value={fees.total} />
    </Fact>
  )
}

export function ReviewFacts({ leg, received, sent }: ReviewFactsProps) {
  const { catalog } = useSession()
  const { deadline, delegate, quoteId, receive, send } = leg
  return (
    <div className="flex flex-col gap-3">
      <Amounts leg={leg} received={received} sent={sent} />
      <dl className="divide-y divide-line">
        <Fees leg={leg} sent={sent} />
        {receive.via !== undefined && <Crossing sent={sent} via={receive.via} />}
        {receive.insteadIfSwapFails !== undefined && (
          <Instead chainId={receive.chainId} instead={receive.insteadIfSwapFails} received={received} />
        )}
        <Fact label="Guarantee">{GUARANTEES[receive.guaranteedBy]}</Fact>
        <Fact label="Settles" note="Once submitted, by this time or not at all.">
          by {atMoment(deadline.getTime())}
        </Fact>
        <Fact
          label="Your account runs"
          note="From this sweep until you revoke it. It moves nothing without an order that you signed."
        >
          <Address href={account(catalog.chain(send.chainId), delegate)} label="the delegate" value={delegate} />
        </Fact>
        <Fact label="Quote">
          <span className="font-mono text-sm break-all">{quoteId}</span>
        </Fact>
      </dl>
    </div>
  )
}
