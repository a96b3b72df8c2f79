/**
 * Steps in which owners sweep their tokens of both chains under one signature while a process dies, or one chain says nothing. Every leg
 * settles alone: a silent chain holds up its own legs and no others.
 */
import { Clock, Effect } from "effect"
import type * as Client from "../Client.ts"
import { isAbout, silence } from "./ChainFaults.ts"
import { nothing, otherOf, type Side, type Stage, type Step } from "./Step.ts"

/** Owners who sweep at the same time. */
const WALLETS = 4

/** Tokens of each wallet: two on each chain. */
const LEGS = 4

/** The fault, which begins when the batches are accepted: a replica dies, or a chain says nothing. */
export type Fault = "kill" | Side

/** Quotes, signs and submits the wallets at the same time. Returns those that were accepted, and what went wrong. */
const submitted = Effect.fnUntraced(function* ({ traffic, world: { alpha, beta, client } }: Stage) {
  const results = yield* Effect.forEach(
    Array.from({ length: WALLETS }, (_, index) => (index % 2 === 0 ? alpha : beta)),
    Effect.fnUntraced(function* (destination) {
      const batch = yield* traffic.quotedWallet(destination)
      if (batch === undefined) return "no token of a wallet was quoted"
      if (batch.legs.length !== LEGS) return `${batch.legs.length} of ${LEGS} tokens of a wallet were quoted`
      const answer = yield* client.submit(traffic.nextSlot().url, batch)
      return answer === "acknowledged"
        ? batch
        : `a batch was ${answer}: ${client.refusals.get(batch.id) ?? "no response"}`
    }),
    { concurrency: "unbounded" }
  )
  return {
    batches: results.filter((result) => typeof result !== "string"),
    findings: results.filter((result) => typeof result === "string")
  }
})

/** Legs of these chains that do not settle within a minute. */
const unsettled = Effect.fnUntraced(function* (
  { traffic, world: { slots } }: Stage,
  batches: ReadonlyArray<Client.Batch>,
  chainIds: ReadonlyArray<number>
) {
  const slot = slots.at(-1)
  if (slot === undefined) return yield* Effect.die(new Error("a world has slots"))
  const ids = batches
    .flatMap(({ legs }) => legs.filter(({ chainId }) => chainIds.includes(chainId)))
    .map(({ id }) => id)
  const millis = yield* traffic.settled(slot, ids, yield* Clock.currentTimeMillis)
  return millis === undefined ? [`not all of the legs ${ids.join(" ")} settled within a minute`] : []
})

const idOf = ({ world }: Stage, side: Side): number => world[side].dev.chain.id

/** A chain that says nothing for as long as the legs of the other one take. */
const silent = (stage: Stage, batches: ReadonlyArray<Client.Batch>, side: Side) =>
  Effect.gen(function* () {
    yield* silence(stage, { side, how: "proxies" })
    return yield* unsettled(stage, batches, [idOf(stage, otherOf(side))])
  }).pipe(Effect.scoped)

/** The first replica dies and starts again. Its work is claimed by the other one. */
const killed = Effect.fnUntraced(function* (stage: Stage, batches: ReadonlyArray<Client.Batch>) {
  const [slot] = stage.world.slots
  if (slot === undefined) return yield* Effect.die(new Error("a world has slots"))
  yield* slot.down
  yield* slot.up
  yield* stage.world.endLeases
  return yield* unsettled(stage, batches, [idOf(stage, "alpha"), idOf(stage, "beta")])
})

export const wallets = (fault: Fault, chainIds: Readonly<Record<Side, number>>): Step => ({
  name: `${WALLETS} wallets of ${LEGS} tokens on two chains (${fault === "kill" ? "a replica is killed" : `silent ${fault}`})`,
  explains: fault === "kill" ? () => false : isAbout(chainIds[fault]),
  mayFail: false,
  play: Effect.fnUntraced(function* (stage) {
    const { batches, findings } = yield* submitted(stage)
    const late = fault === "kill" ? yield* killed(stage, batches) : yield* silent(stage, batches, fault)
    return { ...nothing, findings: [...findings, ...late] }
  })
})
