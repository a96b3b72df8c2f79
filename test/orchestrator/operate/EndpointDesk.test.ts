/** RPC endpoints of the operator, from the desk to the replicas. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import * as ChainsInMemory from "../../../src/adapters/memory/shared/Chains.ts"
import * as MemoryAlerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as MemoryLaneBook from "../../../src/adapters/memory/orchestrator/LaneBook.ts"
import { idOf } from "../../../src/domain/EndpointChoice.ts"
import { EndpointDesk } from "../../../src/orchestrator/operate/EndpointDesk.ts"
import * as EndpointReview from "../../../src/orchestrator/operate/EndpointReview.ts"
import { KeptOverrides } from "../../../src/runtime/KeptOverrides.ts"
import { RenewedAlerts } from "../../../src/orchestrator/shared/RenewedAlerts.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { Overrides } from "../../../src/ports/shared/Overrides.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { EndpointChoices } from "../../../src/ports/shared/EndpointChoices.ts"
import { endpointsLayer, replica, store, urlOf } from "../../support/Endpoints.ts"
import { source } from "../../support/RelayFixtures.ts"

const CHAIN = source.id

/** The services that all replicas share. */
const shared = Layer.mergeAll(store, ChainsInMemory.layer([source]), MemoryAlerts.layer, MemoryLaneBook.layer)

const deskOf = (hosts: ReadonlyArray<string>, ...keys: Parameters<typeof replica>) =>
  EndpointDesk.layer.pipe(Layer.provide(endpointsLayer(CHAIN, hosts)), Layer.provideMerge(replica(...keys)))

/** Starts a replica beside others, on what they share. */
const started = (hosts: ReadonlyArray<string>, ...keys: Parameters<typeof replica>) =>
  Effect.gen(function* () {
    const services = yield* Layer.build(Layer.fresh(Layer.merge(deskOf(hosts, ...keys), RenewedAlerts.layerOnDemand)))
    const desk = Context.get(services, EndpointDesk)
    const inUse = Effect.gen(function* () {
      yield* Context.get(services, KeptOverrides).refresh
      const chosen = yield* Context.get(services, EndpointChoices)
      return chosen.get(CHAIN)?.map(({ url }) => url)
    })
    const review = yield* Effect.provide(EndpointReview.make, services)
    const add = (host: string, more: object = {}) =>
      desk.change({ action: "add", chainId: CHAIN, endpoint: { url: urlOf(host) }, ...more }, "admin-token")
    const remove = (host: string) =>
      desk.change({ action: "remove", chainId: CHAIN, id: idOf(urlOf(host)) }, "admin-token")
    const clear = desk.change({ action: "clear", chainId: CHAIN }, "admin-token")
    return { add, clear, desk, inUse, remove, review }
  })

const reasonOf = <A>(change: Effect.Effect<A, { readonly _tag: string; readonly reason?: unknown }>) =>
  Effect.map(Effect.flip(change), ({ _tag, reason }) => String(reason ?? _tag))

const stored = Effect.flatMap(Overrides, ({ all }) => all)
const kinds = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map(({ kind }) => kind)))

describe("RPC endpoints of the operator", () => {
  it.effect("replace those of the chains file on every replica, and return to them", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* started(["well-a"], 1), yield* started(["well-a"], 1)]
      assert.strictEqual(yield* other.inUse, undefined)
      const added = yield* one.add("well-b", { reason: "provider is down" })
      assert.deepStrictEqual(
        added.endpoints.map(({ host }) => host),
        ["well-a.example", "well-b.example"]
      )
      assert.deepInclude(added.chosen, { actor: "admin-token", reason: "provider is down", isReadable: true })
      assert.deepStrictEqual(yield* other.inUse, [urlOf("well-a"), urlOf("well-b")])
      yield* other.remove("well-a")
      assert.deepStrictEqual(yield* one.inUse, [urlOf("well-b")])
      const [listed] = yield* one.desk.list
      assert.deepStrictEqual([listed?.endpoints.length, listed?.configured[0]?.host], [1, "well-a.example"])
      const cleared = yield* one.clear
      assert.deepStrictEqual([cleared.chosen, cleared.endpoints.length], [null, 1])
      assert.strictEqual(yield* other.inUse, undefined)
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("are stored encrypted, and neither recorded, shown nor logged with their URL", () => {
    const lines: Array<string> = []
    const logger = Logger.layer([
      Logger.make(
        (line) => void lines.push(JSON.stringify([line.message, line.fiber.getRef(References.CurrentLogAnnotations)]))
      )
    ])
    return Effect.gen(function* () {
      const { add, desk, remove } = yield* started(["well-a"], 1)
      yield* add("well-b")
      yield* remove("well-a")
      const said = JSON.stringify([
        yield* stored,
        yield* Effect.flatMap(LaneBook, ({ log }) => log(9)),
        yield* desk.list
      ])
      assert.include(said, "endpoints.add")
      assert.include(said, "well-b.example")
      assert.notInclude(said, "key-of")
      assert.isAbove(lines.length, 1)
      assert.notInclude(lines.join(), "key-of")
    }).pipe(Effect.scoped, Effect.provide(shared), Effect.provide(logger))
  })

  it.effect("are asked before they are stored", () =>
    Effect.gen(function* () {
      const { add, desk } = yield* started(["well-a"], 1)
      for (const host of ["other-b", "old-b", "silent-b", "fork-b"]) {
        assert.strictEqual(yield* reasonOf(add(host)), "not_usable", host)
      }
      assert.strictEqual(yield* reasonOf(add("intern")), "not_public")
      assert.strictEqual(yield* reasonOf(desk.change({ action: "clear", chainId: 99 }, "a")), "UnsupportedChain")
      assert.deepStrictEqual(yield* stored, [])
      assert.include((yield* add("plain-b")).warnings.join(), "state overrides")
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("keep one that works", () =>
    Effect.gen(function* () {
      const { add, clear, inUse, remove } = yield* started(["silent-a", "well-b"], 1)
      assert.strictEqual(yield* reasonOf(remove("well-b")), "last_working")
      yield* remove("silent-a")
      assert.strictEqual(yield* reasonOf(remove("well-b")), "last_working")
      yield* add("well-c")
      yield* remove("well-b")
      assert.deepStrictEqual(yield* inUse, [urlOf("well-c")])
      yield* clear
      const dead = yield* started(["silent-a"], 1)
      yield* dead.add("well-b")
      assert.strictEqual(yield* reasonOf(dead.clear), "last_working")
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("need a key of secrets", () =>
    Effect.gen(function* () {
      const { add, clear } = yield* started(["well-a"], undefined)
      const refusal = yield* Effect.flip(add("well-b"))
      assert.include(refusal._tag === "EndpointsRefused" ? refusal.detail : "", "Set SECRETS_KEY")
      assert.deepStrictEqual(yield* stored, [])
      assert.isNull((yield* clear).chosen)
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("change nothing on a replica that cannot read them, which alerts until it can", () =>
    Effect.gen(function* () {
      const reader = yield* started(["well-a"], 1)
      const follower = yield* started(["well-a"], 3, 1)
      yield* reader.add("well-b")
      assert.deepStrictEqual(yield* follower.inUse, [urlOf("well-a"), urlOf("well-b")])
      const stranger = yield* started(["well-a"], 2)
      assert.strictEqual(yield* stranger.inUse, undefined)
      yield* stranger.review
      assert.deepStrictEqual(yield* kinds, ["endpoints_unreadable"])
      assert.isFalse((yield* stranger.desk.list)[0]?.chosen?.isReadable)
      assert.strictEqual(yield* reasonOf(stranger.add("well-c")), "unreadable")
      yield* reader.review
      yield* stranger.review
      assert.deepStrictEqual(yield* kinds, ["endpoints_unreadable"])
      yield* stranger.clear
      yield* stranger.review
      yield* TestClock.adjust("20 seconds")
      yield* stranger.review
      assert.deepStrictEqual(yield* kinds, [])

      // A choice that was read stays in use when a later one cannot be.
      yield* reader.add("well-b")
      assert.lengthOf((yield* follower.inUse) ?? [], 2)
      const other = yield* started(["well-a"], 2)
      yield* other.clear
      yield* other.add("well-d")
      assert.deepStrictEqual(yield* reader.inUse, [urlOf("well-a"), urlOf("well-b")])
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect(
    "raise an alert that ends when the last replica that cannot read them has ended, also if it raised it last",
    () =>
      Effect.gen(function* () {
        const reader = yield* started(["well-a"], 1)
        yield* reader.add("well-b")
        const old = yield* started(["well-a"], 2)
        assert.strictEqual(yield* old.inUse, undefined)
        yield* old.review
        // The survivor starts beside the old replica, which sees the condition once more and ends.
        yield* reader.review
        yield* TestClock.adjust("10 seconds")
        yield* old.review
        yield* reader.review
        assert.deepStrictEqual(yield* kinds, ["endpoints_unreadable"])
        yield* TestClock.adjust("25 seconds")
        yield* reader.review
        assert.deepStrictEqual(yield* kinds, [])
      }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("are encrypted anew when the key was changed, and stay the same choice", () =>
    Effect.gen(function* () {
      const before = yield* started(["well-a"], 1)
      yield* before.add("well-b")
      const [old] = yield* stored
      const after = yield* started(["well-a"], 2, 1)
      yield* after.review
      const [fresh] = yield* stored
      assert.notStrictEqual(fresh?.value, old?.value)
      assert.deepStrictEqual({ ...fresh, value: "" }, { ...old, value: "" })
      const last = yield* started(["well-a"], 2)
      assert.deepStrictEqual(yield* last.inUse, [urlOf("well-a"), urlOf("well-b")])
      yield* after.review
      assert.strictEqual((yield* stored)[0]?.value, fresh?.value)
    }).pipe(Effect.scoped, Effect.provide(shared))
  )
})
