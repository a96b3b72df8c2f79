/** Two lanes on a scripted chain, and the desk that takes them out of use. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as RawKeys from "../../../src/adapters/evm/keys/RawKeys.ts"
import * as SweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as Intents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import * as LaneBookInMemory from "../../../src/adapters/memory/orchestrator/LaneBook.ts"
import * as RelayTransactionsInMemory from "../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as MemoryChains from "../../../src/adapters/memory/shared/Chains.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { LaneDesk } from "../../../src/orchestrator/operate/LaneDesk.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { source } from "../../support/RelayFixtures.ts"
import { settings } from "../../support/RelayScene.ts"

export const RECIPIENT = Address.of(`0x${"99".repeat(20)}`)
export const STRANGER = Address.of(`0x${"98".repeat(20)}`)
export const CHANGE = { actor: "admin-token", reason: "new key" }
export const FEES = { baseFeePerGas: 1_000n, maxFeePerGas: 2_000n, maxPriorityFeePerGas: 1n }

/** Gas of a transfer with the margin of a fifth. */
export const TRANSFER_GAS = 25_200n

const keys = ([1, 2] as const).map((byte) => Redacted.make<Hex>(`0x${`0${byte}`.repeat(32)}`))
const [first = assert.fail("no key"), second = assert.fail("no key")] = keys

/** A book whose changes wait for what others do at the same moment, as a database's do. */
const unhurried = Layer.effect(
  LaneBook,
  Effect.map(LaneBook, (book) => ({
    ...book,
    move: (...change: Parameters<typeof book.move>) => Effect.andThen(Effect.yieldNow, book.move(...change))
  }))
).pipe(Layer.provide(LaneBookInMemory.layer))

const world = Layer.mergeAll(
  MemoryChains.layer([source]),
  Intents.layer,
  unhurried,
  RelayTransactionsInMemory.layer,
  Alerts.layer,
  RawKeys.layer([first, second]),
  SweepContracts.layer,
  OrchestratorSettings.layer({
    ...settings,
    relayer: { ...settings.relayer, minLaneBalance: 1n, laneRestRecipients: [RECIPIENT] }
  })
)

export const layer = LaneDesk.layer.pipe(Layer.provideMerge(world))

export const scene = Effect.gen(function* () {
  const [lane, other] = (yield* RelayerKeys).lanes(source.id)
  const chain = yield* (yield* MemoryChains.MemoryChains).get(source.id)
  if (lane === undefined || other === undefined) return yield* Effect.die("two lanes are missing")
  for (const each of [lane, other]) yield* chain.setBalance(each, 10n ** 18n)
  yield* chain.setFees(FEES)
  yield* chain.onCall(() => Effect.succeed("0x"))
  yield* chain.mine()
  return { chain, lane, other, desk: yield* LaneDesk, client: yield* (yield* Chains).get(source.id) }
})

/** Mines blocks until the newest one has its confirmations. */
export const confirmed = (chain: MemoryChains.MemoryChain) =>
  Effect.forEach(Array.from({ length: source.confirmations - 1 }), () => chain.mine(), { discard: true })

export const reasonOf = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), (error) => ("reason" in error ? error.reason : error._tag))

export const retired = Effect.gen(function* () {
  const given = yield* scene
  yield* given.desk.move(given.lane, "draining", CHANGE)
  yield* TestClock.adjust("1 minute")
  yield* given.desk.move(given.lane, "retired", CHANGE)
  return given
})
