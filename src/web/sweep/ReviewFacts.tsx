/** Facts that the owner must know before signing. They come from the reviewed order only. */
import type { ReactNode } from "react"
import { sameAddress } from "../../sdk/model/Address.ts"
import { type Guarantee, type SweepReview, toJson } from "../../sdk/index.ts"
import { exact, readable } from "../lib/amounts.ts"
import { account } from "../lib/explorer.ts"
import { atMoment } from "../lib/time.ts"
import { worth } from "../lib/usd.ts"
import { Address } from "../ui/Address.tsx"
import { Banner } from "./Banner.tsx"
import { chainName, type Unit, unitOf } from "./catalog.ts"
import { useSession } from "./session.ts"

interface PricedUnit extends Unit {
  readonly priceUsd?: string | null
}

export interface ReviewFactsProps {
  readonly review: SweepReview
  readonly sent: PricedUnit
  readonly received: Unit
  readonly secondsLeft: number
}

const GUARANTEES: Readonly<Record<Guarantee, string>> = {
  order: "Your signature fixes this minimum. If less would arrive, nothing is sent.",
  bridge: "The bridge's contract guarantees this. If no relayer delivers, it refunds your account.",
  service: "Only the service states this. See the warnings above."
}

function Value({
  strong = false,
  unit,
  value
}: {
  readonly value: bigint
  readonly unit: PricedUnit
  readonly strong?: boolean
}) {
  const { decimals, priceUsd = null, symbol } = unit
  return (
    <span className="tabular-nums" title={`${exact(value, decimals)} ${symbol}`}>
      <span className={strong ? "font-semibold" : undefined}>
        {readable(value, decimals)} {symbol}
      </span>
      {priceUsd !== null && <span className="text-muted"> · {worth(value, decimals, priceUsd)}</span>}
    </span>
  )
}

function Fact({
  children,
  label,
  note
}: {
  readonly label: string
  readonly children: ReactNode
  readonly note?: ReactNode
}) {
  return (
    <div className="grid grid-cols-1 gap-x-6 gap-y-0.5 py-2.5 sm:grid-cols-[9.5rem_1fr]">
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0">
        {children}
        {note !== undefined && <div className="text-sm text-muted">{note}</div>}
      </dd>
    </div>
  )
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

/** `1:05`. */
const clock = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`

/** The token that crosses the bridge after a swap. The owner gets it back if the deposit is not filled. */
function Crossing({ sent, via }: { readonly sent: Unit; readonly via: NonNullable<SweepReview["receive"]["via"]> }) {
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

function Exactly({ review }: { readonly review: SweepReview }) {
  const { authorization, owner, quoteId, typedData } = review
  return (
    <details className="group">
      <summary className="rounded-sm py-1 text-sm font-medium text-accent">Exactly what is signed</summary>
      <dl className="mt-1 divide-y divide-line text-sm">
        <Fact label="Account">
          <Address label="the account" value={owner} />
        </Fact>
        <Fact label="Quote">
          <span className="font-mono break-all">{quoteId}</span>
        </Fact>
        <Fact label="Authorization" note={`Chain ${authorization.chainId}, account nonce ${authorization.nonce}`}>
          <Address label="the authorized contract" value={authorization.address} />
        </Fact>
        <Fact label="Order (EIP-712)">
          <pre
            aria-label="The order that you sign"
            className="max-h-56 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs"
            role="region"
            tabIndex={0}
          >
            {JSON.stringify(JSON.parse(toJson(typedData)), null, 2)}
          </pre>
        </Fact>
      </dl>
    </details>
  )
}

function Amounts({ received, review, sent }: Pick<ReviewFactsProps, "received" | "review" | "sent">) {
  const { catalog } = useSession()
  const { receive, send } = review
  return (
    <dl className="relative grid gap-2 sm:grid-cols-2">
      <Panel label="You send" note={`on ${chainName(catalog.chain(send.chainId), send.chainId)}`}>
        <Value strong unit={sent} value={send.amount} />
      </Panel>
      <Panel
        label="You receive at least"
        note={
          <>
            on {chainName(catalog.chain(receive.chainId), receive.chainId)} · expected{" "}
            {readable(receive.estimatedAmount, received.decimals)}
          </>
        }
      >
        <Value strong unit={received} value={receive.minAmount} />
      </Panel>
    </dl>
  )
}

function Fees({ review, sent }: Pick<ReviewFactsProps, "review" | "sent">) {
  const { catalog } = useSession()
  const { fees, send } = review
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

export function ReviewFacts({ received, review, secondsLeft, sent }: ReviewFactsProps) {
  const { catalog } = useSession()
  const { deadline, delegate, owner, receive, send, warnings } = review
  const [source, destination] = [catalog.chain(send.chainId), catalog.chain(receive.chainId)]
  const isOwn = sameAddress(owner, receive.destination)
  return (
    <div className="flex flex-col gap-3">
      {warnings.length > 0 && (
        <Banner tone="warn">
          <ul className="flex flex-col gap-1.5">
            {warnings.map((warning) => (
              <li key={warning}>{warning.charAt(0).toUpperCase() + warning.slice(1)}.</li>
            ))}
          </ul>
        </Banner>
      )}
      <Amounts received={received} review={review} sent={sent} />
      <dl className="divide-y divide-line">
        <Fees review={review} sent={sent} />
        {receive.via !== undefined && <Crossing sent={sent} via={receive.via} />}
        <Fact label="Guarantee">{GUARANTEES[receive.guaranteedBy]}</Fact>
        <Fact label="To" note={isOwn ? "Your own address" : "Not your own address"}>
          <Address
            full
            href={account(destination, receive.destination)}
            label="the destination"
            value={receive.destination}
          />
        </Fact>
        <Fact label="Valid" note={`Once submitted, it settles by ${atMoment(deadline.getTime())} or not at all.`}>
          {secondsLeft > 0 ? (
            <span className="tabular-nums">
              for{" "}
              <span className={secondsLeft <= 20 ? "font-semibold text-warn" : "font-medium"}>
                {clock(secondsLeft)}
              </span>{" "}
              more
            </span>
          ) : (
            <span className="font-medium text-warn">expired</span>
          )}
        </Fact>
        <Fact
          label="Your account runs"
          note="From this sweep until you revoke it. It moves nothing without an order that you signed."
        >
          <Address href={account(source, delegate)} label="the delegate" value={delegate} />
        </Fact>
      </dl>
      <Exactly review={review} />
    </div>
  )
}
