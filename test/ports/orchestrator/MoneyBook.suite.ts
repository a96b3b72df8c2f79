/** Contract of every store of earnings and costs. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import * as Money from "../../../src/domain/Money.ts"
import type { Tier } from "../../../src/domain/Tier.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { KeptData } from "../../../src/ports/orchestrator/KeptData.ts"
import { MoneyBook } from "../../../src/ports/orchestrator/MoneyBook.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, details, hash, newIntent, submission } from "../../support/IntentFixtures.ts"

const DAY = 86_400_000
const lane = address(0x1a4e)
const DOLLAR = 10n ** 18n

interface Options {
  readonly id: string
  readonly owner: number
  readonly chainId?: number
  readonly tier?: Tier
  readonly builderId?: string
  readonly fee?: bigint
}

const stored = Effect.fnUntraced(function* ({ chainId = 1, fee = 3n, id, owner, tier, builderId }: Options) {
  const intents = yield* Intents
  const known = newIntent({ id, owner, chainId, ...(builderId === undefined ? {} : { builderId }) })
  yield* intents.create({
    ...known,
    quote: { ...known.quote, ...(tier === undefined ? {} : { ...details, appliedTier: tier }) },
    order: { ...known.order, feeAmount: fee }
  })
  yield* intents.submit(id, submission(chainId))
})

const allocate = (chainId: number, intentIds: ReadonlyArray<string>) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId,
      lane,
      chainNonce: 0n,
      intentIds,
      sign: (nonce) => Effect.succeed(attempt(`${chainId} ${nonce}`))
    })
  )

const inclusion = (id: string) => ({ hash: hash(id), blockNumber: 7n, blockHash: hash(`block ${id}`) })

const settle = (id: string, usd?: bigint) => ({
  id,
  events: [{ _tag: "SettledAtSource" as const, txHash: hash(id) }],
  ...(usd === undefined ? {} : { feePrice: { usd, decimals: 6 } })
})

const since = Effect.fnUntraced(function* (fromMs = 0) {
  return yield* (yield* MoneyBook).since(fromMs)
})

/** The expected lines of a random history, added up one by one. */
const makeModel = () => {
  const lines: Array<{ day: number; chainId: number; builderId?: string; tier?: Tier; sums: Money.Sums }> = []
  const add = (line: Omit<(typeof lines)[number], "sums">, sums: Partial<Money.Sums>) =>
    lines.push({ ...line, sums: { ...Money.NONE, ...sums } })
  const from = (day: number): Money.Lines => {
    const of = lines.filter((line) => line.day >= day)
    const group = <K>(keyOf: (line: (typeof lines)[number]) => K) =>
      Array.from(Map.groupBy(of, keyOf).values(), (group) => ({
        ...group[0],
        ...group.map(({ sums }) => sums).reduce(Money.added, Money.NONE)
      }))
    return {
      chains: group(({ chainId, tier = "" }) => `${chainId} ${tier}`).map(
        ({ builderId: _b, chainId = 0, day: _d, sums: _s, tier, ...rest }) => ({
          chainId,
          ...(tier === undefined ? {} : { tier }),
          ...rest
        })
      ),
      builders: group(({ builderId }) => builderId).map(
        ({ builderId, chainId: _c, day: _d, sums: _s, tier: _t, ...rest }) => ({
          ...(builderId === undefined ? {} : { builderId }),
          ...rest
        })
      )
    }
  }
  return { add, from }
}

const isEmpty = ({ failed, failures, fees, gas, sweeps, unpricedSweeps, unpricedWei }: Money.Sums): boolean =>
  [failed, sweeps, unpricedSweeps].every((count) => count === 0) &&
  [failures, fees, gas, unpricedWei].every((amount) => amount === 0n)

/** Without empty lines, which a transaction leaves that was taken back. */
const sorted = ({ builders, chains }: Money.Lines): Money.Lines => ({
  chains: chains
    .filter((line) => !isEmpty(line))
    .toSorted((a, b) => a.chainId - b.chainId || ((a.tier ?? "") < (b.tier ?? "") ? -1 : 1)),
  builders: builders
    .filter((line) => !isEmpty(line))
    .toSorted((a, b) => ((a.builderId ?? "") < (b.builderId ?? "") ? -1 : 1))
})

type Stores = Intents | KeptData | MoneyBook | RelayTransactions

/** Sends a batch, settles some of its sweeps at some prices, and ends it. Returns the transaction. */
const batch = Effect.fnUntraced(function* (day: number, seed: number, { add }: ReturnType<typeof makeModel>) {
  const intents = yield* Intents
  const transactions = yield* RelayTransactions
  const pick = <A>(values: ReadonlyArray<A>) =>
    Effect.map(Random.nextIntBetween(0, values.length - 1), (index) => values[index] as A)
  const chainId = yield* pick([1, 2])
  const sweeps = yield* Effect.forEach([0, 1, 2, 3], (index) =>
    Effect.gen(function* () {
      const builderId = yield* pick([undefined, "acme", "zeta"])
      const tier = yield* pick([undefined, "tier1", "tier2", "tier3"] as const)
      const fee = BigInt(yield* Random.nextIntBetween(1, 9_000_000))
      const id = `${seed}-${index}`
      const classes = {
        ...(builderId === undefined ? {} : { builderId }),
        ...(tier === undefined ? {} : { tier })
      }
      yield* stored({ id, owner: seed * 10 + index + 1, fee, chainId, ...classes })
      const isSettled = yield* pick([true, true, false])
      const usd = yield* pick([undefined, 0n, DOLLAR / 3n])
      return { id, fee, isSettled, usd, key: { day, chainId, ...classes } }
    })
  )
  const { id } = yield* allocate(
    chainId,
    sweeps.map((sweep) => sweep.id)
  )
  const settled = sweeps.filter(({ isSettled }) => isSettled)
  yield* intents.applyAll(settled.map((sweep) => settle(sweep.id, sweep.usd)))
  for (const { fee, key, usd } of settled) {
    // The fee of the quote's details is 0.35 dollars.
    const quoted = key.tier === "tier1" || key.tier === "tier2" ? (DOLLAR * 35n) / 100n : undefined
    const value = usd === undefined ? quoted : (fee * usd) / 1_000_000n
    add(key, value === undefined ? { sweeps: 1, unpricedSweeps: 1 } : { sweeps: 1, fees: value })
  }
  const cost = BigInt(yield* Random.nextIntBetween(1_000, 900_000))
  const weights = sweeps.map((_, index) => BigInt(index))
  const parts = Money.divided(cost, weights).map((part, index) => ({ ...sweeps[index], part }))
  const nativeUsd = yield* pick([undefined, 3_333n * DOLLAR])
  const known = yield* pick([true, false])
  const ending = {
    id,
    inclusion: inclusion(id),
    cost,
    ...(nativeUsd === undefined ? {} : { nativeUsd }),
    parts: known
      ? parts.map(({ id: intentId = "", isSettled = false, part }) => ({ intentId, cost: part, isSettled }))
      : []
  }
  yield* transactions.finalize([ending])
  yield* transactions.finalize([ending])
  const valued = (wei: bigint, isSettled: boolean) => {
    if (nativeUsd === undefined) return { unpricedWei: wei }
    const value = (wei * nativeUsd) / DOLLAR
    return isSettled ? { gas: value } : { failures: value }
  }
  const isReopened = yield* pick([true, false, false])
  if (isReopened) yield* transactions.reopen([ending])
  else if (!known) add({ day, chainId }, valued(cost, true))
  else {
    for (const { isSettled = false, key = { day, chainId }, part } of parts) {
      add(key, { failed: isSettled ? 0 : 1, ...valued(part, isSettled) })
    }
    // Rounding of the parts stays with the chain.
    const borne = parts.reduce(
      (sum, { part }) => sum + (nativeUsd === undefined ? 0n : (part * nativeUsd) / DOLLAR),
      0n
    )
    const whole = nativeUsd === undefined ? 0n : (cost * nativeUsd) / DOLLAR
    add({ day, chainId }, { gas: whole - borne })
  }
})

export const suite = (adapter: string, stores: Layer.Layer<Stores, unknown>) =>
  describe(`MoneyBook on ${adapter}`, () => {
    it.effect("is equal to the rows of a random history, summed up or not", () =>
      Effect.gen(function* () {
        const { sumUp } = yield* KeptData
        const model = makeModel()
        for (let seed = 1; seed <= 24; seed++) {
          const day = Math.floor(seed / 8)
          yield* TestClock.setTime(day * DAY + seed)
          yield* batch(day, seed, model)
          if (seed % 7 === 0) yield* sumUp
        }
        for (const day of [0, 1, 2]) {
          assert.deepStrictEqual(sorted(yield* since(day * DAY + 5)), sorted(model.from(day)))
        }
        yield* Effect.all([sumUp, sumUp], { concurrency: "unbounded" })
        assert.deepStrictEqual(sorted(yield* since()), sorted(model.from(0)))
      }).pipe(Random.withSeed("money"), Effect.provide(stores))
    )

    it.effect("values a fee at its settlement, then at its quote, and never as nothing", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* stored({ id: "a", owner: 1, fee: 2_500_000n, tier: "tier1" })
        yield* stored({ id: "b", owner: 2, tier: "tier2", builderId: "acme" })
        yield* stored({ id: "c", owner: 3, tier: "tier3" })
        yield* intents.applyAll([settle("a", 2n * DOLLAR), settle("b"), settle("c")])
        const { builders, chains } = yield* since()
        const of = (tier: Tier) => chains.find((line) => line.tier === tier)
        assert.deepInclude(of("tier1"), { chainId: 1, sweeps: 1, unpricedSweeps: 0, fees: 5n * DOLLAR })
        assert.deepInclude(of("tier2"), { sweeps: 1, unpricedSweeps: 0, fees: (35n * DOLLAR) / 100n })
        assert.deepInclude(of("tier3"), { sweeps: 1, unpricedSweeps: 1, fees: 0n })
        assert.deepStrictEqual(
          builders.map(({ builderId, fees, sweeps }) => [builderId, sweeps, fees]),
          [
            [undefined, 2, 5n * DOLLAR],
            ["acme", 1, (35n * DOLLAR) / 100n]
          ]
        )
      }).pipe(Effect.provide(stores))
    )

    it.effect("counts gas once, moves it to the sweeps that bear it, and takes it back after a reorganisation", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const transactions = yield* RelayTransactions
        yield* stored({ id: "a", owner: 1, tier: "tier1", builderId: "acme" })
        yield* stored({ id: "b", owner: 2, tier: "tier2" })
        const { id } = yield* allocate(1, ["a", "b"])
        yield* intents.applyAll([settle("a", DOLLAR)])
        const ending = {
          id,
          inclusion: inclusion(id),
          cost: 1_000n,
          nativeUsd: 2_000n * DOLLAR,
          parts: [
            { intentId: "a", cost: 600n, isSettled: true },
            { intentId: "b", cost: 400n, isSettled: false }
          ]
        }
        yield* transactions.detach(id, ["b"])
        yield* transactions.finalize([ending])
        const first = sorted(yield* since())
        const { chains } = first
        assert.deepInclude(
          chains.find(({ tier }) => tier === "tier1"),
          { gas: 1_200_000n, failures: 0n, failed: 0 }
        )
        assert.deepInclude(
          chains.find(({ tier }) => tier === "tier2"),
          { gas: 0n, failures: 800_000n, failed: 1 }
        )
        const { total } = Money.viewOf(7, "", yield* since())
        assert.strictEqual(total.failed, 1)
        yield* transactions.reopen([ending])
        const after = (yield* since()).chains.reduce(Money.added, Money.NONE)
        assert.deepInclude(after, { gas: 0n, failures: 0n, failed: 0, sweeps: 1 })
        yield* transactions.finalize([{ ...ending, nativeUsd: DOLLAR, parts: [] }])
        const again = (yield* since()).chains.reduce(Money.added, Money.NONE)
        assert.deepInclude(again, { gas: 1_000n, failures: 0n, failed: 0 })
        for (let times = 0; times < 2; times++) {
          yield* transactions.reopen([ending])
          yield* transactions.finalize([ending])
          assert.deepStrictEqual(sorted(yield* since()), first)
        }
      }).pipe(Effect.provide(stores))
    )

    it.effect("counts a self-send as a failure, and a late receipt when it comes", () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        const selfSend = yield* allocate(1, [])
        yield* transactions.finalize([
          { id: selfSend.id, inclusion: inclusion(selfSend.id), cost: 5n, nativeUsd: 10n * DOLLAR }
        ])
        const late = yield* allocate(1, [])
        yield* transactions.finalize([{ id: late.id }])
        yield* transactions.recover({ id: late.id, inclusion: inclusion(late.id), cost: 7n, nativeUsd: DOLLAR })
        const unpriced = yield* allocate(1, [])
        yield* transactions.finalize([{ id: unpriced.id, inclusion: inclusion(unpriced.id), cost: 9n }])
        const sums = (yield* since()).chains.reduce(Money.added, Money.NONE)
        assert.deepInclude(sums, { gas: 0n, failures: 57n, unpricedWei: 9n })
      }).pipe(Effect.provide(stores))
    )
  })
