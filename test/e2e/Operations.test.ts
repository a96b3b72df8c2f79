/** Sweeps that do not get on, as an operator sees them in the console: why, what a retry does, and that they get on after all. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther } from "viem"
import * as Address from "../../src/domain/Address.ts"
import { freshOwner, type Place, place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

interface Shown {
  readonly intents: ReadonlyArray<{
    readonly id: string
    readonly waitsFor: string
    readonly explanation: string
    readonly retryable: boolean
  }>
}

layer(Services.layer(), { excludeTestServices: true })("The operators' console", (it) => {
  const setUp = Effect.fnUntraced(function* (number: number) {
    const services = yield* Services
    const alpha = place(services, 0)
    const client = SweepClient.make(services.info.orchestratorUrl, number)
    const ask = <A>(path: string, method = "GET") =>
      Effect.promise(async () => {
        const answer = await fetch(`${services.info.builderUrl}${path}`, {
          method,
          headers: { authorization: `Bearer ${services.info.builderAdminToken}` }
        })
        const body = await answer.json()
        assert.strictEqual(answer.status, 200, JSON.stringify(body))
        return body as A
      })
    /** A signed sweep; run it to submit it. */
    const prepared = Effect.gen(function* () {
      const owner = yield* freshOwner(alpha, "DAI", "40")
      const quote = yield* Effect.promise(() =>
        client.quote({ owner: owner.address, chain: alpha.info, tokenIn: "DAI", amountIn: "40", tokenOut: "USDC" })
      )
      return Effect.promise(async () => {
        const submitted = await client.submit(await SweepClient.sign(owner, quote))
        assert.strictEqual(submitted.status, 201, submitted.text)
        return submitted.string("id")
      })
    })
    /** As it is shown once it waits for that, with this word in its explanation. */
    const shown = (id: string, waitsFor: string, word: string) =>
      ask<Shown>("/admin/operations/intents?state=stuck&olderThanSeconds=0").pipe(
        Effect.map(({ intents }) => intents.find((intent) => intent.id === id)),
        Effect.repeat({
          while: (found) =>
            Effect.as(Effect.sleep("200 millis"), found?.waitsFor !== waitsFor || !found.explanation.includes(word))
        }),
        Effect.timeoutOrElse({
          duration: "100 seconds",
          orElse: () => Effect.die(new Error(`${id} was never shown to wait for ${waitsFor}`))
        })
      )
    const retry = (id: string) =>
      ask<{ readonly outcome: string }>(`/admin/operations/intents/${id}/retry`, "POST").pipe(
        Effect.map(({ outcome }) => outcome)
      )
    const delivered = (id: string) =>
      Effect.map(
        Effect.promise(() => client.ended(id)),
        (intent) => assert.strictEqual(intent.string("status"), "delivered", intent.text)
      )
    return { alpha, ask, delivered, prepared, retry, shown }
  })

  const setBalance = ({ dev }: Place, address: string, value: bigint) =>
    dev.node.ask("set a balance", (node) => node.setBalance({ address: Address.of(address), value }))

  it.effect("shows a sweep that no lane can pay for, which goes once there is gas", () =>
    Effect.gen(function* () {
      const { alpha, ask, delivered, prepared, retry, shown } = yield* setUp(1)
      const health = yield* ask<{
        readonly lanes: ReadonlyArray<{ readonly chainId: number; readonly address: string }>
      }>("/admin/operations/health")
      const lanes = health.lanes.filter(({ chainId }) => chainId === alpha.info.id)
      assert.isNotEmpty(lanes)
      for (const { address } of lanes) yield* setBalance(alpha, address, 0n)

      const id = yield* yield* prepared
      const waiting = yield* shown(id, "lane", "short of")
      assert.deepInclude(waiting, { retryable: true })
      assert.include(waiting?.explanation, "No lane on alpha can send.")
      const alerts = yield* ask<ReadonlyArray<{ readonly kind: string }>>("/admin/operations/alerts")
      assert.isTrue(alerts.some(({ kind }) => kind === "lane_low"))
      // It changes nothing of the cause, and does no harm.
      assert.deepStrictEqual([yield* retry(id), yield* retry(id)], ["requeued", "requeued"])

      for (const { address } of lanes) yield* setBalance(alpha, address, parseEther("10"))
      yield* delivered(id)
      assert.strictEqual(yield* retry(id), "past")
      const audit = yield* ask<{
        readonly records: ReadonlyArray<{ readonly action: string; readonly subject: string }>
      }>("/admin/audit")
      assert.lengthOf(
        audit.records.filter(({ action, subject }) => action === "intent.retry" && subject === id),
        3
      )
    })
  )

  it.effect("shows a sweep whose transaction is in no block, and a retry leaves it alone", () =>
    Effect.gen(function* () {
      const { alpha, delivered, prepared, retry, shown } = yield* setUp(2)
      const submit = yield* prepared
      const id = yield* Effect.acquireUseRelease(
        alpha.dev.node.ask("stop mining", (node) => node.setIntervalMining({ interval: 0 })),
        () =>
          Effect.gen(function* () {
            const submitted = yield* submit
            const waiting = yield* shown(submitted, "inclusion", "in no block yet")
            assert.deepInclude(waiting, { retryable: false })
            assert.strictEqual(yield* retry(submitted), "carried")
            return submitted
          }),
        () => Effect.orDie(alpha.dev.node.ask("mine again", (node) => node.setIntervalMining({ interval: 1 })))
      )
      yield* delivered(id)
    })
  )
})
