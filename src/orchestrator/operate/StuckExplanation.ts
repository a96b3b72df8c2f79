/**
 * Explains why an intent is stuck, as a total function of its row and of the state of its chains, lanes and alerts. The first
 * cause that holds is given; causes that stop a whole chain come before those of one intent.
 */
import type { HeldIntent } from "../../ports/orchestrator/HeldIntents.ts"
import { carried } from "./CarriedExplanation.ts"
import { queued } from "./QueuedExplanation.ts"
import {
  chainName,
  type Circumstances,
  duration,
  type Explanation,
  type Situation,
  unreadable
} from "./StuckSituation.ts"

const CCTP = "cctp"
const RELAY = "relay"

/** Advice for a sweep that has arrived without a proof. */
const UNPROVED =
  "If it has arrived already, the nodes lack its proof: look for watch.deliveries_failed in the log, whose detail names the node's answer."

/** Advice by the bridge. All others are deposits into Across, also with a swap (`uniswap-v3+across`) or by LI.FI's contract. */
const adviceOf = (provider: string): string => {
  switch (provider) {
    case CCTP:
      return "A burn is never returned. Ask Circle's API for the message and the attestation of the source transaction. Once they are complete, call receiveMessage of MessageTransmitterV2 on the destination with both, from any account with gas there."
    case RELAY:
      return "Look up the source transaction at relay. The deposit has no deadline that a contract enforces. If relay neither delivers nor refunds, ask its support to do so, with the source transaction. Once a refund is proved, the intent fails as bridge_refunded."
    default:
      return `Look up the source transaction at ${provider}. If nobody fills the deposit before its deadline, the bridge returns it to the owner, and the intent fails as bridge_refunded.`
  }
}

const undelivered = (situation: Situation): Explanation => {
  const { intent, nowMs } = situation
  const waited = duration(nowMs - intent.updatedAtMs)
  const estimate = duration(intent.estimatedSeconds * 1000)
  return (
    unreadable(situation, intent.destChainId) ?? {
      waitsFor: "delivery",
      explanation: `It settled on ${chainName(situation, intent.sourceChainId)} ${waited} ago and waits for ${intent.provider} to deliver on ${chainName(situation, intent.destChainId)}. The estimate was ${estimate}.`,
      advice: `${adviceOf(intent.provider)} ${UNPROVED}`
    }
  )
}

export const explain = (intent: HeldIntent, circumstances: Circumstances): Explanation => {
  const situation = { intent, ...circumstances }
  if (intent.status === "settled_source") return undelivered(situation)
  return intent.carrier === undefined ? queued(situation) : carried(situation, intent.carrier)
}
