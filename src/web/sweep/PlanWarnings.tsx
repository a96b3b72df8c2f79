/** Warnings of the review, each once, with the tokens that it concerns. */
import type { BatchReview, ReviewedLeg } from "../../sdk/index.ts"
import { Banner } from "./Banner.tsx"
import { tokenOf, type Wanted } from "./plan.ts"
import { useSession } from "./session.ts"

/** The legs that each warning concerns. */
export const warningsOf = ({ legs }: BatchReview): ReadonlyMap<string, ReadonlyArray<ReviewedLeg>> => {
  const concerned = new Map<string, ReadonlyArray<ReviewedLeg>>()
  for (const leg of legs) {
    for (const warning of leg.warnings) concerned.set(warning, [...(concerned.get(warning) ?? []), leg])
  }
  return concerned
}

export function PlanWarnings({ review, wanted }: { readonly review: BatchReview; readonly wanted: Wanted }) {
  const { catalog } = useSession()
  const warnings = warningsOf(review)
  if (warnings.size === 0) return null
  const nameOf = (leg: ReviewedLeg) =>
    `${tokenOf(wanted, leg)?.symbol ?? leg.send.token} on ${catalog.chainName(leg.chainId)}`
  return (
    <Banner tone="warn">
      <ul className="flex flex-col gap-1.5">
        {[...warnings].map(([warning, legs]) => (
          <li key={warning}>
            {warning.charAt(0).toUpperCase() + warning.slice(1)}
            {legs.length === review.legs.length ? "" : `: ${legs.map(nameOf).join(", ")}`}.
          </li>
        ))}
      </ul>
    </Banner>
  )
}
