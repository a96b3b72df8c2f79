/** Settings of the risk of tokens. */
import { Config, Schema } from "effect"
import { integer, list, optional, POSITIVE, secret, setting } from "../Setting.ts"

const Source = Schema.Trim.pipe(Schema.decodeTo(Schema.Literals(["goplus", "honeypot", "probe"])))

export const risk = {
  tokenPolicyFile: optional({
    name: "TOKEN_POLICY_FILE",
    check: Config.NonEmptyString,
    meaning:
      "JSON file that allows and denies tokens, and sets their tiers. If not set, the token lists of the chains count."
  }),
  riskServices: list({
    name: "RISK_SERVICES",
    check: (name) => Config.Array(Source, name),
    meaning:
      "What is asked about tokens that no list vouches for, separated by commas: `goplus` and `honeypot` for the services GoPlus and honeypot.is, `probe` for a trial trade of our own in one simulated call. If not set, only transfers and whole sweeps are simulated."
  }),
  goplusApiKey: secret({
    name: "GOPLUS_API_KEY",
    meaning:
      "Access token of GoPlus, which the service does not renew. GoPlus is asked at most 300 times a minute with it, and 30 times without it."
  }),
  honeypotApiKey: secret({
    name: "HONEYPOT_API_KEY",
    meaning: "Key of honeypot.is. It answers without one too."
  }),
  riskCacheSeconds: setting({
    name: "RISK_CACHE_SECONDS",
    default: 600,
    check: integer(POSITIVE),
    meaning:
      "Time for which the verdict on a token counts, in seconds. One to which a source did not answer counts for 30."
  })
} as const
