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
  peerWrong: error(
    "service_answer_wrong",
    "the URL of the other service of the deployment gives another answer to the token than the service does",
    "Correct the URL, to which the paths of the API of the service are added. If it is right, read the log of the service."
  ),
  peerBusy: warning(
    "service_busy",
    "the other service of the deployment refuses a request with the token for now, so that the token was not checked",
    "Run the command again in a minute."
  ),
  peerWell: ok("service_ok", "the other service is ready, and takes the token if one is set")
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

const isStatus = (outcome: Outcome, ...statuses: ReadonlyArray<number>): boolean =>
  outcome._tag === "Status" && statuses.includes(outcome.status)

/** Findings about the answer to the token: none for 200. */
const tokenFindings = ({ name, tokenSetting, urlSetting }: PeerFacts, authorized: Outcome): ReadonlyArray<Finding> => {
  if (isStatus(authorized, 200)) return []
  const seen =
    authorized._tag === "Silent"
      ? `the ${name} does not answer a request with the token: ${authorized.detail}`
      : `the ${name} returns ${seenOf(authorized)} to a request with the token`
  if (isStatus(authorized, 401, 403)) return [found(kinds.peerToken, tokenSetting, seen)]
  return [found(isStatus(authorized, 429, 503) ? kinds.peerBusy : kinds.peerWrong, urlSetting, seen)]
}

export const judgePeer = (facts: PeerFacts): ReadonlyArray<Finding> => {
  const { authorized, isRunning, name, ready, tokenSetting, urlSetting } = facts
  if (ready._tag === "Silent" || (ready.status !== 200 && ready.status !== 503)) {
    const kind = isRunning ? kinds.peerUnreachable : kinds.peerNotSeen
    return [found(kind, urlSetting, `the ${name} does not answer: ${seenOf(ready)}`)]
  }
  const isReady = ready.status === 200
  const findings = [
    ...(isReady ? [] : [found(kinds.peerNotReady, urlSetting, `GET /readyz of the ${name} returns 503`)]),
    // A service that is not ready may return 503 to everything, which says nothing more.
    ...(authorized === undefined || (!isReady && isStatus(authorized, 503)) ? [] : tokenFindings(facts, authorized))
  ]
  if (findings.length > 0) return findings
  const tried =
    authorized === undefined ? `is ready. ${tokenSetting} is not set, so the token was not tried` : "is ready"
  return [found(kinds.peerWell, urlSetting, `the ${name} ${tried}`)]
}
