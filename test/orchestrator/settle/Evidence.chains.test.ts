/** Sweeps end on a chain of the chains file, whose entry leaves the addresses of the contracts to be computed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { numberToHex } from "viem"
import * as ChainSettings from "../../../src/adapters/evm/chains/ChainSettings.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { address } from "../../support/FakeChain.ts"
import { source } from "../../support/RelayFixtures.ts"
import { layerOnNodes } from "../../support/RelayScene.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

const settingsOf = (changes: object = {}) =>
  Schema.decodeUnknownSync(ChainSettings.ChainSettings)(
    ChainSettings.withKnownFacts({
      id: source.id,
      rpcUrls: ["https://node.example"],
      feeRecipient: address(0xf1),
      guardOwner: address(0x99),
      ...changes
    })
  )

/** Sends a sweep whose transaction reverts, and passes its deadline, where these guards are deployed. */
const expired = (changes: object, deployed: (guard: string) => boolean) => {
  const { contracts, earlierContracts = [], ...built } = ChainSettings.chainOf(settingsOf(changes), "Service")
  const guards = [contracts, ...earlierContracts].map(({ guard }) => guard)
  const { priorGuard } = built
  const nodes = layerOnNodes((client) => ({
    ...client,
    chain: { ...client.chain, contracts, earlierContracts, ...(priorGuard === undefined ? {} : { priorGuard }) },
    code: (account) => (account === contracts.entry ? Effect.succeed("0xfe") : client.code(account)),
    call: (request) => {
      if (!guards.some((guard) => guard === request.to)) return client.call(request)
      // A call of an address without code returns nothing.
      return Effect.succeed(deployed(request.to) ? numberToHex(0, { size: 32 }) : "0x")
    }
  }))
  return Effect.gen(function* () {
    const { attempt, bury, intent, mineLane, passDeadline } = yield* sentSweep({
      order: { nonce: bound(contracts.guard, 7n) },
      submission: { address: contracts.delegate }
    })
    yield* mineLane({ hash: attempt.hash, status: "reverted" })
    yield* bury(2)
    yield* passDeadline
    yield* tick
    return yield* intent("a")
  }).pipe(Effect.provide(nodes))
}

describe("a sweep that reverted and expired", () => {
  it.effect("ends where the current generation alone is deployed", () =>
    Effect.gen(function* () {
      const { contracts } = ChainSettings.chainOf(settingsOf(), "Service")
      const { status } = yield* expired({}, (guard) => guard === contracts.guard)
      assert.strictEqual(status, "failed")
    })
  )

  it.effect("ends where the entry names the first generation's guard", () =>
    Effect.gen(function* () {
      const { failureReason, status } = yield* expired({ priorGuard: address(0x98) }, () => true)
      assert.deepStrictEqual([status, failureReason === "nonce_used"], ["failed", false])
    })
  )

  it.effect("stays open while a guard that the entry names does not answer", () =>
    Effect.gen(function* () {
      const priorGuard = address(0x98)
      const { status } = yield* expired({ priorGuard }, (guard) => guard !== priorGuard)
      assert.strictEqual(status, "submitted")
    })
  )
})
