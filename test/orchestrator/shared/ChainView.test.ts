import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { toHex } from "viem"
import { isDeep, isHeadPast, isPast, look } from "../../../src/orchestrator/shared/ChainView.ts"
import type { Block } from "../../../src/ports/shared/Chains.ts"
import { chain, client } from "../../support/FakeChain.ts"
import { lying } from "../../support/TwoEndpoints.ts"

const CONFIRMATIONS = 3

const blockAt = (number: bigint): Block => ({
  number,
  hash: toHex(number, { size: 32 }),
  parentHash: toHex(number - 1n, { size: 32 }),
  timestamp: 1_700_000_000n + 12n * number,
  baseFeePerGas: 1n,
  gasLimit: 30_000_000n
})

/** A chain whose newest block has this number. */
const viewAt = (head: bigint) =>
  look({
    ...client({
      block: (which) => Effect.succeed(Option.some(blockAt(typeof which === "bigint" ? which : head)))
    }),
    chain: { ...chain, confirmations: CONFIRMATIONS }
  })

describe("ChainView", () => {
  it.effect("counts the including block as the first confirmation", () =>
    Effect.gen(function* () {
      const view = yield* viewAt(10n)
      assert.isTrue(isDeep(view, 8n))
      assert.isFalse(isDeep(view, 9n))
    })
  )

  it.effect("has no confirmed block on a chain that is shorter than its confirmations", () =>
    Effect.gen(function* () {
      const view = yield* viewAt(1n)
      assert.isTrue(Option.isNone(view.confirmed))
      assert.isFalse(isDeep(view, 0n))
      assert.isFalse(isPast(view, 0n))
    })
  )

  it.effect("takes a deadline for past when a confirmed block is later", () =>
    Effect.gen(function* () {
      const view = yield* viewAt(10n)
      const { timestamp } = blockAt(8n)
      assert.isFalse(isPast(view, timestamp))
      assert.isTrue(isPast(view, timestamp - 1n))
    })
  )

  it.effect("fails where the node has no head", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(look(client({ block: () => Effect.succeedNone })))
      assert.strictEqual(error._tag, "ChainUnavailable")
    })
  )

  it.effect("fails where the endpoint asked second is behind the head, so that nothing is concluded", () =>
    Effect.gen(function* () {
      const behind = look({
        ...client({
          block: (which) => Effect.succeed(which === "latest" ? Option.some(blockAt(10n)) : Option.none())
        }),
        chain: { ...chain, confirmations: CONFIRMATIONS }
      })
      assert.strictEqual((yield* Effect.flip(behind))._tag, "ChainUnavailable")
    })
  )

  it.effect("fails where a second endpoint has another confirmed block, or the same one at another time", () =>
    Effect.gen(function* () {
      const honest = {
        ...client({ block: (which) => Effect.succeed(Option.some(blockAt(which === "latest" ? 10n : which))) }),
        chain: { ...chain, confirmations: CONFIRMATIONS }
      }
      for (const lie of [{ timestamp: 2_000_000_000n }, { hash: toHex(99n, { size: 32 }) }]) {
        const liar = lying(honest, {
          block: (which) =>
            Effect.map(honest.block(which), (found) =>
              which === "latest" ? found : Option.map(found, (block) => ({ ...block, ...lie }))
            )
        })
        assert.include((yield* Effect.flip(look(liar))).detail, "liar and honest")
      }
    })
  )
})

describe("the time of the head", () => {
  const headAt = (timestamp: bigint, isShown = true) => {
    const honest = client({ block: () => Effect.succeed(isShown ? Option.some(blockAt(10n)) : Option.none()) })
    return {
      client: lying(honest, { block: () => Effect.succeed(Option.some({ ...blockAt(10n), timestamp })) }),
      head: { ...blockAt(10n), timestamp },
      confirmed: Option.some(blockAt(8n))
    }
  }

  it.effect("counts as far as the confirmed block bears it out", () =>
    Effect.gen(function* () {
      const { timestamp } = blockAt(10n)
      assert.isTrue(yield* isHeadPast(headAt(timestamp), timestamp - 1n))
      assert.isFalse(yield* isHeadPast(headAt(timestamp), timestamp))
    })
  )

  it.effect("does not count beyond that if a second endpoint has another head, or none", () =>
    Effect.gen(function* () {
      const late = blockAt(10n).timestamp + 10_000n
      assert.isFalse(yield* isHeadPast(headAt(late), late - 1n))
      assert.isFalse(yield* isHeadPast(headAt(late, false), late - 1n))
    })
  )

  it.effect("counts beyond that on a chain with one endpoint", () =>
    Effect.gen(function* () {
      const late = blockAt(10n).timestamp + 10_000n
      const head = { ...blockAt(10n), timestamp: late }
      const view = {
        client: client({ block: () => Effect.succeed(Option.some(head)) }),
        head,
        confirmed: Option.some(blockAt(8n))
      }
      assert.isTrue(yield* isHeadPast(view, late - 1n))
    })
  )
})
