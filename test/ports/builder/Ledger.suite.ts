/** Contract of every ledger with its payouts: after any history of commands, it agrees with {@link Model}. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import type { Hash } from "../../../src/domain/Hex.ts"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import { earningCases, filteredAlike } from "./Earnings.cases.ts"
import { BUILDERS, CHAINS, Model, type Sums, TOKENS } from "./LedgerModel.ts"
import { register } from "../../support/BuilderFixtures.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { address, hash } from "../../support/IntentFixtures.ts"

const index = (size: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: size - 1 }))

/** Small pools, so that commands collide: sweeps are booked again with other content, and batches are paid twice. */
const SWEEPS = 24
const BATCHES = 3
const AMOUNTS = [0n, 1n, 7n, 1_000n, 2n ** 128n, 2n ** 256n - 1n] as const
/** Numbers of entries that a batch may claim. */
const LIMITS = [1, 2, 3, 5, 1_000] as const
const PAYMENTS = [0xa1, 0xa2].map((byte): Hash => `0x${byte.toString(16).repeat(32)}`)

const POSSIBLE_BUILDERS = [...BUILDERS, ...BUILDERS, ...BUILDERS, "nobody"]

const accrual = {
  builder: index(POSSIBLE_BUILDERS.length),
  sweep: index(SWEEPS),
  token: index(TOKENS.length),
  chain: index(CHAINS.length),
  amount: index(AMOUNTS.length),
  onchain: Schema.Boolean,
  /** Position of the default chain among the chains, if there is one. */
  fallback: index(CHAINS.length)
}

/** `crash`: the caller dies before it learns the result of its accrual, and repeats it. */
const Command = Schema.Union([
  Schema.Struct({ do: Schema.Literals(["accrue", "crash"]), ...accrual }),
  Schema.Struct({ do: Schema.Literal("repeat") }),
  Schema.Struct({ do: Schema.Literal("reverse"), sweep: index(SWEEPS) }),
  Schema.Struct({
    do: Schema.Literal("open"),
    token: index(TOKENS.length),
    chain: index(2),
    min: index(3),
    most: index(LIMITS.length)
  }),
  Schema.Struct({ do: Schema.Literal("assign"), token: index(TOKENS.length), chain: index(2) }),
  Schema.Struct({ do: Schema.Literal("pay"), batch: index(BATCHES), payment: index(PAYMENTS.length) }),
  Schema.Struct({ do: Schema.Literal("fail"), batch: index(BATCHES) })
])
type Command = typeof Command.Type

const at = <A>(pool: ReadonlyArray<A>, position: number): A => {
  const found = pool[position]
  return found === undefined && position >= pool.length ? assert.fail("outside of the pool") : (found as A)
}

const outcome = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>,
  say: (value: A) => string
): Effect.Effect<string, never, R> => Effect.match(effect, { onSuccess: say, onFailure: (error) => error._tag })

/** Runs a history on an empty store. Every difference from the model fails an assertion. `holds` runs after each command. */
const runHistory = Effect.fnUntraced(function* <R>(
  commands: ReadonlyArray<Command>,
  holds: Effect.Effect<void, never, R>
) {
  const builders = yield* Builders
  const ledger = yield* Ledger
  const payouts = yield* Payouts
  const model = new Model()
  yield* Effect.forEach(BUILDERS, (id, position) =>
    builders.create({
      id,
      name: id,
      builderBps: 0,
      maxBuilderBps: 0,
      payoutAddress: FakeChain.address(0x80 + position),
      payoutMode: "ledger",
      createdAtMs: 0
    })
  )
  let last: Parameters<Model["accrue"]> | undefined
  /** Number of opened batches. */
  let opened = 0

  const accrue = Effect.fnUntraced(function* (...given: Parameters<Model["accrue"]>) {
    last = given
    assert.strictEqual(yield* outcome(ledger.accrue(...given), (booked) => booked), model.accrue(...given))
  })

  for (const command of commands) {
    switch (command.do) {
      case "accrue":
      case "crash": {
        const chainId = at(CHAINS, command.chain)
        const booking = {
          builderId: at(POSSIBLE_BUILDERS, command.builder),
          sweepId: `sweep_${command.sweep}`,
          token: at(TOKENS, command.token),
          amount: at(AMOUNTS, command.amount),
          ...(chainId === undefined ? {} : { chainId }),
          ...(command.onchain ? { paidTxHash: at(PAYMENTS, command.amount % PAYMENTS.length) } : {})
        }
        const fallback = at(CHAINS, command.fallback)
        if (command.do === "crash") {
          // The result is unknown: the accrual was booked once or not at all.
          yield* Effect.ignore(Effect.timeoutOption(ledger.accrue(booking, fallback), 0))
          const known = model.accrue(booking, fallback)
          const repeated = yield* outcome(ledger.accrue(booking, fallback), (booked) => booked)
          assert.include(known === "added" ? ["added", "already_booked"] : [known], repeated)
        } else {
          yield* accrue(booking, fallback)
        }
        break
      }
      case "repeat":
        if (last !== undefined) yield* accrue(...last)
        break
      case "reverse": {
        const sweepId = `sweep_${command.sweep}`
        assert.strictEqual(yield* outcome(ledger.reverse(sweepId), (booked) => booked), model.reverse(sweepId))
        break
      }
      case "open": {
        const opening = {
          id: `batch_${opened % BATCHES}_${Math.floor(opened / BATCHES)}`,
          chainId: command.chain + 1,
          token: at(TOKENS, command.token),
          minAmount: at(AMOUNTS, command.min),
          maxEntries: at(LIMITS, command.most)
        }
        const owed = new Map((yield* payouts.candidates(opening)).map(({ amount, builderId }) => [builderId, amount]))
        const lines = yield* outcome(payouts.open(opening), (batch) => {
          for (const { amount, builderId } of batch.lines) assert.isTrue(amount <= (owed.get(builderId) ?? 0n))
          return batch.lines.map(({ amount, builderId }) => `${builderId}=${amount}`).join() + (batch.more ? "+" : "")
        })
        assert.strictEqual(lines, model.open(opening))
        if (lines !== "NothingOwed") opened += 1
        break
      }
      case "assign": {
        const token = at(TOKENS, command.token)
        const before = yield* overChains(ledger)
        assert.strictEqual(
          yield* outcome(ledger.assign(token, command.chain + 1), ({ amount, sweeps }) => `${sweeps}:${amount}`),
          model.assign(token, command.chain + 1)
        )
        assert.deepStrictEqual(yield* overChains(ledger), before, "nothing is earned or paid by an assignment")
        assert.deepStrictEqual(yield* ledger.assign(token, command.chain + 1), { sweeps: 0, amount: 0n })
        break
      }
      case "pay": {
        const id = `batch_${command.batch}_${Math.max(0, Math.floor((opened - 1 - command.batch) / BATCHES))}`
        const payment = at(PAYMENTS, command.payment)
        assert.strictEqual(
          yield* outcome(payouts.markPaid(id, payment), ({ status }) => status),
          model.markPaid(id, payment)
        )
        break
      }
      case "fail": {
        const id = `batch_${command.batch}_${Math.max(0, Math.floor((opened - 1 - command.batch) / BATCHES))}`
        assert.strictEqual(yield* outcome(payouts.fail(id, "given up"), ({ status }) => status), model.fail(id))
        break
      }
    }
    yield* holds
  }

  const standing = (yield* payouts.list({ limit: 1_000 })).filter(({ status }) => status !== "failed")
  const promised = new Map<string, bigint>()
  for (const { lines, token } of standing) {
    for (const { amount, builderId } of lines) {
      const key = `${builderId}:${token}`
      promised.set(key, (promised.get(key) ?? 0n) + amount)
    }
  }
  assert.deepStrictEqual([...promised].sort(), [...model.promised()].sort())

  for (const builderId of BUILDERS) {
    const totals = (yield* ledger.totals(builderId)).map(
      ({ chainId, claimed, earned, paid, token }) => [`${token}:${chainId}`, { earned, paid, claimed }] as const
    )
    assert.deepStrictEqual(new Map<string, Sums>(totals), new Map(model.totals(builderId)))
    assert.strictEqual(totals.length, new Set(totals.map(([key]) => key)).size, "one row per token and chain")
    // Balances are nothing but sums over the entries.
    const sums = new Map<string, readonly [bigint, bigint]>()
    for (const { chainId, earned, paid, token } of yield* ledger.entries(builderId, { limit: 10_000 })) {
      const key = `${token}:${chainId}`
      const [earnedSoFar, paidSoFar] = sums.get(key) ?? [0n, 0n]
      sums.set(key, [earnedSoFar + earned, paidSoFar + paid])
    }
    assert.deepStrictEqual(sums, new Map(totals.map(([key, { earned, paid }]) => [key, [earned, paid] as const])))
    // Each accrual is listed once, and as paid only when it is settled by a payment that stands.
    const activity = (yield* ledger.activity(builderId, { limit: 10_000 })).map((row) => row.activity)
    assert.strictEqual(new Set(activity.map(({ sweepId }) => sweepId)).size, activity.length)
    yield* filteredAlike(ledger, builderId, activity)
  }
})

/** Sums of all builders by token, whatever the chain. */
const overChains = (ledger: Ledger["Service"]) =>
  Effect.map(ledger.allTotals, (totals) => {
    const sums = new Map<string, Sums>()
    for (const { claimed, earned, paid, token } of totals) {
      const sum = sums.get(token) ?? { earned: 0n, paid: 0n, claimed: 0n }
      sums.set(token, { earned: sum.earned + earned, paid: sum.paid + paid, claimed: sum.claimed + claimed })
    }
    return sums
  })

export interface HistoryOptions<R> {
  readonly histories: number
  readonly commands: number
  /** Fails an assertion if the store contradicts itself. */
  readonly holds?: Effect.Effect<void, never, R>
}

export const suite = <E, R = never>(
  adapter: string,
  stores: () => Layer.Layer<Builders | Ledger | Payouts | R, E>,
  { commands, histories, holds = Effect.void }: HistoryOptions<R>
) =>
  describe(`the ledger on ${adapter}`, () => {
    it.effect.prop(
      `agrees with its model over ${histories} histories of ${commands} commands`,
      [Schema.Array(Command).check(Schema.isMinLength(commands), Schema.isMaxLength(commands))],
      ([history]) => runHistory(history, holds).pipe(Effect.provide(Layer.fresh(stores()))),
      { arbitrary: { runs: histories }, timeout: 300_000 }
    )

    it.effect("finds what is booked about the settlements in a transaction, with reversals", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* register
        const txHash = hash("settled")
        const accrual = { builderId: "alpha", token: address(1), amount: 7n, chainId: 1 }
        for (const sweepId of [`${txHash}_0`, `${txHash}_11`, `${hash("other")}_0`]) {
          yield* ledger.accrue({ ...accrual, sweepId })
        }
        yield* ledger.accrue({ ...accrual, builderId: "beta", sweepId: `${txHash}_2` })
        yield* ledger.reverse(`${txHash}_11`)
        const found = yield* ledger.ofTransaction("alpha", txHash)
        assert.deepStrictEqual(
          found.map(({ earned, kind, sweepId }) => `${kind} ${sweepId?.slice(66)} ${earned}`),
          ["accrual _0 7", "accrual _11 7", "reversal _11 -7"]
        )
        assert.deepStrictEqual(yield* ledger.ofTransaction("alpha", hash("unknown")), [])
      }).pipe(Effect.provide(Layer.fresh(stores())))
    )

    earningCases(stores)

    it.effect("keeps each payment of a batch before it is sent, and lets nothing else settle it unknowingly", () =>
      Effect.gen(function* () {
        const builders = yield* Builders
        const ledger = yield* Ledger
        const payouts = yield* Payouts
        const token = at(TOKENS, 0)
        yield* builders.create({
          id: "alpha",
          name: "alpha",
          builderBps: 0,
          maxBuilderBps: 0,
          payoutAddress: FakeChain.address(0x80),
          payoutMode: "ledger",
          createdAtMs: 0
        })
        yield* ledger.accrue({ builderId: "alpha", sweepId: "paid", token, amount: 5n, chainId: 1 })
        const open = { chainId: 1, token, minAmount: 0n }
        const { id } = yield* payouts.open({ ...open, id: "batch" })
        const [first, second] = PAYMENTS.map((txHash) => ({ txHash, raw: txHash, deadline: 1_000 }))
        if (first === undefined || second === undefined) return assert.fail("the pool is too small")

        const races = yield* Effect.forEach(
          [first, second],
          (payment) => Effect.result(payouts.record(id, payment, 0)),
          {
            concurrency: "unbounded"
          }
        )
        assert.deepStrictEqual(races.map(({ _tag }) => _tag).sort(), ["Failure", "Success"])
        const [kept] = Option.getOrThrow(yield* payouts.find(id)).payments ?? []
        const other = kept?.txHash === first.txHash ? second : first
        const refused = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
          Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
        assert.strictEqual(yield* refused(payouts.fail(id, "unknowing")), "PaymentInFlight")
        assert.strictEqual(yield* refused(payouts.markPaid(id, other.txHash)), "PaymentInFlight")
        assert.strictEqual((yield* payouts.record(id, other, 1)).payments?.length, 2)
        assert.strictEqual((yield* payouts.record(id, other, 0)).payments?.length, 2, "repeated")
        assert.strictEqual((yield* payouts.markPaid(id, other.txHash)).status, "paid")
        const late = { ...first, txHash: `0x${"77".repeat(32)}` as const }
        assert.strictEqual(yield* refused(payouts.record(id, late, 2)), "PayoutClosed")
        assert.strictEqual(yield* refused(payouts.record("nowhere", late, 0)), "PayoutNotFound")
      }).pipe(Effect.provide(Layer.fresh(stores())))
    )
  })
