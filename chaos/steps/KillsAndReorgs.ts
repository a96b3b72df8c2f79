/** The kills and reorganisations that have parts of their own, as steps between the others. */
import { Effect } from "effect"
import * as Kills from "../Kills.ts"
import * as Reorgs from "../Reorgs.ts"
import { nothing, type Step } from "./Step.ts"

/** Blocks after which a transaction on alpha counts: deeper than any reorganisation of a step. */
export const CONFIRMATIONS = 4
export const DEPTHS = CONFIRMATIONS - 1

const nameOf = ({ everybody, kill }: Kills.Round): string => {
  const what = kill._tag === "Point" ? kill.point.name : kill._tag === "Moment" ? "any moment" : "PostgreSQL"
  return `kill of ${everybody ? "all" : "one"}: ${what}`
}

export const killed = (round: Kills.Round): Step => ({
  name: nameOf(round),
  explains: () => false,
  mayFail: false,
  play: ({ world }) =>
    Effect.gen(function* () {
      yield* Kills.playRound(world, round)
      yield* world.endLeases
      return nothing
    })
})

/** Alerts about blocks that were booked and are gone. */
export const REORG_ALERTS = new Set(["reorg_after_final", "settlement_lost", "settled_after_failure"])

export const reorganised = (reorg: Reorgs.Reorg): Step => ({
  name: `${reorg.kind} at depth ${reorg.depth}`,
  explains: ({ kind }) => REORG_ALERTS.has(kind),
  mayFail: reorg.kind === "reverted",
  play: ({ miners, world }) =>
    Reorgs.strike(world, reorg, CONFIRMATIONS).pipe(
      miners.alpha.paused,
      miners.beta.paused,
      Effect.map((findings) => ({ ...nothing, findings }))
    )
})
