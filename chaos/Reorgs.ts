/**
 * Reorganisations of every depth, of four kinds, by going back to a snapshot and mining another, longer chain. On one chain they
 * strike before a transaction counts, on the other after it has counted and was booked.
 */
import { Effect, Random, Schedule } from "effect"
import { encodeFunctionData, type Hex, parseAbi, parseGwei } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type * as Client from "./Client.ts"
import { AMOUNT_IN, type Place, TOKEN_IN, TOKEN_OUT } from "./Holdings.ts"
import type { World } from "./World.ts"

/** Outcomes for the transactions of the replaced blocks. */
export const KINDS = ["vanished", "reordered", "moved", "reverted"] as const
export type Kind = (typeof KINDS)[number]

export interface Reorg {
  readonly depth: number
  readonly kind: Kind
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

/** Timeout of each step of the service. */
const PATIENCE = "60 seconds"
const LOOK_AGAIN = Schedule.spaced("20 millis")

const mintAbi = parseAbi(["function mint(address to, uint256 amount)"])

/** Number of owners that a plan needs. */
export const ownersFor = (depths: number): number => LASTING_OWNERS + depths

/** Every depth with every kind. */
export const plan = Effect.fnUntraced(function* (depths: number) {
  const all = Array.from({ length: depths }, (_, index) => KINDS.map((kind) => ({ depth: index + 1, kind }))).flat()
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

const mine = ({ dev }: Place, blocks: number) => dev.anvil.ask("mine", (node) => node.mine({ blocks }))

const send = ({ dev }: Place, raws: ReadonlyArray<Hex>) =>
  Effect.forEach(raws, (serializedTransaction) =>
    dev.anvil
      .ask("send", (node) => node.sendRawTransaction({ serializedTransaction }))
      // The service was faster.
      .pipe(Effect.ignore)
  )

/** A transaction of somebody else that logs, and goes into the next block before all others. */
const intrude = ({ dev }: Place) =>
  dev.anvil.ask("intrude", (node) =>
    node.sendTransaction({
      account: privateKeyToAccount(dev.deployer.privateKey),
      chain: node.chain,
      to: dev.tokens[TOKEN_IN],
      data: encodeFunctionData({ abi: mintAbi, functionName: "mint", args: [dev.deployer.address, 1n] }),
      maxFeePerGas: parseGwei("100"),
      maxPriorityFeePerGas: parseGwei("50")
    })
  )

/** Shows the service blocks after all deadlines, so that it ends what it has given up, and takes them back. */
const outlast = Effect.fnUntraced(function* (
  world: World,
  { dev }: Place,
  ids: ReadonlyArray<string>,
  confirmations: number
) {
  const id = yield* dev.anvil.ask("snapshot", (node) => node.snapshot())
  yield* dev.anvil.ask("pass the deadlines", async (node) => {
    await node.increaseTime({ seconds: 3_600 })
    await node.mine({ blocks: confirmations })
  })
  const ended = Effect.map(stillOpen(world, ids), ({ all }) => (all === 0 ? true : undefined))
  yield* until(ended, "did not end what nobody can send")
  yield* dev.anvil.ask("go back", (node) => node.revert({ id }))
})

/** The hash of the canonical block that holds the transaction. */
const blockOf = ({ dev }: Place, hash: Hex) =>
  dev.anvil.ask("find", (node) =>
    node.getTransactionReceipt({ hash }).then(
      ({ blockHash }) => blockHash,
      () => undefined
    )
  )

const isPending = ({ dev }: Place, hash: Hex) =>
  dev.anvil.ask("find", (node) =>
    node.getTransaction({ hash }).then(
      ({ blockHash }) => blockHash === null,
      () => false
    )
  )

/** Mines another chain, one block longer than the part that is gone. */
const replace = Effect.fnUntraced(function* (
  { drain }: World,
  { place, sweeps }: Side,
  { depth, kind }: Reorg,
  raws: ReadonlyArray<Hex>
) {
  switch (kind) {
    case "vanished":
      return yield* mine(place, depth + 1)
    case "moved":
      yield* mine(place, 1)
      yield* send(place, raws)
      return yield* mine(place, depth)
    case "reordered":
      yield* intrude(place)
      yield* send(place, raws.toReversed())
      return yield* mine(place, depth + 1)
    case "reverted": {
      const [first] = sweeps
      if (first !== undefined) yield* drain(place, first.owner)
      yield* send(place, raws)
      return yield* mine(place, depth + 1)
    }
  }
})

/** One reorganisation on both chains, with what is wrong about how it ended. Blocks come only from here while it lasts. */
export const strike = Effect.fn("Reorgs.strike")(function* (world: World, reorg: Reorg, confirmations: number) {
  const { alpha, beta, client, owners, slots } = world
  const { depth, kind, unseen } = reorg
  const [slot] = slots
  if (slot === undefined) return yield* Effect.die(new Error("a world has slots"))

  const sweepOn = (place: Place) =>
    Effect.forEach(
      reorg.owners,
      Effect.fnUntraced(function* (index) {
        const owner = owners[index]
        if (owner === undefined) return yield* Effect.die(new Error("there is no such owner"))
        const request = { chain: place.info, tokenIn: TOKEN_IN, amountIn: AMOUNT_IN, tokenOut: TOKEN_OUT }
        const sweep = yield* client.quote(slot.url, owner, request)
        if (sweep === undefined || (yield* client.submit(slot.url, sweep)) !== "acknowledged") {
          return yield* Effect.die(new Error("the service takes no sweep"))
        }
        return sweep
      }),
      { concurrency: "unbounded" }
    ).pipe(Effect.map((sweeps): Side => ({ place, sweeps, ids: sweeps.map(({ id }) => id) })))
  // A settled sweep that does not settle again needs an operator, because the service cannot resolve it.
  const sides = yield* Effect.forEach(kind === "reverted" ? [alpha] : [alpha, beta], sweepOn, { concurrency: 2 })
  const ids = sides.flatMap((side) => side.ids)
  const isOn =
    ({ dev }: Place) =>
    (sent: Sent) =>
      sent.chainId === dev.chain.id

  /** Every sweep is in a transaction that waits at its node. */
  const waiting = Effect.gen(function* () {
    const found = yield* sentFor(world, ids)
    const carried = yield* world.sql<{ count: number }>`
      SELECT count(*)::int AS count FROM orchestrator.intents WHERE id = ANY(${ids}) AND relay_transaction_id IS NOT NULL`
    const pending = yield* Effect.forEach(sides, ({ place }) =>
      Effect.forEach(found.filter(isOn(place)), ({ hash }) => isPending(place, hash))
    )
    return carried[0]?.count === ids.length && pending.flat().every(Boolean) ? found : undefined
  })
  const sent = yield* until(waiting, "sent nothing")
  const snapshots = yield* Effect.forEach(sides, ({ place }) =>
    place.dev.anvil.ask("snapshot", (node) => node.snapshot())
  )
  for (const { place } of sides) yield* mine(place, depth)
  const isNoted = ({ chainId, status }: Sent) => status === (chainId === alpha.dev.chain.id ? "mined" : "final")
  yield* until(
    Effect.map(sentFor(world, ids), (found) => (found.every(isNoted) ? found : undefined)),
    "did not see the blocks"
  )

  if (unseen) yield* slot.down
  for (const [index, side] of sides.entries()) {
    const ours = sent.filter(isOn(side.place))
    yield* side.place.dev.anvil.ask("go back", async (node) => {
      await node.revert({ id: snapshots[index] ?? "0x" })
      await Promise.all(ours.map(({ hash }) => node.dropTransaction({ hash }).catch(() => undefined)))
    })
    yield* replace(
      world,
      side,
      reorg,
      ours.map(({ raw }) => raw)
    )
  }
  if (unseen) yield* slot.up

  // Deeper than 64 blocks nothing is looked for: what had counted is to be found before its chain grows.
  const foundGone = Effect.gen(function* () {
    const found = (yield* sentFor(world, ids)).filter(isOn(beta))
    const blocks = yield* Effect.forEach(found, ({ hash }) => blockOf(beta, hash))
    const isKnown = ({ blockHash, status }: Sent, index: number) =>
      status === "pending" || (blockHash !== null && blockHash === blocks[index])
    return found.every(isKnown) ? found : undefined
  })
  yield* until(foundGone, "did not notice")

  let buried = false
  const ended = Effect.gen(function* () {
    const found = yield* sentFor(world, ids)
    for (const { place } of sides) {
      const ours = found.filter(isOn(place))
      const isOpen = (yield* Effect.forEach(ours, ({ hash }) => blockOf(place, hash))).includes(undefined)
      const counts = place === alpha && !isOpen && !buried
      buried ||= counts
      yield* mine(place, counts ? confirmations : 1)
    }
    const isDone = (yield* stillOpen(world, ids)).waiting === 0 && found.every(({ status }) => status === "final")
    return isDone ? found : undefined
  }).pipe(Effect.delay("50 millis"))
  yield* until(ended, "did not finish")

  const [drained] = kind === "reverted" ? ids : []
  if (drained !== undefined) yield* outlast(world, alpha, [drained], confirmations)
  const intents = yield* world.sql<{ id: string; status: string }>`
    SELECT id, status FROM orchestrator.intents WHERE id = ANY(${ids})`
  return intents.flatMap(({ id, status }) => {
    const expected = id === drained ? "failed" : "delivered"
    return status === expected ? [] : [`${kind} at depth ${depth}: ${id} is ${status} instead of ${expected}`]
  })
})

/** Waits for an answer; dies, saying what the service did not do, when there is none in time. */
const until = <A, E, R>(question: Effect.Effect<A | undefined, E, R>, otherwise: string) =>
  question.pipe(
    Effect.repeat({ schedule: LOOK_AGAIN, until: (answer) => answer !== undefined }),
    Effect.timeoutOrElse({
      duration: PATIENCE,
      orElse: () => Effect.die(new Error(`the service ${otherwise} within ${PATIENCE}`))
    }),
    Effect.flatMap(Effect.fromNullishOr),
    Effect.orDie
  )

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
      dev.anvil.ask("mine when told", (node) => node.setAutomine(false)),
      () => Effect.orDie(dev.anvil.ask("mine at once", (node) => node.setAutomine(true)))
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
