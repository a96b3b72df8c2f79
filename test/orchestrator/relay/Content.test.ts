/** Transactions that carry sweeps: which contract they call, and with how much gas. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { batchGasLimit, itemGas, sweepGasLimit } from "../../../src/domain/RelayGas.ts"
import * as AccountCall from "../../../src/orchestrator/relay/AccountCall.ts"
import * as Content from "../../../src/orchestrator/relay/Content.ts"
import { SweepContracts } from "../../../src/ports/orchestrator/SweepContracts.ts"
import { address } from "../../support/FakeChain.ts"
import { submission } from "../../support/IntentFixtures.ts"
import { source, type Sweep } from "../../support/RelayFixtures.ts"
import { layer, scene } from "../../support/RelayScene.ts"

const FEES = { maxFeePerGas: 3n, maxPriorityFeePerGas: 1n }

const EARLIER = { delegate: address(0x41), guard: address(0x42), entry: address(0x43) }

/** The source chain after an upgrade. Orders of its first generation have nonces that name no guard. */
const upgraded: Chain = { ...source, earlierContracts: [EARLIER] }

const { authorization } = submission(source.id)

const memberOf = Effect.fnUntraced(function* (sweep: Sweep, isChecked: boolean, isAuthorized = false) {
  const { submit } = yield* scene
  const contracts = yield* SweepContracts
  const intent = yield* submit(sweep)
  const member: Content.Member = {
    intent,
    isChecked,
    data: AccountCall.dataOf(contracts, [intent]),
    callGas: intent.gas,
    authorization: isAuthorized ? authorization : undefined
  }
  return member
})

const contentOf = Effect.fnUntraced(function* (members: ReadonlyArray<Content.Member>, chain = source) {
  const { client } = yield* scene
  const make = yield* Content.make
  return make({ ...client, chain }, FEES, members)
})

const carried = ({ authorization, callGas, data }: Content.Member) => ({
  gasLimit: callGas,
  data,
  authorizations: authorization === undefined ? 0 : 1
})

/** A nonce of the source chain's own guard. */
const ownNonce = (index: bigint): bigint => ((BigInt(source.contracts.guard) << 128n) % 2n ** 256n) | index

describe("the transaction of one sweep", () => {
  it.effect("calls the account", () =>
    Effect.gen(function* () {
      const member = yield* memberOf({ id: "a" }, false)
      const { data, gas, to } = yield* contentOf([member])
      assert.strictEqual(to, address(1))
      assert.strictEqual(data, member.data)
      assert.strictEqual(gas, sweepGasLimit(carried(member)))
    }).pipe(Effect.provide(layer))
  )

  it.effect("calls the entry if the account must be checked, with the gas limit of the sweep", () =>
    Effect.gen(function* () {
      const { decodeRun } = yield* SweepContracts
      const member = yield* memberOf({ id: "a" }, true, true)
      const { authorizationList, data, gas, to } = yield* contentOf([member])
      assert.strictEqual(to, source.contracts.entry)
      assert.deepStrictEqual(authorizationList, [authorization])
      assert.deepStrictEqual(decodeRun(data), [
        { account: Address.of(address(1)), data: member.data, gasLimit: member.callGas }
      ])
      assert.strictEqual(gas, batchGasLimit([itemGas(carried(member))]))
    }).pipe(Effect.provide(layer))
  )
})

describe("the transaction of several sweeps", () => {
  it.effect("calls the entry", () =>
    Effect.gen(function* () {
      const members = [yield* memberOf({ id: "a" }, false), yield* memberOf({ id: "b", owner: 2 }, false)]
      assert.strictEqual((yield* contentOf(members)).to, source.contracts.entry)
    }).pipe(Effect.provide(layer))
  )

  it.effect("calls the first generation's entry for an order of it, since the present one skips its delegate", () =>
    Effect.gen(function* () {
      const first = yield* memberOf({ id: "first", order: { nonce: 7n } }, true)
      const present = yield* memberOf({ id: "present", owner: 2, order: { nonce: ownNonce(8n) } }, true)
      assert.strictEqual((yield* contentOf([first], upgraded)).to, EARLIER.entry)
      assert.strictEqual((yield* contentOf([present], upgraded)).to, source.contracts.entry)
      assert.strictEqual((yield* contentOf([present, first], upgraded)).to, EARLIER.entry)
    }).pipe(Effect.provide(layer))
  )
})
