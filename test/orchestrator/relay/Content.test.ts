/** Transactions that carry sweeps: which contract they call, and with how much gas. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Address from "../../../src/domain/Address.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { batchGasLimit, executionGas, itemGas, sweepGasLimit } from "../../../src/domain/RelayGas.ts"
import * as AccountCall from "../../../src/orchestrator/relay/AccountCall.ts"
import * as Content from "../../../src/orchestrator/relay/Content.ts"
import { SweepContracts } from "../../../src/ports/orchestrator/SweepContracts.ts"
import { address } from "../../support/FakeChain.ts"
import { submission } from "../../support/IntentFixtures.ts"
import { source, type Sweep } from "../../support/RelayFixtures.ts"
import { layer, layerOnNodes, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"

const FEES = { maxFeePerGas: 3n, maxPriorityFeePerGas: 1n }

const { authorization } = submission(source.id)

const memberOf = Effect.fnUntraced(function* (sweep: Sweep, isChecked: boolean, isAuthorized = false) {
  const { submit } = yield* scene
  const contracts = yield* SweepContracts
  const intent = yield* submit(sweep)
  const member: Content.Member = {
    intent,
    isChecked,
    data: AccountCall.dataOf(contracts, [intent]),
    callGas: executionGas(intent),
    authorization: isAuthorized ? authorization : undefined
  }
  return member
})

const contentOf = Effect.fnUntraced(function* (members: ReadonlyArray<Content.Member>) {
  const { client } = yield* scene
  const make = yield* Content.make
  return make(client, FEES, members)
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
})

describe("a later version of a transaction", () => {
  it.effect("calls the entry of the earlier one, which the settings may know no longer", () =>
    Effect.gen(function* () {
      const { client } = yield* scene
      const make = yield* Content.make
      const members = [yield* memberOf({ id: "a" }, true), yield* memberOf({ id: "b", owner: 2 }, true)]
      assert.strictEqual(make(client, FEES, members, address(0x99)).to, address(0x99))
      assert.strictEqual(make(client, FEES, members.slice(0, 1), address(0x99)).to, address(0x99))
    }).pipe(Effect.provide(layer))
  )
})

describe("a chain that takes gas for data before anything runs", () => {
  const DATA_GAS = 1_000_000n
  const LIMIT = 220_000n
  const sweep = (id: string, owner: number): Sweep => ({ id, owner, gas: LIMIT + DATA_GAS, dataGas: DATA_GAS })

  it.effect("gets it beside the limits of the calls, of which the entry assures each", () =>
    Effect.gen(function* () {
      const { decodeRun } = yield* SweepContracts
      const direct = yield* memberOf(sweep("a", 1), false)
      const limited = { ...carried(direct), gasLimit: LIMIT }
      assert.strictEqual((yield* contentOf([direct])).gas, sweepGasLimit(limited) + DATA_GAS)

      const members = [yield* memberOf(sweep("b", 2), true), yield* memberOf(sweep("c", 3), true)]
      const { data, gas } = yield* contentOf(members)
      assert.deepStrictEqual(
        decodeRun(data).map(({ gasLimit }) => gasLimit),
        [LIMIT, LIMIT]
      )
      const items = members.map((member) => itemGas({ ...carried(member), gasLimit: LIMIT }))
      assert.strictEqual(gas, batchGasLimit(items) + 2n * DATA_GAS)
      assert.strictEqual(Content.gasOf(direct), itemGas(limited) + DATA_GAS)
    }).pipe(Effect.provide(layer))
  )
})

describe("a first sweep on Arbitrum", () => {
  const arbitrum = layerOnNodes((client) => ({ ...client, chain: { ...client.chain, dataFee: "arbitrum" } }))
  const toOf = (sweep: Omit<Sweep, "id">) =>
    Effect.gen(function* () {
      const { sent, submit } = yield* scene
      yield* submit({ id: "a", ...sweep })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      return (yield* sent)[0]?.to
    }).pipe(Effect.provide(arbitrum))

  it.effect("goes through the entry", () =>
    Effect.map(toOf({ gas: 320_000n, dataGas: 100_000n }), (to) => assert.strictEqual(to, source.contracts.entry))
  )

  it.effect("goes to its account if the release before quoted it, since the limit has the gas for data in it", () =>
    Effect.map(toOf({ gas: 320_000n }), (to) => assert.strictEqual(to, address(1)))
  )
})

describe("sweeps of two deployments in one claim", () => {
  const FIRST = { delegate: address(0x41), guard: address(0x42), entry: address(0x43) }

  it.effect("go in transactions of their own, since an entry skips accounts of other delegates", () =>
    Effect.gen(function* () {
      const { chain, sent, submit } = yield* scene
      for (const owner of [1, 4]) yield* chain.setCode(address(owner), designator(FIRST.delegate))
      for (const owner of [2, 3]) yield* chain.setCode(address(owner), designator(source.contracts.delegate))
      // The nonce of the first generation names no guard.
      for (const owner of [1, 4]) yield* submit({ id: `first ${owner}`, owner, order: { nonce: 7n } })
      for (const owner of [2, 3]) yield* submit({ id: `present ${owner}`, owner, order: { nonce: ownNonce(8n) } })
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 4 })
      assert.sameMembers(
        (yield* sent).map(({ to }) => to),
        [FIRST.entry, source.contracts.entry]
      )
    }).pipe(
      Effect.provide(layerOnNodes((client) => ({ ...client, chain: { ...client.chain, earlierContracts: [FIRST] } })))
    )
  )
})
