/** The bars of a run of steps: a figure each, its limit, and the verdict. */

/** No ratio is judged of fewer samples. Up to 100 samples, the 99th percentile is their maximum. */
export const FEWEST_SAMPLES = 50

/** A chain beside a broken one may be slower than without any fault by this factor. */
const SETTLE_RATIO = 1.5

/** Limit of every response of every route, in milliseconds. */
export const ANSWER_MILLIS = 5_000

export interface Bar {
  readonly name: string
  readonly figure: string
  readonly verdict: "holds" | "violated" | "not judged"
}

/** The value that `share` of the samples do not exceed (nearest rank). Undefined without samples. */
export const percentile = (samples: ReadonlyArray<number>, share: number): number | undefined =>
  samples.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(samples.length * share) - 1)]

const none = (name: string, found: ReadonlyArray<unknown>): Bar => ({
  name,
  figure: String(found.length),
  verdict: found.length === 0 ? "holds" : "violated"
})

/** Milliseconds from a submission to its settlement on the source chain. */
export interface SettleTimes {
  /** Without any fault, before and between steps. */
  readonly baseline: ReadonlyArray<number>
  /** While something else is broken. */
  readonly beside: ReadonlyArray<number>
}

const settleBar = ({ baseline, beside }: SettleTimes): Bar => {
  const [before, during] = [percentile(baseline, 0.99), percentile(beside, 0.99)]
  const isEnough = Math.min(baseline.length, beside.length) >= FEWEST_SAMPLES
  const ratio = before === undefined || during === undefined ? undefined : during / before
  return {
    name: `settle p99 of a healthy chain at most ${SETTLE_RATIO} times its baseline`,
    figure:
      ratio === undefined
        ? "no samples"
        : `${ratio.toFixed(2)} (${during} ms of ${beside.length}, without faults ${before} ms of ${baseline.length})`,
    verdict: !isEnough || ratio === undefined ? "not judged" : ratio <= SETTLE_RATIO ? "holds" : "violated"
  }
}

/** A response of the service to a probe. */
export interface Response {
  readonly route: string
  readonly millis: number
  /** False if the connection ended without a response, or none came in time. */
  readonly isAnswered: boolean
  /** Step during which it was requested. */
  readonly step: string
}

const answerBar = (slowest: Response | undefined, late: number, asked: number): Bar => ({
  name: `every request answered within ${ANSWER_MILLIS} ms`,
  figure:
    slowest === undefined
      ? "no requests"
      : `${late} of ${asked} late or unanswered, slowest ${Math.round(slowest.millis)} ms: ${slowest.route} in "${slowest.step}"`,
  verdict: slowest === undefined ? "not judged" : late === 0 ? "holds" : "violated"
})

export interface Counted {
  readonly settle: SettleTimes
  readonly slowest: Response | undefined
  readonly late: number
  readonly asked: number
  readonly lost: ReadonlyArray<string>
  readonly sentTwice: ReadonlyArray<string>
  readonly calledFailed: ReadonlyArray<string>
  readonly unbalanced: ReadonlyArray<string>
  readonly falseAlerts: ReadonlyArray<string>
  readonly lastingAlerts: ReadonlyArray<string>
}

/** `isTimed`: false where other programs share the machine, so that times say nothing about the service. */
export const judge = (counted: Counted, isTimed: boolean): ReadonlyArray<Bar> => [
  ...[settleBar(counted.settle), answerBar(counted.slowest, counted.late, counted.asked)].map((bar): Bar =>
    isTimed ? bar : { ...bar, verdict: "not judged" }
  ),
  none("acknowledged sweeps lost", counted.lost),
  none("sweeps settled or sent twice", counted.sentTwice),
  none("delivered sweeps called failed", counted.calledFailed),
  none("checks at which books and chain differ by a wei", counted.unbalanced),
  none("false alerts", counted.falseAlerts),
  none("alerts that stay", counted.lastingAlerts)
]
