/** Every token of a plan with its order, the tokens without one, and the exact data to sign. Closed at first. */
import { type ReviewedLeg, toJson } from "../../sdk/index.ts"
import { readable } from "../lib/amounts.ts"
import { Address } from "../ui/Address.tsx"
import { Icon } from "../ui/Icon.tsx"
import { unitOf } from "./catalog.ts"
import { whyUnquoted } from "./explain.ts"
import { tokenOf } from "./plan.ts"
import { ReviewFacts } from "./ReviewFacts.tsx"
import { useSession } from "./session.ts"
import type { Plan } from "./usePlan.ts"
import { Fact } from "./Value.tsx"

const SUMMARY = "flex items-center gap-2 rounded-sm py-1 text-sm font-medium text-accent"

function Leg({ leg, plan }: { readonly leg: ReviewedLeg; readonly plan: Plan }) {
  const { catalog } = useSession()
  const token = tokenOf(plan.wanted, leg)
  const received = unitOf(catalog, plan.wanted.to)
  const sent = token ?? unitOf(catalog, { chainId: leg.send.chainId, address: leg.send.token })
  return (
    <li>
      <details className="group/leg" name="leg">
        <summary className="flex list-none items-center gap-2 py-2">
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">
              <bdi>{sent.symbol}</bdi> on {catalog.chainName(leg.chainId)}
            </span>
            <span className="block truncate text-sm text-muted tabular-nums">
              {readable(leg.send.amount, sent.decimals, 5)} for at least{" "}
              {readable(leg.receive.minAmount, received.decimals, 4)} {received.symbol}
            </span>
          </span>
          <span className="text-muted group-open/leg:rotate-90">
            <Icon name="chevron" size={13} />
          </span>
        </summary>
        <section aria-label={`${sent.symbol} on ${catalog.chainName(leg.chainId)}`} className="pb-3">
          <ReviewFacts leg={leg} received={received} sent={sent} />
        </section>
      </details>
    </li>
  )
}

function LeftOut({ plan: { leftOut, wanted } }: { readonly plan: Plan }) {
  const { catalog } = useSession()
  if (leftOut.length === 0) return null
  return (
    <section aria-label="Not in this sweep" className="rounded-md bg-sunken px-3.5 py-3 text-sm">
      <h3 className="font-medium">{leftOut.length === 1 ? "1 token stays" : `${leftOut.length} tokens stay`}</h3>
      <ul className="mt-1 flex flex-col gap-1 text-muted">
        {leftOut.map((why) => {
          const token = wanted.tokens.find(
            ({ token: { address, chainId } }) =>
              chainId === why.chainId && address.toLowerCase() === why.token.toLowerCase()
          )?.token
          return (
            <li key={`${why.chainId}:${why.token}`}>
              <bdi>{token?.symbol ?? why.token}</bdi> on {catalog.chainName(why.chainId)}: {whyUnquoted(why)}.
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Exactly({ review }: { readonly review: NonNullable<Plan["review"]> }) {
  const { catalog } = useSession()
  const { authorizations, legs, typedData } = review
  return (
    <details>
      <summary className={SUMMARY}>Exactly what is signed</summary>
      <dl className="mt-1 divide-y divide-line text-sm">
        <Fact label="Account" stacked>
          <Address label="the account" value={legs[0].owner} />
        </Fact>
        {authorizations.map(({ address, chainId, nonce }) => (
          <Fact
            key={chainId}
            label={`Delegation on ${catalog.chainName(chainId)} (EIP-7702)`}
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

export function PlanDetails({ plan }: { readonly plan: Plan }) {
  const { review } = plan
  return (
    <>
      <LeftOut plan={plan} />
      {review !== undefined && (
        <div>
          <details>
            <summary className={SUMMARY}>
              {review.legs.length === 1 ? "The token" : `Each of the ${review.legs.length} tokens`}
            </summary>
            <ul className="divide-y divide-line">
              {review.legs.map((leg) => (
                <Leg key={leg.quoteId} leg={leg} plan={plan} />
              ))}
            </ul>
          </details>
          <Exactly review={review} />
        </div>
      )}
    </>
  )
}
