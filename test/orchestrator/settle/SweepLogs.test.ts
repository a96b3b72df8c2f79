import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as EvmSweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as SweepLogs from "../../../src/orchestrator/settle/SweepLogs.ts"
import { address } from "../../support/FakeChain.ts"
import { newIntent } from "../../support/IntentFixtures.ts"
import { otherLog, source, sweptLog } from "../../support/RelayFixtures.ts"

const EARLIER = { ...source.contracts, guard: address(0xee) }

/** A log of the sweep that comes before the guard's. */
const work = (name: string) => ({ ...otherLog, name })

const [first, second, stranger] = [
  newIntent({ id: "a", owner: 1, nonce: 1n }),
  newIntent({ id: "b", owner: 1, nonce: 2n }),
  newIntent({ id: "c", owner: 2, nonce: 1n })
]

const ended = (intent: Parameters<typeof sweptLog>[0], guard = source.contracts.guard) => ({
  ...sweptLog(intent, { guard }),
  name: "swept"
})

const namesOf = Effect.fnUntraced(function* (
  intent: Parameters<typeof sweptLog>[0],
  logs: ReadonlyArray<ReturnType<typeof work>>,
  chain = source
) {
  const logsOf = yield* SweepLogs.make
  return Option.map(logsOf(chain, intent, logs), (own) => own.map(({ name }) => name))
}, Effect.provide(EvmSweepContracts.layer))

describe("the logs of a sweep", () => {
  it.effect("end with its event, and begin after the owner's event before", () =>
    Effect.gen(function* () {
      const logs = [work("1"), ended(first), work("2"), work("3"), ended(second), work("later")]
      assert.deepStrictEqual(yield* namesOf(first, logs), Option.some(["1"]))
      assert.deepStrictEqual(yield* namesOf(second, logs), Option.some(["2", "3"]))
    })
  )

  it.effect("are not cut by the sweep of another owner, which a token can run inside it", () =>
    Effect.gen(function* () {
      const logs = [work("1"), ended(stranger), work("2"), ended(first)]
      assert.deepStrictEqual(yield* namesOf(first, logs), Option.some(["1", "swept", "2"]))
    })
  )

  it.effect("are cut by a sweep under earlier contracts", () =>
    Effect.gen(function* () {
      const chain = { ...source, earlierContracts: [EARLIER] }
      const logs = [work("1"), ended(first, EARLIER.guard), work("2"), ended(second)]
      assert.deepStrictEqual(yield* namesOf(second, logs, chain), Option.some(["2"]))
    })
  )

  it.effect("are unknown in a transaction that did not settle it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* namesOf(second, [work("1"), ended(first)]), Option.none())
    })
  )
})
