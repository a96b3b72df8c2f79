/**
 * The in-memory stores are the model of the durable ones: for the same commands in the same order, both return the same
 * results.
 */
import { expect, layer } from "@effect/vitest"
import { Arbitrary, Cause, Clock, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryIntents from "../../../../src/adapters/memory/orchestrator/Intents.ts"
import * as MemoryOutbox from "../../../../src/adapters/memory/orchestrator/Outbox.ts"
import * as MemoryRelayTransactions from "../../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import type { OutboxMessage } from "../../../../src/domain/Accrual.ts"
import { IntentStatus } from "../../../../src/domain/Intent.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { Outbox, TOPICS } from "../../../../src/ports/orchestrator/Outbox.ts"
import { type RelayTransaction, RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, newIntent, submission } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

type Stores = Intents | RelayTransactions | Outbox

class Both extends Context.Service<
  Both,
  { readonly memory: Context.Context<Stores>; readonly postgres: Context.Context<Stores> }
>()("sweep/test/Both") {
  static readonly layer = Layer.effect(
    Both,
    Effect.all({
      memory: Layer.build(Layer.mergeAll(MemoryIntents.layer, MemoryRelayTransactions.layer, MemoryOutbox.layer)),
      postgres: Layer.build(freshStores)
    })
  )
}

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Six intents of three owners, two each. */
const anIntent = upTo(5)
const someIntents = Schema.Array(anIntent).check(Schema.isMaxLength(3), Schema.isUnique())
const aTransaction = upTo(3)

const Command = Schema.Union([
  Schema.TaggedStruct("Create", { intent: anIntent }),
  Schema.TaggedStruct("CreateAll", {}),
  Schema.TaggedStruct("Submit", { intent: anIntent }),
  Schema.TaggedStruct("SubmitAll", {}),
  Schema.TaggedStruct("SubmitSweep", { owner: upTo(2), isReversed: Schema.Boolean }),
  Schema.TaggedStruct("Claim", { limit: upTo(3), leaseMillis: upTo(4) }),
  Schema.TaggedStruct("Release", { intents: someIntents, delay: Schema.Union([upTo(4), Schema.Undefined]) }),
  Schema.TaggedStruct("Settle", { intent: anIntent }),
  Schema.TaggedStruct("Deliver", { intent: anIntent }),
  Schema.TaggedStruct("SettleAndDeliver", { intent: anIntent }),
  Schema.TaggedStruct("SettleAndDeliverMany", { intents: someIntents }),
  Schema.TaggedStruct("Fail", { intent: anIntent, detail: Schema.Union([Schema.Literal("why"), Schema.Undefined]) }),
  Schema.TaggedStruct("Allocate", { intents: someIntents, chainNonce: upTo(3), lane: upTo(1) }),
  Schema.TaggedStruct("AddAttempt", {
    transaction: aTransaction,
    seed: upTo(3),
    kind: Schema.Literals(["sweep", "cancel"])
  }),
  Schema.TaggedStruct("Include", { transaction: aTransaction, vanished: Schema.Boolean }),
  Schema.TaggedStruct("Finalize", { transaction: aTransaction }),
  Schema.TaggedStruct("Reopen", { transaction: aTransaction }),
  Schema.TaggedStruct("Detach", { transaction: aTransaction, intents: someIntents }),
  Schema.TaggedStruct("NextNonce", { owner: upTo(2), atLeast: upTo(5) }),
  Schema.TaggedStruct("ClaimOutbox", { topic: Schema.Literals(TOPICS), limit: upTo(3), leaseMillis: upTo(4) }),
  Schema.TaggedStruct("Advance", { millis: upTo(3) })
])
type Command = typeof Command.Type

/** State of one run on one store. Runs share the stores and differ in chain and names. */
interface Run {
  readonly number: number
  /** The ids of transactions in the order of their allocation: stores number them as they like. */
  readonly transactions: Array<string>
  /** Number of sweeps that were submitted, or refused. */
  sweeps: number
}

const withoutId = ({ id: _id, ...transaction }: RelayTransaction) => transaction

/** The result, or the part of a failure that callers act on. The list of taken intents is for logs only. */
const outcome = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) =>
    Exit.match(exit, {
      onSuccess: (answer) => ({ answer }),
      onFailure: (cause) =>
        Option.match(Cause.findErrorOption(cause), {
          onNone: () => ({ dies: true }),
          onSome: (error) => ({ error: error._tag === "IntentTaken" ? error._tag : error })
        })
    })
  )

const ask = Effect.fnUntraced(function* (command: Command, run: Run) {
  const intents = yield* Intents
  const transactions = yield* RelayTransactions
  const outbox = yield* Outbox
  const chainId = 1 + run.number
  const name = (intent: number) => `run ${run.number} intent ${intent}`
  const all = [0, 1, 2, 3, 4, 5]
  const transaction = (index: number) => run.transactions[index] ?? "999999999"
  const create = (intent: number) =>
    outcome(
      intents.create(
        newIntent({
          id: name(intent),
          chainId,
          owner: 1 + Math.floor(intent / 2),
          ...(intent % 3 === 0 ? {} : { builderId: "bld" }),
          destChainId: chainId + (intent % 2)
        })
      )
    )
  const submit = (intent: number) => outcome(intents.submit(name(intent), submission(chainId)))
  const message = (intent: number): OutboxMessage => ({
    _tag: "Revenue",
    revenue: { sweepId: name(intent), chainId, token: address(1), amount: 1n, txHash: hash("t"), settledAtMs: 0 }
  })
  const settled = { _tag: "SettledAtSource", txHash: hash("settled") } as const
  const delivered = { _tag: "Delivered", txHash: hash("delivered") } as const
  switch (command._tag) {
    case "Create":
      return yield* create(command.intent)
    case "CreateAll":
      return yield* Effect.forEach(all, create)
    case "Submit":
      return yield* submit(command.intent)
    case "SubmitAll":
      return yield* Effect.forEach(all, submit)
    case "SubmitSweep": {
      const both = [2 * command.owner, 2 * command.owner + 1]
      return yield* intents.submitSweep({
        id: `run ${run.number} sweep ${run.sweeps++}`,
        owner: address(1 + command.owner),
        signature: submission().signature,
        legs: (command.isReversed ? both.toReversed() : both).map((intent) => ({
          intentId: name(intent),
          legHash: hash(name(intent))
        }))
      })
    }
    case "Claim":
      return yield* intents.claim({ chainId, worker: "w", leaseMillis: command.leaseMillis, limit: command.limit })
    case "Release": {
      const now = yield* Clock.currentTimeMillis
      const notBefore = command.delay === undefined ? undefined : now + command.delay
      return yield* intents.release(command.intents.map(name), { notBeforeMs: notBefore })
    }
    case "Settle":
      return yield* intents.apply(name(command.intent), [settled], { outbox: [message(command.intent)] })
    case "Deliver":
      return yield* intents.apply(name(command.intent), [delivered])
    case "SettleAndDeliver":
      return yield* intents.apply(name(command.intent), [settled, delivered], { outbox: [message(command.intent)] })
    case "SettleAndDeliverMany": {
      const known = yield* intents.findAll(command.intents.map(name))
      const events = [settled, delivered]
      const moved = yield* intents.applyAll(
        known
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .map(({ id }) => ({ id, events, outbox: [message(command.intents.find((n) => name(n) === id) ?? 0)] }))
      )
      return [...moved].toSorted()
    }
    case "Fail":
      return yield* intents.apply(
        name(command.intent),
        [{ _tag: "Failed", reason: "reverted" }],
        command.detail === undefined ? {} : { detail: command.detail }
      )
    case "Allocate": {
      const { id, ...allocated } = yield* transactions.allocate({
        chainId,
        lane: address(100 + command.lane),
        chainNonce: BigInt(command.chainNonce),
        intentIds: command.intents.map(name),
        reserve: BigInt(1 + command.chainNonce),
        sign: (nonce) => Effect.succeed(attempt(`run ${run.number} lane ${command.lane} nonce ${nonce}`))
      })
      run.transactions.push(id)
      return allocated
    }
    case "AddAttempt": {
      const id = run.transactions[command.transaction]
      const version = attempt(`run ${run.number} ${command.transaction} ${command.seed}`)
      return id === undefined ? undefined : yield* transactions.addAttempt(id, version, command.kind)
    }
    case "Include":
      return yield* (command.vanished ? transactions.clearInclusion : transactions.setInclusion)(
        transaction(command.transaction),
        { hash: hash("included"), blockNumber: 4n, blockHash: hash("block") }
      )
    case "Finalize":
      return yield* transactions.finalize([
        {
          id: transaction(command.transaction),
          cost: BigInt(10 * (1 + command.transaction)),
          inclusion: { hash: hash("included"), blockNumber: BigInt(command.transaction), blockHash: hash("block") }
        }
      ])
    case "Reopen":
      // By number: PostgreSQL skips ids of allocations that failed.
      return (yield* transactions.reopen([
        {
          id: transaction(command.transaction),
          inclusion: { hash: hash("included"), blockNumber: 4n, blockHash: hash("block") }
        }
      ])).map((id) => run.transactions.indexOf(id))
    case "Detach":
      return yield* transactions.detach(transaction(command.transaction), command.intents.map(name))
    case "NextNonce":
      return yield* intents.nextOrderNonce(chainId, address(command.owner), BigInt(command.atLeast))
    case "ClaimOutbox": {
      const claimed = yield* outbox.claim({
        topic: command.topic,
        limit: command.limit,
        leaseMillis: command.leaseMillis
      })
      return claimed.map(({ attempts, message }) => ({ attempts, message }))
    }
    case "Advance":
      return undefined
  }
})

/** Observable state of a run's chain. */
const look = Effect.fnUntraced(function* ({ number }: Run) {
  const intents = yield* Intents
  const transactions = yield* RelayTransactions
  const outbox = yield* Outbox
  return {
    intents: yield* intents.inStatus(1 + number, IntentStatus.literals, 100),
    first: yield* intents.find(`run ${number} intent 0`),
    overdue: (yield* intents.overdue(1 + number, 1_001n, 100)).map(({ id }) => id).toSorted(),
    none: yield* intents.overdue(1 + number, 1_000n, 100),
    burned: yield* intents.burned({
      chainId: 1 + number,
      owners: [1, 2, 3].map((owner) => newIntent({ id: "any", owner }).order.owner),
      builders: ["nobody"],
      sinceMs: 0
    }),
    final: (yield* transactions.finalFrom(1 + number, 1n)).map(({ inclusion }) => inclusion),
    spending: yield* transactions.spending(1 + number, 0),
    counts: yield* intents.counts,
    unfinished: (yield* transactions.unfinished(1 + number)).map(withoutId),
    outbox: yield* outbox.counts
  }
})

const START: Readonly<Record<"nothing" | "intents" | "sweeps", ReadonlyArray<Command>>> = {
  nothing: [],
  intents: [{ _tag: "CreateAll" }, { _tag: "SubmitAll" }],
  sweeps: [
    { _tag: "CreateAll" },
    ...[0, 1, 2].map((owner): Command => ({ _tag: "SubmitSweep", owner, isReversed: owner === 1 }))
  ]
}

layer(Both.layer)("Postgres and memory", (it) => {
  let number = 0

  it.effect.prop(
    "answer alike",
    {
      // From nothing, or from six submitted intents, each alone or two in a sweep, which reaches farther.
      start: Arbitrary.schema(Schema.Literals(["nothing", "intents", "sweeps"])),
      commands: Arbitrary.array(Arbitrary.schema(Command), { minLength: 1, maxLength: 60 })
    },
    ({ commands, start }) =>
      Effect.gen(function* () {
        const both = yield* Both
        number++
        const memory: Run = { number, transactions: [], sweeps: 0 }
        const postgres: Run = { number, transactions: [], sweeps: 0 }
        for (const command of [...START[start], ...commands]) {
          if (command._tag === "Advance") yield* TestClock.adjust(command.millis)
          const expected = yield* outcome(Effect.provide(ask(command, memory), both.memory))
          const actual = yield* outcome(Effect.provide(ask(command, postgres), both.postgres))
          expect(actual, JSON.stringify(command)).toEqual(expected)
        }
        expect(yield* Effect.provide(look(postgres), both.postgres)).toEqual(
          yield* Effect.provide(look(memory), both.memory)
        )
      }),
    { arbitrary: { runs: 80, size: 60 } }
  )
})
