/** The node fails, goes silent, or becomes expensive. */
import { assert, layer } from "@effect/vitest"
import { Effect, Latch, Schedule } from "effect"
import { parseTransaction } from "viem"
import { breakWhen, hold, isSend, isSimulation, pass, refuse, swallow } from "../support/FaultProxy.ts"
import { ADMIN_TOKEN } from "../support/OrchestratorProcess.ts"
import * as SweepClient from "../support/SweepClient.ts"
import * as Scene from "./Scene.ts"

/** Ends a test that hangs. */
const TIMEOUT = 300_000

const OPERATOR = { authorization: `Bearer ${ADMIN_TOKEN}` }

/** Milliseconds. Less than the 10 seconds that a silent node would take, and more than a busy machine needs. */
const OPERATOR_MILLIS = 9_000

const operator = Effect.fnUntraced(function* (client: SweepClient.SweepClient, path: string) {
  const answer = yield* Effect.promise(() => client.get(path, OPERATOR)).pipe(Effect.timeout(OPERATOR_MILLIS))
  assert.strictEqual(answer.status, 200, answer.text)
  return answer
})

/** Kinds of alerts, but for that of a chain without new blocks: the chains of a slow run have none while no sweep is sent. */
const alertKinds = (client: SweepClient.SweepClient) =>
  Effect.map(operator(client, "/admin/alerts"), (answer) =>
    (JSON.parse(answer.text) as ReadonlyArray<{ readonly kind: string }>).flatMap(({ kind }) =>
      kind === "chain_stale" ? [] : [kind]
    )
  )

const chainStatus = (client: SweepClient.SweepClient) =>
  Effect.map(operator(client, "/admin/health"), (answer) => answer.string("chains.0.status"))

const becomes = <A>(question: Effect.Effect<A, unknown>, isExpected: (answer: A) => boolean) =>
  question.pipe(
    Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: isExpected }),
    Effect.timeout("2 minutes"),
    Effect.orDie
  )

layer(Scene.layer, { excludeTestServices: true })("A node", (it) => {
  it.effect(
    "that answers errors, and then not at all, holds sweeps up and fails none",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        const { client } = yield* scene.orchestrator(route)
        const sweeps = yield* Effect.replicateEffect(scene.quote(client), 5, { concurrency: 2 })
        const stranger = yield* scene.quoteRequest
        const [first, second, third, late, ...others] = sweeps
        assert.isDefined(first)
        assert.isDefined(second)
        assert.isDefined(third)
        assert.isDefined(late)

        // The first that is broadcast brings the node down.
        yield* route.alpha.react((call) => (isSend(call) ? swallow : pass))
        yield* Effect.forEach([first, second, third, ...others], (sweep) => scene.submit(client, sweep), {
          concurrency: "unbounded"
        })
        yield* route.alpha.awaitCall(isSend)
        yield* route.alpha.react(() => refuse())
        assert.strictEqual(yield* becomes(chainStatus(client), (status) => status === "down"), "down")
        yield* becomes(alertKinds(client), (kinds) => kinds.includes("chain_unavailable"))
        // Nobody can be screened, so only those are taken who were cleared a moment ago.
        yield* scene.submit(client, late)
        const refused = yield* Effect.promise(() => client.post("/quote", SweepClient.quoteBody(stranger)))
        assert.strictEqual(refused.status, 503, refused.text)

        const back = yield* Latch.make()
        yield* route.alpha.react(() => breakWhen(back.await))
        assert.strictEqual(yield* chainStatus(client), "down")
        for (const sweep of sweeps) {
          assert.include(["quoted", "submitted"], yield* scene.status(client, sweep))
        }

        yield* route.alpha.react(() => pass)
        yield* back.open
        for (const sweep of sweeps) yield* scene.delivered(client, sweep)
        yield* scene.alpha.dev.node.ask("mine a block", (node) => node.mine({ blocks: 1 }))
        yield* becomes(chainStatus(client), (status) => status === "ok")
        yield* becomes(alertKinds(client), (kinds) => kinds.length === 0)
        const { settlements } = yield* scene.check
        assert.lengthOf(settlements, sweeps.length)
      }),
    TIMEOUT
  )

  it.effect(
    "that leaves one call unanswered holds up the batch that made it, and no other",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        const { client } = yield* scene.orchestrator(route, { RELAYER_BATCH: "1" })
        const [stuck, ...others] = yield* Effect.replicateEffect(scene.quote(client), 4, { concurrency: 2 })
        assert.isDefined(stuck)

        const back = yield* Latch.make()
        let simulations = 0
        yield* route.alpha.react((call) => {
          if (!isSimulation(call)) return pass
          simulations += 1
          return simulations === 1 ? hold(back.await) : pass
        })
        const before = (yield* route.alpha.calls).length
        yield* scene.submit(client, stuck)
        yield* route.alpha.awaitCall((call, index) => index >= before && isSimulation(call))
        for (const sweep of others) {
          yield* scene.submit(client, sweep)
          yield* Effect.timeout(scene.delivered(client, sweep), OPERATOR_MILLIS)
        }
        assert.strictEqual(yield* scene.status(client, stuck), "submitted")
        yield* back.open
        yield* scene.delivered(client, stuck)
        yield* scene.check
      }),
    TIMEOUT
  )

  it.effect(
    "whose fees rise above what was offered gets the same sweep again for more",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const { node } = scene.alpha.dev
        const route = yield* scene.route
        // The network fee covers the cost at eleven times the price.
        const { client } = yield* scene.orchestrator(route, { BUMP_SECONDS: "1", NETWORK_FEE_MARGIN_BPS: "100000" })
        const sweep = yield* scene.quote(client)
        yield* Effect.acquireUseRelease(
          node.ask("mine nothing", (client) => client.setAutomine(false)),
          () =>
            Effect.gen(function* () {
              yield* scene.submit(client, sweep)
              yield* route.alpha.awaitCall((call) => isSend(call) && call.forwarded)
              const [stuck = "0x"] = yield* route.alpha.sent
              const { maxFeePerGas = 0n } = parseTransaction(stuck)
              yield* node.ask("raise the base fee", async (client) => {
                await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 2n * maxFeePerGas })
                await client.mine({ blocks: 1 })
              })
              yield* route.alpha.awaitCall((call) => isSend(call) && call.forwarded && call.params[0] !== stuck)
              yield* node.ask("mine", (client) => client.mine({ blocks: 1 }))
              yield* scene.delivered(client, sweep)
            }),
          () => Effect.orDie(node.ask("mine at once", (client) => client.setAutomine(true)))
        )

        const versions = [...new Set(yield* route.alpha.sent)].map((raw) => parseTransaction(raw))
        const [stuck, ...replacements] = versions
        assert.isNotEmpty(replacements)
        for (const replacement of replacements) {
          assert.strictEqual(replacement.nonce, stuck?.nonce)
          assert.isTrue((replacement.maxFeePerGas ?? 0n) * 10n >= (stuck?.maxFeePerGas ?? 0n) * 11n)
          assert.isTrue((replacement.maxPriorityFeePerGas ?? 0n) * 10n >= (stuck?.maxPriorityFeePerGas ?? 0n) * 11n)
        }
        const { mined, transactions } = yield* scene.check
        assert.lengthOf(mined, 1)
        assert.deepStrictEqual(
          transactions.map(({ hashes }) => hashes.length),
          [versions.length]
        )
        assert.notStrictEqual(mined[0]?.hash, transactions[0]?.hashes[0])
      }),
    TIMEOUT
  )
})
