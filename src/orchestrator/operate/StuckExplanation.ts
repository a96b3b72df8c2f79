/**
 * Why an intent does not get on, as one total function of what is stored of it and of what its chains, lanes and alerts tell.
 * The first cause that holds is told: what stops a whole chain before what stops one intent.
 */
import type { AlertView, Health } from "../../domain/Health.ts"
import type { StuckIntent } from "../../domain/StuckIntent.ts"
import type { Carrier, HeldIntent } from "../../ports/orchestrator/HeldIntents.ts"

export type Explanation = Pick<StuckIntent, "waitsFor" | "explanation" | "advice">

/** What is known beside the intent. */
export interface Circumstances {
  readonly nowMs: number
  readonly health: Pick<Health, "chains" | "lanes">
  readonly alerts: ReadonlyArray<Pick<AlertView, "kind" | "message" | "details">>
}

/** `72 s`, `15 min`, `3 h`. */
export const duration = (millis: number): string => {
  const seconds = Math.max(0, Math.round(millis / 1000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

const gwei = (wei: bigint): string => {
  const milli = wei / 1_000_000n
  const fraction = (milli % 1000n).toString().padStart(3, "0").replace(/0+$/, "")
  return `${milli / 1000n}${fraction === "" ? "" : `.${fraction}`} gwei`
}

const LOG = "the relayer's log says why, under `sweep postponed` and the intent's id"

export const explain = (intent: HeldIntent, { alerts, health, nowMs }: Circumstances): Explanation => {
  const chainName = (chainId: number): string =>
    health.chains.find(({ id }) => id === chainId)?.name ?? `chain ${chainId}`
  const alertOf = (chainId: number, ...kinds: ReadonlyArray<string>) =>
    alerts.find(({ details, kind }) => kinds.includes(kind) && details["chainId"] === chainId)

  /** What keeps a chain from being read. */
  const unreadable = (chainId: number): Explanation | undefined => {
    const chain = health.chains.find(({ id }) => id === chainId)
    if (chain === undefined || chain.status === "ok") return undefined
    const problem =
      chain.blockNumber === null
        ? "its node does not answer"
        : chain.contractsDeployed === false
          ? "the service's contracts are not where its settings say"
          : chain.status === "degraded"
            ? `its node is behind: its newest block is ${duration((chain.blockAgeSeconds ?? 0) * 1000)} old`
            : "its node answers in part"
    return {
      waitsFor: "chain",
      explanation: `Nothing can be told or sent on ${chain.name}: ${problem}.`,
      advice: `Check the nodes of ${chain.name} in the chains file; the sweep goes on by itself once one answers.`
    }
  }

  const delivery = (): Explanation => {
    const waited = duration(nowMs - intent.updatedAtMs)
    const destination = chainName(intent.destChainId)
    return (
      unreadable(intent.destChainId) ?? {
        waitsFor: "delivery",
        explanation: `It settled on ${chainName(intent.sourceChainId)} ${waited} ago and waits for ${intent.provider} to deliver on ${destination}; ${duration(intent.estimatedSeconds * 1000)} were estimated.`,
        advice: `Look up the source transaction at ${intent.provider}. Where no relayer fills the deposit, the bridge returns it to the owner after its fill deadline, and the intent fails as bridge_refunded.`
      }
    )
  }

  const carried = (carrier: Carrier): Explanation => {
    const where = `nonce ${carrier.nonce} of lane ${carrier.lane} on ${chainName(intent.sourceChainId)}`
    const down = unreadable(intent.sourceChainId)
    if (down !== undefined) return down
    if (carrier.kind === "cancel") {
      return {
        waitsFor: "expiry",
        explanation: `Its transaction, ${where}, was replaced by a self-send, since its sweep cannot settle in time. It ends once that nonce is used.`,
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
    const ofLane = (kind: string) =>
      alerts.find(
        (alert) =>
          alert.kind === kind &&
          alert.details["chainId"] === intent.sourceChainId &&
          alert.details["lane"] === carrier.lane
      )
    const rejected = ofLane("transaction_rejected")
    const isRejected = rejected?.details["nonce"] === carrier.nonce.toString()
    if (carrier.broadcastAtMs === undefined || isRejected) {
      const cause = isRejected ? rejected : ofLane("lane_low")
      return {
        waitsFor: "broadcast",
        explanation: `Its transaction, ${where}, was signed ${duration(nowMs - carrier.signedAtMs)} ago, and no node has taken it.${cause === undefined ? "" : ` ${cause.message}`}`,
        advice:
          cause?.kind === "lane_low"
            ? "Fund the lane: the transaction is handed to the node again by itself."
            : "It is handed to the node again by itself; see what the node answered in the log, under `transaction not taken`."
      }
    }
    const bid = `${carrier.versions === 1 ? "one version" : `${carrier.versions} versions`}, the last at ${gwei(carrier.maxFeePerGas)}`
    return carrier.behind > 0
      ? {
          waitsFor: "inclusion",
          explanation: `Its transaction, ${where}, waits behind ${carrier.behind} earlier ${carrier.behind === 1 ? "nonce" : "nonces"} of its lane (${bid}).`,
          advice: "The first of them decides: see what carries the lane's lowest nonce."
        }
      : {
          waitsFor: "inclusion",
          explanation: `Its transaction, ${where}, was last broadcast ${duration(nowMs - carrier.broadcastAtMs)} ago and is in no block yet (${bid}).`,
          advice:
            "It is broadcast again, and replaced with higher fees, by itself; check the lane's balance and the chain's fees."
        }
  }

  /** What stops every intent of the chain that is in the queue. */
  const stopped = (chainId: number): Explanation | undefined => {
    const closed = alertOf(chainId, "relayer_paused", "spend_cap")
    if (closed !== undefined) {
      return {
        waitsFor: "operator",
        explanation: closed.message,
        advice:
          closed.kind === "spend_cap"
            ? "Raise DAILY_SPEND_CAP_WEI, or wait until a day has passed."
            : "Take the chain out of RELAYER_PAUSED_CHAINS and restart the orchestrator."
      }
    }
    const down = unreadable(chainId)
    if (down !== undefined) return down
    const lanes = health.lanes.filter((lane) => lane.chainId === chainId)
    const alert = alertOf(chainId, "lane_low", "lane_delegated", "signing_failed")
    if (lanes.every(({ status }) => status === "down")) {
      return {
        waitsFor: "lane",
        explanation: `No lane on ${chainName(chainId)} can send.${alert === undefined ? "" : ` ${alert.message}`}`,
        advice: "Fund a lane, or configure another one."
      }
    }
    return alert?.kind === "signing_failed"
      ? { waitsFor: "lane", explanation: alert.message, advice: "Check the lane's key or its KMS." }
      : undefined
  }

  const queued = (): Explanation => {
    const { leasedUntilMs, ownersOther, restsUntilMs } = intent
    const past = nowMs - Number(intent.deadline) * 1000
    if (past > 0) {
      return {
        waitsFor: "expiry",
        explanation: `Its order's deadline passed ${duration(past)} ago, so it cannot settle any more.`,
        advice: "The watcher ends it as expired once a block's time is past the deadline; check that the watcher runs."
      }
    }
    const stop = stopped(intent.sourceChainId)
    if (stop !== undefined) return stop
    if (leasedUntilMs !== undefined) {
      return {
        waitsFor: "lease",
        explanation: `A relayer took it and has it for ${duration(leasedUntilMs - nowMs)} yet. If that process died, another one takes it then.`,
        advice: "If the relayer that took it is known to be dead, retry: another one takes it at once."
      }
    }
    if (restsUntilMs !== undefined) {
      return {
        waitsFor: "rest",
        explanation: `It could not be sent for a passing reason and rests for ${duration(restsUntilMs - nowMs)} yet; ${LOG}.`,
        advice: "It is tried again by itself. If the reason is gone, retry."
      }
    }
    return ownersOther === undefined
      ? {
          waitsFor: "relayer",
          explanation: `It is free to be taken, and no relayer of ${chainName(intent.sourceChainId)} has.`,
          advice: `Check that a relayer runs. If it runs and tries again and again, ${LOG}.`
        }
      : {
          waitsFor: "owner",
          explanation: `It waits for ${ownersOther} of the same owner: one sweep of an owner is sent at a time.`,
          advice: `See what ${ownersOther} waits for.`
        }
  }

  if (intent.status === "settled_source") return delivery()
  return intent.carrier === undefined ? queued() : carried(intent.carrier)
}
