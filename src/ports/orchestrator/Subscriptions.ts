/** Decides which users have a subscription, which lowers the protocol fee. */
import { Context, Effect } from "effect"

/** The user as a request names it. */
export interface Claim {
  readonly userId: string
  /** `subscriptionActive` of the request. */
  readonly subscriptionActive: boolean
}

export interface SubscriptionsShape {
  /** Never fails: a user who is unknown, or of whom nothing is known lately, has no subscription. */
  readonly isActive: (claim: Claim) => Effect.Effect<boolean>
}

/** Default: the request is trusted. */
export const Subscriptions = Context.Reference<SubscriptionsShape>("sweep/ports/Subscriptions", {
  defaultValue: () => ({ isActive: ({ subscriptionActive }) => Effect.succeed(subscriptionActive) })
})
