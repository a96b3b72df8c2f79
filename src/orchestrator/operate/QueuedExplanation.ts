/** Explains why a submitted intent that no transaction carries is not sent. */
import {
  alertOf,
  chainName,
  type Circumstances,
  duration,
  type Explanation,
  type Situation,
  unreadable
} from "./StuckSituation.ts"

const LOG = "look for `sweep.postponed` with the intent's id in the relayer's log"

/** Alerts of a chain that sends nothing until an operator acts or time passes, and what the operator can do. */
const CLOSED = [
  ["relayer_paused", "Resume it with `sweep operate resume`. `sweep operate pauses` shows what is paused."],
  ["spend_cap", "Raise dailySpendCapWei with `sweep operate limits`, or wait until a day has passed."],
  ["fee_limit", "Raise maxFeePerGasWei with `sweep operate limits`, or wait until the base fee has fallen."]
] as const

/** Advice for a chain that transactions on their way keep at its cap. They are not spent yet, so no day has to pass. */
const RESERVED =
  "Find out why its lanes' transactions are not mined: the next sweeps are sent once they are. Or raise dailySpendCapWei with `sweep operate limits`."

/** Causes that stop every queued intent of a chain. */
const stopped = (circumstances: Circumstances, chainId: number): Explanation | undefined => {
  for (const [kind, advice] of CLOSED) {
    const alert = alertOf(circumstances, chainId, kind)
    if (alert === undefined) continue
    const isReserved = kind === "spend_cap" && alert.details["isPaid"] === false
    return { waitsFor: "operator", explanation: alert.message, advice: isReserved ? RESERVED : advice }
  }
  return unreadable(circumstances, chainId) ?? withoutLane(circumstances, chainId)
}

const withoutLane = (circumstances: Circumstances, chainId: number): Explanation | undefined => {
  const lanes = circumstances.health.lanes.filter((lane) => lane.chainId === chainId)
  const alert = alertOf(circumstances, chainId, "lane_low", "lane_delegated", "signing_failed")
  if (lanes.every(({ status }) => status === "down")) {
    const detail = alert === undefined ? "" : ` ${alert.message}`
    return {
      waitsFor: "lane",
      explanation: `No lane on ${chainName(circumstances, chainId)} can send.${detail}`,
      advice: "Fund a lane, or configure another one."
    }
  }
  return alert?.kind === "signing_failed"
    ? { waitsFor: "lane", explanation: alert.message, advice: "Check the lane's key in RELAYER_KEYS." }
    : undefined
}

/** Explains what keeps one intent in the queue of a chain that works. */
const waiting = (situation: Situation): Explanation => {
  const { intent, nowMs } = situation
  const { leasedUntilMs, ownersOther, restsUntilMs, sourceChainId } = intent
  if (leasedUntilMs !== undefined) {
    return {
      waitsFor: "lease",
      explanation: `A relayer has claimed it, for another ${duration(leasedUntilMs - nowMs)}. If that process died, another one claims it then.`,
      advice: "If the relayer that claimed it is dead, retry: another one claims it at once."
    }
  }
  const blocking = situation.alerts.find(
    ({ details, kind }) => kind === "owner_blocks_batch" && details["intentId"] === intent.id
  )
  if (restsUntilMs !== undefined && blocking !== undefined) {
    return {
      waitsFor: "owner",
      explanation: `${blocking.message} The next attempt is in ${duration(restsUntilMs - nowMs)}.`,
      advice: "Only the owner can end it: once its own transactions are mined or dropped, the sweep is sent."
    }
  }
  if (intent.waitingFor === "gas_price") {
    const next = restsUntilMs === undefined ? "now" : `in ${duration(restsUntilMs - nowMs)}`
    return {
      waitsFor: "gas_price",
      explanation: `Gas costs more than its network fee covers. The price is compared again ${next}. If it has not fallen by the deadline, in ${duration(Number(intent.deadline) * 1000 - nowMs)}, the sweep fails as network_fee_insufficient.`,
      advice:
        "It is sent automatically when the price has fallen. To accept larger losses, raise NETWORK_FEE_TOLERANCE_BPS and NETWORK_FEE_LOSS_BPS."
    }
  }
  if (restsUntilMs !== undefined) {
    return {
      waitsFor: "rest",
      explanation: `It could not be sent for a temporary reason and is retried in ${duration(restsUntilMs - nowMs)}. For the reason, ${LOG}.`,
      advice: "The relayer retries it automatically. If the reason is gone, retry to send it at once."
    }
  }
  return ownersOther === undefined
    ? {
        waitsFor: "relayer",
        explanation: `It is free to be claimed, and no relayer of ${chainName(situation, sourceChainId)} has claimed it.`,
        advice: `Check that a relayer runs. If it does, ${LOG}.`
      }
    : {
        waitsFor: "owner",
        explanation: `It waits for ${ownersOther} of the same owner: an owner's sweeps are sent one at a time.`,
        advice: `Find out why ${ownersOther} waits.`
      }
}

/** The first cause that holds: its deadline, a decision not to send it, then the chain, then the intent itself. */
export const queued = (situation: Situation): Explanation => {
  const { intent, nowMs } = situation
  const past = nowMs - Number(intent.deadline) * 1000
  if (past > 0) {
    return {
      waitsFor: "expiry",
      explanation: `Its order's deadline passed ${duration(past)} ago, so it can no longer settle.`,
      advice: "The watcher ends it as expired once a block's time is past the deadline. Check that the watcher runs."
    }
  }
  if (intent.givenUp !== undefined) {
    const { detail, reason } = intent.givenUp
    return {
      waitsFor: "rest",
      explanation: `It is no longer sent (${reason}: ${detail}). It fails after its deadline, in ${duration(-past)}, unless somebody else settles it.`,
      advice: "If the reason is gone, retry to have it sent again."
    }
  }
  return stopped(situation, intent.sourceChainId) ?? waiting(situation)
}
