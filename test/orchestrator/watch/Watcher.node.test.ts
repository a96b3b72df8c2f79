/** Transactions that a real node does not mine: forgotten, outbid, or too late. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "viem"
import { orchestratorDefaults as defaults } from "../../../src/config/Orchestrator.ts"
import { balanceOf, freshOwner, transactionOf, type Place, place, Services } from "../../support/Services.ts"
import * as SweepClient from "../../support/SweepClient.ts"

/** A sweep that was sent while no block comes. */
interface Stuck {
  readonly node: Place["dev"]["node"]
  /** Hash of the newest version of its transaction, once the node has it. */
  readonly newest: Effect.Effect<Hex>
}

layer(
  Services.layer({
    settings: {
      // A busy machine must submit within the first, and have a replacement mined within both.
      quoteLifetimeMillis: 10_000,
      orderGraceSeconds: 14,
      // And it must send again before the fees are raised.
      relayer: { ...defaults.relayer, rebroadcastMillis: 1_000, bumpMillis: 8_000 }
    }
  }),
  { excludeTestServices: true }
)("The watcher on a node", (it) => {
  /** Sweeps 50 DAI; no block comes between the submission and the end of `meanwhile`. */
  const sweep = Effect.fnUntraced(function* <A, E, R>(meanwhile: (stuck: Stuck) => Effect.Effect<A, E, R>) {
    const services = yield* Services
    const where = place(services, 0)
    const { node } = where.dev
    const client = SweepClient.make(services.info.orchestratorUrl)
    const owner = yield* freshOwner(where, "DAI", "50")
    const quote = yield* Effect.promise(() =>
      client.quote({ owner: owner.address, chain: where.info, tokenIn: "DAI", amountIn: "50", tokenOut: "USDC" })
    )
    assert.strictEqual(quote.status, 200, quote.text)
    const signed = yield* Effect.promise(() => SweepClient.sign(owner, quote))
    const newest = Effect.map(transactionOf(where, client, signed.quoteId), (transaction) => transaction.hash)
    const seen = yield* Effect.acquireUseRelease(
      node.ask("stop mining", (client) => client.setIntervalMining({ interval: 0 })),
      () =>
        Effect.promise(() => client.submit(signed)).pipe(
          Effect.andThen(newest),
          Effect.andThen(meanwhile({ node, newest }))
        ),
      () => Effect.orDie(node.ask("mine again", (client) => client.setIntervalMining({ interval: 1 })))
    )
    const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
    return { ended, seen, dai: yield* balanceOf(where, "DAI", owner.address) }
  })

  it.effect("sends again what the node has forgotten, the same bytes", () =>
    Effect.gen(function* () {
      const { ended, seen } = yield* sweep(({ node, newest }) =>
        Effect.tap(newest, (hash) => node.ask("forget", (client) => client.dropTransaction({ hash })))
      )
      assert.strictEqual(ended.string("status"), "delivered", ended.text)
      assert.strictEqual(ended.string("txHash"), seen)
    })
  )

  it.effect("replaces what stays out of blocks by a version that pays more", () =>
    Effect.gen(function* () {
      const { dai, ended, seen } = yield* sweep(
        Effect.fnUntraced(function* ({ node, newest }) {
          const read = (hash: Hex) => node.ask("read", (client) => client.getTransaction({ hash }))
          const first = yield* Effect.flatMap(newest, read)
          const replacement = yield* newest.pipe(
            Effect.delay("200 millis"),
            Effect.repeat({ until: (hash) => hash !== first.hash }),
            Effect.flatMap(read)
          )
          return { first, replacement }
        })
      )
      const { first, replacement } = seen
      assert.strictEqual(replacement.nonce, first.nonce)
      assert.strictEqual(replacement.input, first.input)
      assert.isTrue((replacement.maxFeePerGas ?? 0n) * 8n >= (first.maxFeePerGas ?? 0n) * 9n)
      assert.strictEqual(ended.string("status"), "delivered", ended.text)
      assert.notStrictEqual(ended.string("txHash"), first.hash)
      assert.strictEqual(dai, 0n)
    })
  )

  it.effect("frees the nonce of a sweep that is too late, and goes on with the next one", () =>
    Effect.gen(function* () {
      const { dai, ended } = yield* sweep(
        Effect.fnUntraced(function* ({ node, newest }) {
          yield* Effect.sleep("25 seconds")
          const hash = yield* newest
          yield* node.ask("forget", (client) => client.dropTransaction({ hash }))
          yield* node.ask("mine", (client) => client.mine({ blocks: 1 }))
        })
      )
      assert.strictEqual(ended.string("status"), "failed", ended.text)
      assert.strictEqual(ended.string("failureReason"), "expired")
      assert.strictEqual(dai, 50n * 10n ** 18n)

      const next = yield* sweep(() => Effect.void)
      assert.strictEqual(next.ended.string("status"), "delivered", next.ended.text)
    })
  )
})
