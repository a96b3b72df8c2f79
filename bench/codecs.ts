/**
 * CPU of the hand-written codecs beside the libraries that they replace, in microseconds a sweep, and as a share of a sweep's
 * CPU: `bun bench/codecs.ts`. A codec has to gain 5 % of a sweep's CPU; one that does not is code that nobody needs.
 */
import { CODECS, type Codec } from "./codecs/Codecs.ts"
import { BATCH } from "./codecs/Samples.ts"

/** CPU of the orchestrator for a sweep in a flood, in microseconds (`bun bench/relay.ts`, `cpuMsPerSweep`). */
const SWEEP_CPU = 1_700

/** Gain that pays for a codec of one's own, as a share of {@link SWEEP_CPU}. */
const WORTHWHILE = 0.05

const WARM_UP_BATCHES = 150
const BATCHES = 40
const ROUNDS = 15

const times = (count: number, work: () => unknown) => {
  for (let batch = 0; batch < count; batch++) work()
}

/** CPU of `work` in microseconds a sweep. */
const cost = (work: () => unknown): number => {
  const before = process.cpuUsage()
  times(BATCHES, work)
  const { system, user } = process.cpuUsage(before)
  return (system + user) / (BATCHES * BATCH)
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Rounds of both alternate, so that whatever else the machine does falls on both. */
const measured = ({ byHand, byLibrary, library, name, work }: Codec) => {
  times(WARM_UP_BATCHES, byHand)
  times(WARM_UP_BATCHES, byLibrary)
  const rounds = Array.from({ length: ROUNDS }, () => ({ hand: cost(byHand), theirs: cost(byLibrary) }))
  const [hand, theirs] = [median(rounds.map((round) => round.hand)), median(rounds.map((round) => round.theirs))]
  return { name, library, work, hand, theirs, gain: (theirs - hand) / SWEEP_CPU }
}

const cells = (...[name, ...numbers]: readonly [string, ...ReadonlyArray<string>]): string =>
  name.padEnd(22) + numbers.map((each) => each.padStart(10)).join("")

const results = CODECS.map(measured)
console.log(cells("µs of CPU a sweep", "by hand", "library", "saved", "of a sweep"))
for (const { gain, hand, library, name, theirs } of results) {
  const share = `${(gain * 100).toFixed(1)} %`
  const verdict = gain < WORTHWHILE ? "  below 5 %" : ""
  console.log(
    `${cells(name, hand.toFixed(1), theirs.toFixed(1), (theirs - hand).toFixed(1), share)}  ${library}${verdict}`
  )
}
console.log(JSON.stringify({ bench: "codecs", unit: "µs", sweepCpu: SWEEP_CPU, batch: BATCH, results }))
