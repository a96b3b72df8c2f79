/** A process whose requests have turns, for tests of those. */
import { type Event, START, type Standing, type Step, step, type Turns } from "../../src/domain/FairTurns.ts"

export const arrived = (number: number, standing: Standing, network = "a", owner = "one"): Event => ({
  _tag: "Arrived",
  number,
  standing,
  network,
  owner
})

export const ended = (number: number): Event => ({ _tag: "Ended", number })

/** A process that events change one after another. */
export const process = () => {
  let turns: Turns = START
  let count = 0
  const present: { nowMs: number; delayMillis: number } = { nowMs: 1_000_000, delayMillis: 0 }
  const apply = (event: Event): Step => {
    const done = step(turns, event, present)
    turns = done.turns
    return done
  }
  return {
    present,
    turns: () => turns,
    arrive: (standing: Standing, network?: string, owner?: string) => {
      const number = count++
      return { number, ...apply(arrived(number, standing, network, owner)) }
    },
    end: (number: number) => apply(ended(number)),
    rest: () => apply({ _tag: "Rested" })
  }
}
