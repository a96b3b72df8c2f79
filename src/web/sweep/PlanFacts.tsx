/** Facts about a whole sweep that the owner must know before signing: totals, receiver, warnings, and the exact data. */
import { sameAddress } from "../../sdk/model/Address.ts"
import { type BatchReview, type ReviewedLeg, toJson } from "../../sdk/index.ts"
import { readable } from "../lib/amounts.ts"
import { account } from "../lib/explorer.ts"
import { dollars, total, valueUsd } from "../lib/usd.ts"
import { Address } from "../ui/Address.tsx"
import { Banner } from "./Banner.tsx"
import { chainName, samePlace, unitOf } from "./catalog.ts"
import type { Plan } from "./ChooseStep.tsx"
import { useSession } from "./session.ts"
import { Fact, Value } from "./Value.tsx"

export interface PlanFactsProps {
  readonly plan: Plan
  readonly review: BatchReview
  readonly secondsLeft: number
}

/** `1:05`. */
const clock = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`

/** Value of a part of each leg's amount, over all legs whose token has a price. */
const sumUsd = ({ tokens }: Plan, legs: ReadonlyArray<ReviewedLeg>, partOf: (leg: ReviewedLeg) => bigint): string =>
  total(
    legs.map((leg) => {
      const { chainId, token } = leg.send
      const { decimals = 0, priceUsd = null } =
        tokens.find((each) => samePlace(each, { chainId, address: token })) ?? {}
      return priceUsd === null ? null : valueUsd(partOf(leg), decimals, priceUsd)
    })
  )

/** Every warning once, with the tokens that it concerns unless it concerns all. */
function Warnings({ review: { legs } }: Pick<PlanFactsProps, "review">) {
  const { catalog } = useSession()
  const concerned = new Map<string, Array<string>>()
  for (const { send, warnings } of legs) {
    const name = `${unitOf(catalog, { chainId: send.chainId, address: send.token }).symbol} on ${chainName(catalog.chain(send.chainId), send.chainId)}`
    for (const warning of warnings) concerned.set(warning, [...(concerned.get(warning) ?? []), name])
  }
  if (concerned.size === 0) return null
  return (
    <Banner tone="warn">
      <ul className="flex flex-col gap-1.5">
        {[...concerned].map(([warning, names]) => (
          <li key={warning}>
            {warning.charAt(0).toUpperCase() + warning.slice(1)}
            {names.length === legs.length ? "" : `: ${names.join(", ")}`}.
          </li>
        ))}
      </ul>
    </Banner>
  )
}

function Exactly({ review }: Pick<PlanFactsProps, "review">) {
  const { catalog } = useSession()
  const { authorizations, legs, typedData } = review
  return (
    <details>
      <summary className="rounded-sm py-1 text-sm font-medium text-accent">Exactly what is signed</summary>
      <dl className="mt-1 divide-y divide-line text-sm">
        <Fact label="Account" stacked>
          <Address label="the account" value={legs[0].owner} />
        </Fact>
        {authorizations.map(({ address, chainId, nonce }) => (
          <Fact
            key={chainId}
            label={`Authorization for ${chainName(catalog.chain(chainId), chainId)}`}
            note={`Chain ${chainId}, account nonce ${nonce}`}
            stacked
          >
            <Address label="the authorized contract" value={address} />
          </Fact>
        ))}
        <Fact label="Orders (EIP-712)" stacked>
          <pre
            aria-label="The orders that you sign"
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

export function PlanFacts({ plan, review, secondsLeft }: PlanFactsProps) {
  const { catalog } = useSession()
  const { legs } = review
  const { owner, receive } = legs[0]
  const received = unitOf(catalog, plan.to)
  const sum = (amountOf: (leg: ReviewedLeg) => bigint) => legs.reduce((total, leg) => total + amountOf(leg), 0n)
  return (
    <div className="flex flex-col gap-3">
      <dl className="divide-y divide-line">
        <Fact label="You sweep" stacked>
          {legs.length === 1 ? "1 token" : `${legs.length} tokens`},{" "}
          {dollars(sumUsd(plan, legs, ({ send }) => send.amount))}
        </Fact>
        <Fact
          label="In all you receive at least"
          note={
            <>
              on {chainName(catalog.chain(receive.chainId), receive.chainId)} · expected{" "}
              {readable(
                sum((leg) => leg.receive.estimatedAmount),
                received.decimals
              )}
            </>
          }
          stacked
        >
          <span className="text-lg">
            <Value strong unit={received} value={sum((leg) => leg.receive.minAmount)} />
          </span>
        </Fact>
        <Fact
          label="All fees, out of the tokens"
          note={
            <>
              Service and network: {dollars(sumUsd(plan, legs, ({ fees }) => fees.protocol))}
              <br />
              This app: {dollars(sumUsd(plan, legs, ({ fees }) => fees.builder))}
            </>
          }
          stacked
        >
          {dollars(sumUsd(plan, legs, ({ fees }) => fees.total))}
        </Fact>
        <Fact
          label="To"
          note={sameAddress(owner, receive.destination) ? "Your own address" : "Not your own address"}
          stacked
        >
          <Address
            href={account(catalog.chain(receive.chainId), receive.destination)}
            label="the destination"
            value={receive.destination}
          />
        </Fact>
        <Fact label="Valid" stacked>
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
      </dl>
      <Exactly review={review} />
      <Warnings review={review} />
    </div>
  )
}
