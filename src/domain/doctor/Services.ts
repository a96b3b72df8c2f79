/** Judges HTTP services: providers with their keys, and the other service of the deployment. Pure. */
import { error, type Finding, found, type Kind, ok, warning } from "./Finding.ts"

export const kinds = {
  keyRefused: error(
    "provider_key_refused",
    "a provider refuses its key",
    "Correct the key, and check that its plan is active."
  ),
  refused: warning(
    "provider_refused",
    "a provider without a key refuses requests from here",
    "Set a key of the provider, or leave the provider out."
  ),
  limited: warning(
    "provider_limited",
    "a provider refuses requests for their rate",
    "Use a plan with a higher limit, or set a key."
  ),
  unreachable: warning(
    "provider_unreachable",
    "a provider does not answer, or fails",
    "Check its URL and the network. While it is down, others stand in for it or its routes are missing."
  ),
  well: ok("provider_ok", "a provider answers, and takes its key"),
  peerUnreachable: error(
    "service_unreachable",
    "the other service of the deployment does not answer from here, while orchestrators run",
    "Check its URL, and that it runs."
  ),
  peerNotSeen: warning(
    "service_not_seen",
    "the other service of the deployment does not answer from here, and no running orchestrator is known",
    "Nothing before the first start, and beside Docker Compose, whose containers have URLs of their own. Otherwise check its URL, and that it runs."
  ),
  peerToken: error(
    "service_token_refused",
    "the other service of the deployment refuses the token",
    "Set the token to that of the other service."
  ),
  peerNotReady: warning(
    "service_not_ready",
    "the other service of the deployment answers, but is not ready",
    "Run `./sweep doctor` with its settings."
  ),
  peerWell: ok("service_ok", "the other service answers, and takes the token")
}

/** Outcome of one request. */
export type Outcome =
  | { readonly _tag: "Status"; readonly status: number }
  | { readonly _tag: "Silent"; readonly detail: string }

export interface ProviderFacts {
  readonly name: string
  /** Setting of its key; undefined if it has none, or none is set. */
  readonly keySetting: string | undefined
  readonly outcome: Outcome
}

const providerKind = ({ keySetting, outcome }: ProviderFacts): Kind => {
  if (outcome._tag === "Silent") return kinds.unreachable
  const { status } = outcome
  if (status === 401 || status === 403) return keySetting === undefined ? kinds.refused : kinds.keyRefused
  if (status === 429) return kinds.limited
  return status >= 500 ? kinds.unreachable : kinds.well
}

const seenOf = (outcome: Outcome): string => (outcome._tag === "Silent" ? outcome.detail : `HTTP ${outcome.status}`)

/** Any status that speaks of the request, such as 400, shows that the provider takes the key. */
export const judgeProvider = (facts: ProviderFacts): Finding => {
  const kind = providerKind(facts)
  const subject = facts.keySetting === undefined ? facts.name : `${facts.name} (${facts.keySetting})`
  return found(kind, subject, kind === kinds.well ? "it answers" : seenOf(facts.outcome))
}

export interface PeerFacts {
  readonly name: string
  readonly urlSetting: string
  readonly tokenSetting: string
  /** `GET /readyz`. */
  readonly ready: Outcome
  /** A request with the token; undefined without a token. */
  readonly authorized: Outcome | undefined
  /** True if the database has signs of life of orchestrators. False also if they are not known. */
  readonly isRunning: boolean
}

export const judgePeer = (facts: PeerFacts): ReadonlyArray<Finding> => {
  const { authorized, isRunning, name, ready, tokenSetting, urlSetting } = facts
  if (ready._tag === "Silent" || (ready.status !== 200 && ready.status !== 503)) {
    const kind = isRunning ? kinds.peerUnreachable : kinds.peerNotSeen
    return [found(kind, urlSetting, `the ${name} does not answer: ${seenOf(ready)}`)]
  }
  const isRefused =
    authorized !== undefined && authorized._tag === "Status" && (authorized.status === 401 || authorized.status === 403)
  const findings = [
    ...(ready.status === 503 ? [found(kinds.peerNotReady, urlSetting, `GET /readyz of the ${name} returns 503`)] : []),
    ...(isRefused ? [found(kinds.peerToken, tokenSetting, `the ${name} returns ${seenOf(authorized)}`)] : [])
  ]
  return findings.length > 0 ? findings : [found(kinds.peerWell, urlSetting, `the ${name} is ready`)]
}
