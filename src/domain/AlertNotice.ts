/** Decides which notice about an alert a destination gets next: the first one, a repetition, an escalation or the end. */

export type AlertSeverity = "warning" | "critical"

/** The part of an alert that decides. Times are UNIX times in milliseconds. */
export interface AlertFacts {
  readonly severity: AlertSeverity
  readonly sinceMs: number
  /** Absent while the alert stands. */
  readonly clearedAtMs?: number | undefined
}

/**
 * Record of the notices about an alert to one destination. It exists from before the first attempt, so that the end is told also if the
 * outcome of that attempt is unknown.
 */
export interface Told {
  /** Number of notices that the destination accepted. */
  readonly accepted: number
  /** UNIX time in milliseconds of the last accepted notice. */
  readonly lastMs?: number | undefined
  /** Severity in the last accepted notice. */
  readonly severity?: AlertSeverity | undefined
  /** Number of failed attempts since the last accepted notice. */
  readonly failures: number
  /** No attempt is made before this UNIX time in milliseconds. */
  readonly retryMs?: number | undefined
  /** True once the destination is told nothing more. */
  readonly isClosed: boolean
}

/** The record before the first attempt. */
export const UNTOLD: Told = { accepted: 0, failures: 0, isClosed: false }

/**
 * `worsened`: a warning became critical. `escalated`: the first notice of a destination of the second rank. `resolved`: the alert was
 * cleared.
 */
export type NoticeReason = "raised" | "worsened" | "repeated" | "escalated" | "resolved"

export interface NoticeRules {
  /** True for a destination of the second rank, which hears only of critical alerts that stand for a while. */
  readonly isEscalation: boolean
  /** Age at which a critical alert escalates, in milliseconds. */
  readonly escalationMillis: number
  /** Pause between notices about an alert that stands, in milliseconds. 0: notices are not repeated. */
  readonly repeatMillis: number
}

const standing = (alert: AlertFacts, told: Told, rules: NoticeRules, nowMs: number): NoticeReason | undefined => {
  const isCritical = alert.severity === "critical"
  if (rules.isEscalation && (!isCritical || nowMs < alert.sinceMs + rules.escalationMillis)) return undefined
  if (told.accepted === 0) return rules.isEscalation ? "escalated" : "raised"
  if (isCritical && told.severity === "warning") return "worsened"
  const isRepeated = rules.repeatMillis > 0 && nowMs >= (told.lastMs ?? 0) + rules.repeatMillis
  return isRepeated ? "repeated" : undefined
}

/** Reason of the notice that is due now; undefined if none is. `told` is undefined if no attempt was ever made. */
export const dueNotice = (
  alert: AlertFacts,
  told: Told | undefined,
  rules: NoticeRules,
  nowMs: number
): NoticeReason | undefined => {
  if (told !== undefined && (told.isClosed || nowMs < (told.retryMs ?? 0))) return undefined
  if (alert.clearedAtMs !== undefined) return told === undefined ? undefined : "resolved"
  return standing(alert, told ?? UNTOLD, rules, nowMs)
}

/** First pause after a failed attempt in milliseconds. Each further one is twice as long. */
const FIRST_RETRY_MILLIS = 2_000

/** Longest pause between attempts in milliseconds. A destination that recovers hears of critical alerts within a minute. */
export const LONGEST_RETRY_MILLIS = 45_000

/** Maximum random share that is added to a pause. */
const JITTER = 0.1

/** Time after which a destination that fails is no longer told that an alert was cleared, in milliseconds. */
export const END_MILLIS = 24 * 3_600_000

const retryMillis = (failures: number, random: number): number =>
  Math.round(Math.min(LONGEST_RETRY_MILLIS, FIRST_RETRY_MILLIS * 2 ** Math.min(failures, 10)) * (1 + JITTER * random))

export interface NoticeAttempt {
  readonly reason: NoticeReason
  readonly isAccepted: boolean
  /** UNIX time in milliseconds. */
  readonly atMs: number
  /** 0 to 1. */
  readonly random: number
}

/** The record after an attempt. */
export const afterAttempt = (alert: AlertFacts, told: Told, attempt: NoticeAttempt): Told => {
  const { atMs, isAccepted, random, reason } = attempt
  const isEnd = reason === "resolved"
  if (isAccepted) {
    return { accepted: told.accepted + 1, lastMs: atMs, severity: alert.severity, failures: 0, isClosed: isEnd }
  }
  return {
    ...told,
    failures: told.failures + 1,
    retryMs: atMs + retryMillis(told.failures, random),
    isClosed: isEnd && atMs >= (alert.clearedAtMs ?? atMs) + END_MILLIS
  }
}

/** Number of failed attempts in a row after which a destination counts as failing. */
const FAILING = 3

/** True if a destination fails for one of its notices. */
export const isFailing = (records: ReadonlyArray<Told | undefined>): boolean =>
  records.some((told) => told !== undefined && !told.isClosed && told.failures >= FAILING)

/**
 * Identifier of a notice: equal for all its attempts, also after a crash, so that receivers detect repetitions. `reference` identifies the
 * alert.
 */
export const noticeId = (reference: string, destination: string, told: Told, reason: NoticeReason): string =>
  `${reference}-${destination}-${told.accepted}-${reason}`

/** Identifies an alert of a service. Ids of alerts may repeat after a database was restored. */
export const alertReference = (service: string, id: string, sinceMs: number): string =>
  `${service}-${id}-${sinceMs.toString(36)}`
