import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { toHex } from "viem"
import { isDeep, isPast, look } from "../../../src/orchestrator/shared/ChainView.ts"
import type { Block } from "../../../src/ports/shared/Chains.ts"
import { chain, client } from "../../support/FakeChain.ts"

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
})
