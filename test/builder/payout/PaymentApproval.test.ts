/** Approvals of Permit2 that no node mines, on a local chain. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Schedule } from "effect"
import { parseTransaction } from "viem"
import type { DevChain } from "../../../src/devnet/DevChain.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hash, Hex } from "../../../src/domain/Hex.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { OneChain } from "../../support/OneChain.ts"
import { backend, owing, run, said, VAULT } from "./PayoutScene.ts"

/** Approvals that a run sent, in their order. */
const sending = (token: Address.Address) => {
  const sent: Array<{ readonly nonce: number; readonly maxFeePerGas: bigint }> = []
  const note = (raw: Hex) => {
    const { maxFeePerGas = 0n, nonce = 0, to } = parseTransaction(raw)
    if (typeof to === "string" && Address.of(to) === token) sent.push({ nonce, maxFeePerGas })
  }
  return {
    sent,
    client: (client: ChainClient): Partial<ChainClient> => ({
      send: (raw) => Effect.suspend(() => (note(raw), client.send(raw)))
    }),
    reach: (count: number) =>
      Effect.sync(() => sent.length).pipe(
        Effect.repeat({ until: (found) => found >= count, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("10 seconds")
      )
  }
}

const stopMining = (dev: DevChain) => dev.node.ask("stop mining", (node) => node.setAutomine(false))

const mineAgain = (dev: DevChain) =>
  dev.node.ask("mine again", async (node) => {
    await node.mine({ blocks: 1 })
    await node.setAutomine(true)
  })

const nonceOf = (dev: DevChain) =>
  Effect.flatMap(Chains, (chains) => chains.get(dev.chain.id)).pipe(
    Effect.flatMap((client) => client.transactionCount(VAULT.address, "latest"))
  )

/** A test whose chain mines again afterwards, also if it fails. */
const minesAfterwards = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.ensuring(
    effect,
    Effect.flatMap(OneChain, (dev) => Effect.orDie(mineAgain(dev)))
  )

layer(backend, { excludeTestServices: true })("an approval that is stuck", (it) => {
  it.effect("is replaced with higher fees by the run that sent it", () =>
    Effect.gen(function* () {
      const { balances, dev, id, token } = yield* owing("USDC", [9n])
      const before = yield* nonceOf(dev)
      const { client, reach, sent } = sending(token)
      yield* stopMining(dev)
      const stuck = yield* Effect.forkChild(run(id, { bumpMillis: 150, client }))
      yield* reach(3)
      yield* mineAgain(dev)
      const { exit, tags } = yield* Fiber.join(stuck)
      assert.isTrue(Exit.isSuccess(exit), said(exit))
      assert.deepStrictEqual(yield* balances, [9n])
      assert.deepStrictEqual(new Set(sent.map(({ nonce }) => BigInt(nonce))), new Set([before]))
      for (const [index, { maxFeePerGas }] of sent.slice(1).entries()) {
        assert.isTrue(maxFeePerGas * 8n >= (sent[index]?.maxFeePerGas ?? 0n) * 9n)
      }
      assert.deepStrictEqual(tags, ["Approving", "Approved", "Recorded", "Broadcast", "Mined"])
      assert.strictEqual(yield* nonceOf(dev), before + 2n, "one approval and one payment")
    }).pipe(minesAfterwards)
  )

  it.effect("is replaced by the next run, whatever fees it has", () =>
    Effect.gen(function* () {
      const { balances, dev, id, token } = yield* owing("WETH", [9n])
      const before = yield* nonceOf(dev)
      const first = sending(token)
      yield* stopMining(dev)
      const dead = yield* Effect.forkChild(
        run(id, {
          client: (client) => ({
            ...first.client(client),
            feesPerGas: Effect.map(client.feesPerGas, (fees) => ({
              ...fees,
              maxFeePerGas: fees.maxFeePerGas * 2n,
              maxPriorityFeePerGas: fees.maxPriorityFeePerGas * 2n
            }))
          })
        })
      )
      yield* first.reach(1)
      yield* dev.node
        .ask("the approval is in the pool", (node) =>
          node.getTransactionCount({ address: VAULT.address, blockTag: "pending" })
        )
        .pipe(Effect.repeat({ until: (count) => BigInt(count) > before, schedule: Schedule.spaced("20 millis") }))
      yield* Fiber.interrupt(dead)

      const next = sending(token)
      const running = yield* Effect.forkChild(run(id, { bumpMillis: 150, client: next.client }))
      const [stuck] = first.sent
      yield* Effect.sync(() => next.sent.at(-1)?.maxFeePerGas ?? 0n).pipe(
        Effect.repeat({
          until: (fee) => fee * 8n >= (stuck?.maxFeePerGas ?? 0n) * 9n,
          schedule: Schedule.spaced("20 millis")
        }),
        Effect.timeout("10 seconds")
      )
      yield* mineAgain(dev)
      const { exit } = yield* Fiber.join(running)
      assert.isTrue(Exit.isSuccess(exit), said(exit))
      assert.deepStrictEqual(yield* balances, [9n])
      assert.deepStrictEqual(new Set(next.sent.map(({ nonce }) => BigInt(nonce))), new Set([before]))
      assert.strictEqual(yield* nonceOf(dev), before + 2n, "one approval and one payment")
    }).pipe(minesAfterwards)
  )

  it.effect("is not replaced while the transactions before it are mined", () =>
    Effect.gen(function* () {
      const { balances, dev, id, token } = yield* owing("DAI", [9n])
      const before = yield* nonceOf(dev)
      const first = sending(token)
      yield* stopMining(dev)
      const dead = yield* Effect.forkChild(run(id, { client: first.client }))
      yield* first.reach(1)
      yield* dev.node
        .ask("the approval is in the pool", (node) =>
          node.getTransactionCount({ address: VAULT.address, blockTag: "pending" })
        )
        .pipe(Effect.repeat({ until: (count) => BigInt(count) > before, schedule: Schedule.spaced("20 millis") }))
      yield* Fiber.interrupt(dead)
      const next = sending(token)
      let counts = 0
      const { exit } = yield* run(id, {
        client: (client) => ({
          ...next.client(client),
          // The pending approval is mined after the run has seen it.
          transactionCount: (address, block) =>
            Effect.suspend(() =>
              block === "latest" && counts++ === 1 ? Effect.orDie(mineAgain(dev)) : Effect.void
            ).pipe(Effect.andThen(client.transactionCount(address, block)))
        })
      })
      assert.isTrue(Exit.isSuccess(exit), said(exit))
      assert.deepStrictEqual(yield* balances, [9n])
      assert.deepStrictEqual(next.sent, [])
    }).pipe(minesAfterwards)
  )

  it.effect("is replaced if one endpoint refuses it as underpriced and another does not answer", () =>
    Effect.gen(function* () {
      const { balances, dev, id, token } = yield* owing("WBTC", [9n])
      const before = yield* nonceOf(dev)
      const chainId = dev.chain.id
      const detail = "made to fail"
      const doubtful = new ChainUnavailable({ chainId, method: "send", detail, refusal: "ReplacementUnderpriced" })
      const refused: Array<{ readonly nonce: number; readonly maxFeePerGas: bigint }> = []
      const { client, sent } = sending(token)
      const { exit } = yield* run(id, {
        client: (real) => ({
          ...client(real),
          send: (raw) => {
            if (refused.length === 2) return client(real).send?.(raw) ?? real.send(raw)
            const { maxFeePerGas = 0n, nonce = 0 } = parseTransaction(raw)
            refused.push({ nonce, maxFeePerGas })
            return Effect.fail(doubtful)
          }
        })
      })
      assert.isTrue(Exit.isSuccess(exit), said(exit))
      assert.deepStrictEqual(yield* balances, [9n])
      assert.lengthOf(sent, 1)
      const versions = [...refused, ...sent]
      assert.deepStrictEqual(new Set(versions.map(({ nonce }) => BigInt(nonce))), new Set([before]))
      for (const [index, { maxFeePerGas }] of versions.slice(1).entries()) {
        assert.isTrue(maxFeePerGas * 8n >= (versions[index]?.maxFeePerGas ?? 0n) * 9n)
      }
      assert.strictEqual(yield* nonceOf(dev), before + 2n, "one approval and one payment")
    })
  )

  it.effect("is recognised as mined by a node that counts it before it has the receipt", () =>
    Effect.gen(function* () {
      const { id } = yield* owing("USDT", [9n])
      const late = new Set<Hash>()
      const { exit, tags } = yield* run(id, {
        client: (client) => ({
          receipt: (hash) =>
            late.has(hash) ? client.receipt(hash) : Effect.sync(() => (late.add(hash), Option.none()))
        })
      })
      assert.isTrue(Exit.isSuccess(exit), said(exit))
      assert.deepStrictEqual(tags, ["Approving", "Approved", "Recorded", "Broadcast", "Mined"])
    })
  )
})
