/** Steps in which the books move under a payout, or the chain does. */
import { Effect } from "effect"
import { besides, joined, nothing, type Stage, type Step } from "./Step.ts"
import * as Vault from "./Vault.ts"

/** In the order of a payout's life. */
export const MOMENTS = ["opened", "recorded", "broadcast", "mined", "booked"] as const
export type Moment = (typeof MOMENTS)[number]

const AMOUNTS = [11n, 23n, 47n] as const
const LATER = 5n

/** The run of the payment until the moment. Blocks come only if the moment needs them. */
const untilMoment = Effect.fnUntraced(function* ({ world }: Stage, vault: Vault.Vault, id: string, moment: Moment) {
  const mine = (blocks: number) => world.alpha.dev.node.ask("mine", (node) => node.mine({ blocks }))
  switch (moment) {
    case "opened":
      return
    case "recorded":
      return yield* vault.payUntil(id, "Recorded")
    case "broadcast":
      return yield* vault.payUntil(id, "Broadcast")
    case "mined":
      yield* vault.payUntil(id, "Broadcast")
      return yield* mine(1)
    case "booked":
      yield* vault.payUntil(id, "Broadcast")
      yield* mine(Vault.CONFIRMATIONS)
      return yield* vault.pay(id)
  }
})

/** One builder is suspended and another one's payout address changes while the batch is under way. */
const changing = Effect.fnUntraced(function* (stage: Stage, moment: Moment) {
  const vault = yield* Vault.make(stage)
  yield* vault.approved
  const [suspended, moved, other] = yield* Effect.all([
    vault.owing(AMOUNTS[0]),
    vault.owing(AMOUNTS[1]),
    vault.owing(AMOUNTS[2])
  ])
  const { id } = yield* vault.open
  yield* stage.miners.alpha.paused(untilMoment(stage, vault, id, moment))
  const elsewhere = Vault.newWallet()
  yield* vault.suspend(suspended.id, true)
  yield* vault.move(moved.id, elsewhere)
  yield* Effect.forEach([suspended, moved, other], (each) => vault.accrue(each.id, LATER), { discard: true })
  yield* vault.pay(id)

  const second = yield* vault.open
  const leftOut = second.leftOut.map(({ builderId, reason }) => `${builderId} ${reason}`)
  const isLeftOut = leftOut.includes(`${suspended.id} suspended`)
  yield* vault.pay(second.id)
  const whileSuspended = yield* vault.wrongBalance(suspended.id, suspended.wallet, AMOUNTS[0])
  yield* vault.suspend(suspended.id, false)
  yield* vault.pay((yield* vault.open).id)
  const wrong = yield* Effect.all([
    vault.wrongBalance(suspended.id, suspended.wallet, AMOUNTS[0] + LATER),
    vault.wrongBalance(`the former wallet of ${moved.id}`, moved.wallet, AMOUNTS[1]),
    vault.wrongBalance(moved.id, elsewhere, LATER),
    vault.wrongBalance(other.id, other.wallet, AMOUNTS[2] + LATER),
    ...[suspended, moved, other].map((each) => vault.wrongTotals(each.id, 0n))
  ])
  return [
    ...(isLeftOut ? [] : [`the suspended ${suspended.id} is not left out: ${leftOut.join(", ")}`]),
    ...whileSuspended,
    ...wrong.flat()
  ]
})

/** Blocks of the other chain, one more than those that are gone. */
const REPLACED_BLOCKS = Vault.CONFIRMATIONS + 1

/** The chain goes back to before the payout. A payment that was booked returns to the node's pool, as others keep it. */
const reorganising = Effect.fnUntraced(function* (stage: Stage, moment: Moment) {
  const vault = yield* Vault.make(stage)
  const { node } = stage.world.alpha.dev
  yield* vault.approved
  const paid = yield* Effect.forEach(AMOUNTS, (amount) => vault.owing(amount))
  const { id } = yield* vault.open
  yield* stage.miners.alpha.paused(
    Effect.gen(function* () {
      const before = yield* node.ask("snapshot", (client) => client.snapshot())
      yield* untilMoment(stage, vault, id, moment)
      const { payments = [], status } = yield* vault.batch(id)
      yield* node.ask("go back", async (client) => {
        await client.revert({ id: before })
        for (const { txHash } of payments) await client.dropTransaction({ hash: txHash }).catch(() => undefined)
        await client.mine({ blocks: REPLACED_BLOCKS })
        const raws = status === "paid" ? payments.map(({ raw }) => raw) : []
        for (const serializedTransaction of raws) await client.sendRawTransaction({ serializedTransaction })
      })
    })
  )
  yield* vault.pay(id)
  // Blocks come again, so what returned to the pool is mined.
  yield* Effect.sleep("1 second")
  const wrong = yield* Effect.forEach(paid, ({ id: builderId, wallet }, index) =>
    Effect.all([vault.wrongBalance(builderId, wallet, AMOUNTS[index] ?? 0n), vault.wrongTotals(builderId, 0n)])
  )
  return wrong.flat(2)
})

const payoutStep = (name: string, play: (stage: Stage) => Effect.Effect<ReadonlyArray<string>, unknown>): Step => ({
  name,
  explains: () => false,
  mayFail: false,
  play: (stage) =>
    Effect.gen(function* () {
      const [findings, beside] = yield* Effect.all([play(stage), besides(stage, stage.world.beta, 0)], {
        concurrency: 2
      })
      return joined([beside, { ...nothing, findings }])
    })
})

/** The moment `booked` is left out: after it, the batch no longer changes. */
export const changedPayout = (moment: Exclude<Moment, "booked">): Step =>
  payoutStep(`builder suspended and payout address changed when a payout was ${moment}`, (stage) =>
    changing(stage, moment)
  )

export const reorganisedPayout = (moment: Moment): Step =>
  payoutStep(`payout reorganised when it was ${moment}`, (stage) => reorganising(stage, moment))
