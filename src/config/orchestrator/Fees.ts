/** Settings of fees beyond the rates of the tiers. */
import { Config } from "effect"
import { integer, NON_NEGATIVE, optional, secret, setting } from "../Setting.ts"

export const fees = {
  feePolicyFile: optional({
    name: "FEE_POLICY_FILE",
    check: Config.NonEmptyString,
    meaning:
      "JSON file with rates of the protocol fee by chain, token, tier and builder, and their minima and maxima. If not set, the rates of the tiers count."
  }),
  subscriptionsUrl: optional({
    name: "SUBSCRIPTIONS_URL",
    check: Config.URL,
    meaning:
      'Endpoint that says which users have a subscription: `GET` with the parameter `userId` returns `{"active": true}` or false. If not set, `subscriptionActive` of the request counts.'
  }),
  subscriptionsToken: secret({
    name: "SUBSCRIPTIONS_TOKEN",
    meaning: "Bearer token that is sent to `SUBSCRIPTIONS_URL`."
  }),
  subscriptionsCacheSeconds: setting({
    name: "SUBSCRIPTIONS_CACHE_SECONDS",
    default: 60,
    check: integer(NON_NEGATIVE),
    meaning: "Time for which an answer of `SUBSCRIPTIONS_URL` counts, in seconds."
  })
} as const
