import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import { Treasury } from "../../../src/builder/ledger/Treasury.ts"
import * as Address from "../../../src/domain/Address.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { VaultBalances } from "../../../src/ports/builder/VaultBalances.ts"
import { Chains, ChainUnavailable, UnsupportedChain } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"

/** Within it a request is answered. */
const ANSWER_MILLIS = 4_000

const MANY = 1_000

const tokenOf = (index: number): Address.Address => Address.of(numberToHex(index + 1, { size: 20 }))

const chainOf = (id: number) => FakeChain.client({ chain: { ...FakeChain.chain, id: id, name: `chain-${id}` } })

const [here, silent] = [chainOf(1), chainOf(2)]

const totals = (chainId: number | undefined, token: Address.Address) => ({
  ...(chainId === undefined ? {} : { chainId }),
  token,
  earned: 10n,
  paid: 0n,
  claimed: 0n
})

/** Positions when every read takes 50 ms, one chain never answers, and a token fails each read that it is in. */
const positions = Effect.fnUntraced(function* (lines: ReadonlyArray<ReturnType<typeof totals>>, bad?: Address.Address) {
  const clients = [here, silent]
  const parts = Layer.mergeAll(
    Layer.mock(Ledger, { allTotals: Effect.succeed(lines) }),
    Layer.succeed(Chains, {
      all: clients,
      get: (chainId) =>
        Effect.mapError(
          Effect.fromNullishOr(clients.find(({ chain }) => chain.id === chainId)),
          () => new UnsupportedChain({ chainId })
        )
    }),
    Layer.succeed(VaultBalances, {
      read: ({ chain }, tokens) => {
        if (chain.id === silent.chain.id) return Effect.never
        const answer =
          bad !== undefined && tokens.includes(bad)
            ? Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "out of gas" }))
            : Effect.succeed(tokens.map((token) => (token === tokenOf(1) ? Option.none() : Option.some(7n))))
        return Effect.delay(answer, 50)
      }
    })
  )
  const running = yield* Treasury.use(({ positions: all }) => all).pipe(
    Effect.provide(Treasury.layer.pipe(Layer.provide(parts))),
    Effect.forkChild
  )
  yield* TestClock.adjust(ANSWER_MILLIS)
  return yield* Fiber.join(running)
})

describe("what is owed", () => {
  it.effect("in many tokens is shown with all balances in the time of a response, beside a chain that is silent", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: MANY }, (_, index) => totals(1, tokenOf(index + 2)))
      const found = yield* positions([...lines, totals(2, tokenOf(2))])
      assert.lengthOf(
        found.filter(({ chainId, vaultBalance }) => chainId === 1 && vaultBalance === 7n),
        MANY
      )
      assert.isUndefined(found.at(-1)?.vaultBalance)
    })
  )

  it.effect("is shown without the balance of a token that fails its reads, with those of the others", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 100 }, (_, index) => totals(1, tokenOf(index + 2)))
      const found = yield* positions(lines, tokenOf(50))
      assert.deepStrictEqual(
        found.flatMap(({ token, vaultBalance }) => (vaultBalance === undefined ? [token] : [])),
        [tokenOf(50)]
      )
    })
  )

  it.effect(
    "is shown without the balance of a token that tells none, on no chain, or on one that is not configured",
    () =>
      Effect.gen(function* () {
        const found = yield* positions([totals(1, tokenOf(1)), totals(undefined, tokenOf(2)), totals(3, tokenOf(2))])
        assert.deepStrictEqual(
          found.map(({ owed, vaultBalance }) => [owed, vaultBalance]),
          [
            [10n, undefined],
            [10n, undefined],
            [10n, undefined]
          ]
        )
      })
  )
})
