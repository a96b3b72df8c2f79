/**
 * Reorganisations of every depth, of four kinds, by going back to a snapshot and mining another, longer chain. On one chain they
 * strike before a transaction counts, on the other after it has counted and was booked.
 */
import { Effect, Option, Random } from "effect"
import type { Hex } from "viem"
import type * as Client from "./Client.ts"
import * as Fork from "./Fork.ts"
import { AMOUNT_IN, type Place, TOKEN_IN, TOKEN_OUT } from "./Holdings.ts"
import { until } from "./Until.ts"
import type { World } from "./World.ts"

type Slot = World["slots"][number]

export interface Reorg {
  readonly depth: number
  readonly kind: Fork.Kind
  /** True if it happens while no process of the service runs. */
  readonly unseen: boolean
  /** Indices of those who sweep; the first one is drained where its sweep is to revert. */
  readonly owners: ReadonlyArray<number>
}

/** Owners of whom nothing is taken. */
export const LASTING_OWNERS = 12
const SWEEPS = { from: 1, to: 3 }
const UNSEEN_SHARE = 0.2

/** The node forgets what a reorganisation took away, and the service need not wait long to send it again. */
export const SETTINGS = { REBROADCAST_SECONDS: "1" }

/** Number of owners that a plan needs. */
export const ownersFor = (depths: number): number => LASTING_OWNERS + depths

/** Every depth with every kind. */
export const plan = Effect.fnUntraced(function* (depths: number) {
  const all = Array.from({ length: depths }, (_, index) =>
    Fork.KINDS.map((kind) => ({ depth: index + 1, kind }))
  ).flat()
  return yield* Effect.forEach(
    all,
    Effect.fnUntraced(function* ({ depth, kind }) {
      const lasting = yield* Random.shuffle(Array.from({ length: LASTING_OWNERS }, (_, index) => index))
      const count = yield* Random.nextIntBetween(SWEEPS.from, SWEEPS.to)
      const drained = kind === "reverted" ? [LASTING_OWNERS + depth - 1] : []
      return {
        depth,
        kind,
        unseen: (yield* Random.next) < UNSEEN_SHARE,
        owners: [...drained, ...lasting.slice(0, count)]
      } satisfies Reorg
    })
  )
})

/** A version of a relay transaction, as the service has stored it. */
interface Sent {
  readonly chainId: number
  readonly hash: Hex
  readonly raw: Hex
  readonly status: string
  readonly blockHash: Hex | null
}

const sentFor = ({ sql }: World, ids: ReadonlyArray<string>) => sql<Sent>`
  SELECT DISTINCT t.chain_id::int AS "chainId", a.hash::text AS hash, '0x' || encode(a.raw, 'hex') AS raw, t.status,
    t.included_block_hash::text AS "blockHash"
  FROM orchestrator.relay_transactions t
  JOIN orchestrator.relay_transaction_intents l ON l.transaction_id = t.id
  JOIN orchestrator.relay_attempts a ON a.transaction_id = t.id
  WHERE l.intent_id = ANY(${ids})`

const stillOpen = ({ sql }: World, ids: ReadonlyArray<string>) =>
  Effect.map(
    sql<{ id: string; given_up: boolean }>`
      SELECT id, EXISTS (SELECT FROM orchestrator.given_up_intents g WHERE g.intent_id = i.id) AS given_up
      FROM orchestrator.intents i WHERE id = ANY(${ids}) AND status NOT IN ('delivered', 'failed')`,
    (rows) => ({ waiting: rows.filter((row) => !row.given_up).length, all: rows.length })
  )

/** The part of a reorganisation that one chain sees. */
interface Side {
  readonly place: Place
  readonly sweeps: ReadonlyArray<Client.Sweep>
  readonly ids: ReadonlyArray<string>
}

/** Shows the service blocks after all deadlines, so that it ends what it has given up, and takes them back. */
const outlast = Effect.fnUntraced(function* (
  world: World,
  { dev }: Place,
  ids: ReadonlyArray<string>,
  confirmations: number
) {
  const id = yield* dev.node.ask("snapshot", (node) => node.snapshot())
  yield* dev.node.ask("pass the deadlines", async (node) => {
    await node.increaseTime({ seconds: 3_600 })
    await node.mine({ blocks: confirmations })
  })
  const ended = Effect.map(stillOpen(world, ids), ({ all }) => (all === 0 ? true : undefined))
  yield* until(ended, "did not end what nobody can send")
  yield* dev.node.ask("go back", (node) => node.revert({ id }))
})

const refusalOf = ({ refusals }: Client.Client, { id }: Client.Sweep) =>
  Effect.sync(() => Option.toArray(Option.fromUndefinedOr(refusals.get(id))))

/** Sweeps of the reorganisation's owners, by chain. */
const sweepAll = Effect.fnUntraced(function* ({ alpha, beta, client, owners }: World, slot: Slot, reorg: Reorg) {
  const sweepOn = (place: Place) =>
    Effect.forEach(
      reorg.owners,
      Effect.fnUntraced(function* (index) {
        const owner = owners[index]
        if (owner === undefined) return yield* Effect.die(new Error("there is no such owner"))
        const request = { chain: place.info, tokenIn: TOKEN_IN, amountIn: AMOUNT_IN, tokenOut: TOKEN_OUT }
        // A busy machine may give no quote at first, or the answer to a submission too late.
        const sweep = yield* until(client.quote(slot.url, owner, request), "quoted nothing")
        const acknowledged = Effect.map(client.submit(slot.url, sweep), (answer) =>
          answer === "acknowledged" ? true : undefined
        )
        yield* until(acknowledged, "took no sweep", refusalOf(client, sweep))
        return sweep
      }),
      { concurrency: "unbounded" }
    ).pipe(Effect.map((sweeps): Side => ({ place, sweeps, ids: sweeps.map(({ id }) => id) })))
  // A settled sweep that does not settle again needs an operator, because the service cannot resolve it.
  return yield* Effect.forEach(reorg.kind === "reverted" ? [alpha] : [alpha, beta], sweepOn, { concurrency: 2 })
})

const idsOf = (sides: ReadonlyArray<Side>) => sides.flatMap((side) => side.ids)

const isOn =
  ({ dev }: Place) =>
  (sent: Sent) =>
    sent.chainId === dev.chain.id

/**
 * The transactions of all sweeps; undefined until each waits at its node. They are read after it is known that every sweep has one,
 * or one that is signed in between would be left out.
 */
const waiting = Effect.fnUntraced(function* (world: World, sides: ReadonlyArray<Side>) {
  const ids = idsOf(sides)
  const carried = yield* world.sql<{ count: number }>`
    SELECT count(DISTINCT i.id)::int AS count FROM orchestrator.intents i
    JOIN orchestrator.relay_attempts a ON a.transaction_id = i.relay_transaction_id
    WHERE i.id = ANY(${ids})`
  if (carried[0]?.count !== ids.length) return undefined
  const found = yield* sentFor(world, ids)
  const pending = yield* Effect.forEach(sides, ({ place }) =>
    Effect.forEach(found.filter(isOn(place)), ({ hash }) => Fork.isPending(place, hash))
  )
  return pending.flat().every(Boolean) ? found : undefined
})

/** Mines blocks, the first with all of these transactions, and returns the snapshot from before them. */
const mineAll = Effect.fnUntraced(function* (place: Place, sent: ReadonlyArray<Sent>, depth: number) {
  const attempt = Effect.gen(function* () {
    const id = yield* place.dev.node.ask("snapshot", (node) => node.snapshot())
    yield* Fork.mine(place, depth)
    const blocks = yield* Effect.forEach(sent, ({ hash }) => Fork.blockOf(place, hash))
    if (!blocks.includes(undefined)) return id
    // A block can miss a transaction that the node has just taken. The service then rightly waits for further blocks.
    yield* place.dev.node.ask("go back", (node) => node.revert({ id }))
    return undefined
  })
  return yield* until(attempt, "got its transactions into no block")
})

/** Mines the transactions, waits until the service has noted them, and replaces their blocks. */
const reorganise = Effect.fnUntraced(function* (
  world: World,
  slot: Slot,
  sides: ReadonlyArray<Side>,
  sent: ReadonlyArray<Sent>,
  reorg: Reorg
) {
  const snapshots = yield* Effect.forEach(sides, ({ place }) => mineAll(place, sent.filter(isOn(place)), reorg.depth))
  const isNoted = ({ chainId, status }: Sent) => status === (chainId === world.alpha.dev.chain.id ? "mined" : "final")
  const now = Effect.orDie(sentFor(world, idsOf(sides)))
  yield* until(
    Effect.map(now, (found) => (found.every(isNoted) ? found : undefined)),
    "did not see the blocks",
    Effect.map(now, (found) => found.map(({ chainId, hash, status }) => `${hash} on ${chainId} is ${status}`))
  )

  if (reorg.unseen) yield* slot.down
  for (const [index, { place, sweeps }] of sides.entries()) {
    const ours = sent.filter(isOn(place))
    yield* place.dev.node.ask("go back", async (node) => {
      await node.revert({ id: snapshots[index] ?? "0x" })
      await Promise.all(ours.map(({ hash }) => node.dropTransaction({ hash }).catch(() => undefined)))
    })
    const [first] = sweeps
    yield* Fork.replace(
      place,
      reorg,
      ours.map(({ raw }) => raw),
      first === undefined ? Effect.void : world.drain(place, first.owner)
    )
  }
  if (reorg.unseen) yield* slot.up
})

/** True once the service knows which transactions are gone. Deeper than 64 blocks it looks for nothing, so it must know before the chain grows. */
const foundGone = Effect.fnUntraced(function* (world: World, ids: ReadonlyArray<string>) {
  const { beta } = world
  const found = (yield* sentFor(world, ids)).filter(isOn(beta))
  const blocks = yield* Effect.forEach(found, ({ hash }) => Fork.blockOf(beta, hash))
  const isKnown = ({ blockHash, status }: Sent, index: number) =>
    status === "pending" || (blockHash !== null && blockHash === blocks[index])
  return found.every(isKnown) ? true : undefined
})

/** Mines until every transaction is final and no sweep waits. */
const bury = Effect.fnUntraced(function* (world: World, sides: ReadonlyArray<Side>, confirmations: number) {
  const ids = idsOf(sides)
  let buried = false
  const ended = Effect.gen(function* () {
    const found = yield* sentFor(world, ids)
    for (const { place } of sides) {
      const ours = found.filter(isOn(place))
      const isOpen = (yield* Effect.forEach(ours, ({ hash }) => Fork.blockOf(place, hash))).includes(undefined)
      const counts = place === world.alpha && !isOpen && !buried
      buried ||= counts
      yield* Fork.mine(place, counts ? confirmations : 1)
    }
    const isDone = (yield* stillOpen(world, ids)).waiting === 0 && found.every(({ status }) => status === "final")
    return isDone ? true : undefined
  }).pipe(Effect.delay("50 millis"))
  yield* until(ended, "did not finish")
})

/** One reorganisation on both chains, with what is wrong about how it ended. Blocks come only from here while it lasts. */
export const strike = Effect.fn("Reorgs.strike")(function* (world: World, reorg: Reorg, confirmations: number) {
  const [slot] = world.slots
  if (slot === undefined) return yield* Effect.die(new Error("a world has slots"))
  const sides = yield* sweepAll(world, slot, reorg)
  const ids = idsOf(sides)
  const sent = yield* until(waiting(world, sides), "sent nothing")
  yield* reorganise(world, slot, sides, sent, reorg)
  yield* until(foundGone(world, ids), "did not notice")
  yield* bury(world, sides, confirmations)

  const { depth, kind } = reorg
  const [drained] = kind === "reverted" ? ids : []
  if (drained !== undefined) yield* outlast(world, world.alpha, [drained], confirmations)
  const intents = yield* world.sql<{ id: string; status: string }>`
    SELECT id, status FROM orchestrator.intents WHERE id = ANY(${ids})`
  return intents.flatMap(({ id, status }) => {
    const expected = id === drained ? "failed" : "delivered"
    return status === expected ? [] : [`${kind} at depth ${depth}: ${id} is ${status} instead of ${expected}`]
  })
})

/** Strikes with all of them, one after another. The first that the service does not get over ends it. */
export const run = Effect.fn("Reorgs.run")(function* (
  world: World,
  reorgs: ReadonlyArray<Reorg>,
  confirmations: number,
  tell: (done: number) => Effect.Effect<void>
) {
  yield* Effect.forEach(world.slots, ({ up }) => up, { concurrency: "unbounded", discard: true })
  for (const { dev } of [world.alpha, world.beta]) {
    yield* Effect.acquireRelease(
      dev.node.ask("mine when told", (node) => node.setAutomine(false)),
      () => Effect.orDie(dev.node.ask("mine at once", (node) => node.setAutomine(true)))
    )
  }
  const found = yield* Effect.forEach(reorgs, (reorg, index) =>
    strike(world, reorg, confirmations).pipe(
      Effect.catchDefect((defect) =>
        Effect.die(
          new Error(`${reorg.kind} at depth ${reorg.depth}${reorg.unseen ? ", unseen" : ""}: ${String(defect)}`)
        )
      ),
      Effect.tap(tell(index + 1))
    )
  )
  return { findings: found.flat(), isQuiet: yield* world.quiet }
}, Effect.scoped)
