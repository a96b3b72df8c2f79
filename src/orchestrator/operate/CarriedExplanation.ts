/** Explains why a submitted intent has not settled although a relay transaction carries it. */
import type { Carrier } from "../../ports/orchestrator/HeldIntents.ts"
import { chainName, duration, type Explanation, type Situation, unreadable } from "./StuckSituation.ts"

const gwei = (wei: bigint): string => {
  const milli = wei / 1_000_000n
  const fraction = (milli % 1000n).toString().padStart(3, "0").replace(/0+$/, "")
  return `${milli / 1000n}${fraction === "" ? "" : `.${fraction}`} gwei`
}

/** Explains a transaction that no node has accepted; undefined when one has. */
const unaccepted = ({ alerts, intent, nowMs }: Situation, carrier: Carrier, where: string): Explanation | undefined => {
  const ofLane = (kind: string) =>
    alerts.find(
      (alert) =>
        alert.kind === kind &&
        alert.details["chainId"] === intent.sourceChainId &&
        alert.details["lane"] === carrier.lane
    )
  const rejected = ofLane("transaction_rejected")
  const isRejected = rejected?.details["nonce"] === carrier.nonce.toString()
  if (carrier.broadcastAtMs !== undefined && !isRejected) return undefined
  const alert = isRejected ? rejected : ofLane("lane_low")
  const detail = alert === undefined ? "" : ` ${alert.message}`
  return {
    waitsFor: "broadcast",
    explanation: `Its transaction, ${where}, was signed ${duration(nowMs - carrier.signedAtMs)} ago, and no node has accepted it.${detail}`,
    advice:
      alert?.kind === "lane_low"
        ? "Fund the lane: the transaction is then broadcast again automatically."
        : "The transaction is broadcast again automatically. For the node's answer, look for `relay.rejected` in the log."
  }
}

/** Explains a transaction whose sweeps pay for no higher fees; undefined if they do, or need none. */
const underpriced = ({ alerts, intent }: Situation, carrier: Carrier, where: string): Explanation | undefined => {
  const kept = alerts.find(
    ({ details, kind }) =>
      kind === "gas_price" &&
      details["chainId"] === intent.sourceChainId &&
      details["lane"] === carrier.lane &&
      details["nonce"] === carrier.nonce.toString()
  )
  return kept === undefined
    ? undefined
    : {
        waitsFor: "gas_price",
        explanation: `Its transaction, ${where}, pays at most ${gwei(carrier.maxFeePerGas)}, and gas costs more. Higher fees would exceed what the network fees of its sweeps and the allowed losses cover, or the chain's maxFeePerGasWei.`,
        advice:
          "It is mined when the price has fallen, or replaced by a self-send if other transactions wait for its nonce. To accept larger losses, raise NETWORK_FEE_LOSS_BPS."
      }
}

/** Explains a transaction that a node has accepted and that is in no block. */
const unmined = ({ nowMs }: Situation, carrier: Carrier, where: string): Explanation => {
  const bid = `${carrier.versions === 1 ? "one version" : `${carrier.versions} versions`}, the last at ${gwei(carrier.maxFeePerGas)}`
  return carrier.behind > 0
    ? {
        waitsFor: "inclusion",
        explanation: `Its transaction, ${where}, waits behind ${carrier.behind} earlier ${carrier.behind === 1 ? "nonce" : "nonces"} of its lane (${bid}).`,
        advice: "Find out what holds the lane's lowest nonce: the others wait for it."
      }
    : {
        waitsFor: "inclusion",
        explanation: `Its transaction, ${where}, was last broadcast ${duration(nowMs - (carrier.broadcastAtMs ?? nowMs))} ago and is in no block yet (${bid}).`,
        advice:
          "It is broadcast again, and replaced with higher fees, automatically. Check the lane's balance and the chain's fees."
      }
}

export const carried = (situation: Situation, carrier: Carrier): Explanation => {
  const { sourceChainId } = situation.intent
  const down = unreadable(situation, sourceChainId)
  if (down !== undefined) return down
  const where = `nonce ${carrier.nonce} of lane ${carrier.lane} on ${chainName(situation, sourceChainId)}`
  if (carrier.kind === "cancel") {
    return {
      waitsFor: "expiry",
      explanation: `Its transaction, ${where}, was replaced by a self-send, since its sweep can no longer settle in time. It ends once that nonce is used.`,
      advice: null
    }
  }
  if (carrier.blockNumber !== undefined) {
    return {
      waitsFor: "confirmation",
      explanation: `Transaction ${carrier.hash} is in block ${carrier.blockNumber} and waits for the chain's confirmations.`,
      advice: null
    }
  }
  return (
    unaccepted(situation, carrier, where) ??
    underpriced(situation, carrier, where) ??
    unmined(situation, carrier, where)
  )
}
