/** Every reason for which a sweep may be stuck has its own explanation, and they are checked in a fixed order. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Health } from "../../../src/domain/Health.ts"
import { type WaitsFor, WaitsFor as WaitsForSchema } from "../../../src/domain/StuckIntent.ts"
import { explain } from "../../../src/orchestrator/operate/StuckExplanation.ts"
import { type Circumstances, duration } from "../../../src/orchestrator/operate/StuckSituation.ts"
import type { Carrier, HeldIntent } from "../../../src/ports/orchestrator/HeldIntents.ts"
import { address, hash } from "../../support/IntentFixtures.ts"

const NOW = 1_000_000_000
const LANE = address(0x1a4e)

const queued: HeldIntent = {
  id: "the sweep",
  status: "submitted",
  owner: address(1),
  sourceChainId: 1,
  destChainId: 2,
  provider: "across",
  estimatedSeconds: 30,
  submittedAtMs: NOW - 300_000,
  updatedAtMs: NOW - 300_000,
  deadline: BigInt(NOW / 1000 + 60)
}

const carrier: Carrier = {
  lane: LANE,
  nonce: 41n,
  kind: "sweep",
  hash: hash("tx"),
  signedAtMs: NOW - 90_000,
  broadcastAtMs: NOW - 10_000,
  maxFeePerGas: 1_050_000_000n,
  versions: 1,
  behind: 0
}

const carried = (changes: Partial<Carrier> = {}): HeldIntent => ({ ...queued, carrier: { ...carrier, ...changes } })

const settled: HeldIntent = { ...queued, status: "settled_source", updatedAtMs: NOW - 7_200_000 }

type ChainHealth = Health["chains"][number]

const chain = (id: number, changes: Partial<ChainHealth> = {}): ChainHealth => ({
  id,
  name: id === 1 ? "alpha" : "beta",
  status: "ok",
  blockNumber: 7n,
  blockAgeSeconds: 1,
  contractsDeployed: true,
  ...changes
})

const well: Circumstances = {
  nowMs: NOW,
  health: {
    chains: [chain(1), chain(2)],
    lanes: [{ chainId: 1, address: LANE, status: "ok", balance: 1n, unconfirmed: 0 }]
  },
  alerts: []
}

const withChain = (id: number, changes: Partial<ChainHealth>): Circumstances => ({
  ...well,
  health: {
    ...well.health,
    chains: well.health.chains.map((each) => (each.id === id ? { ...each, ...changes } : each))
  }
})

const down: Partial<ChainHealth> = { status: "down", blockNumber: null, blockAgeSeconds: null, contractsDeployed: null }

const withAlert = (kind: string, details: Circumstances["alerts"][number]["details"], from = well): Circumstances => ({
  ...from,
  alerts: [...from.alerts, { kind, message: `Alert ${kind}.`, details: { chainId: 1, ...details } }]
})

const noLane: Circumstances = {
  ...well,
  health: { ...well.health, lanes: well.health.lanes.map((lane) => ({ ...lane, status: "down" as const })) }
}

type Case = readonly [why: string, HeldIntent, Circumstances, WaitsFor, ...words: ReadonlyArray<string>]

const cases: ReadonlyArray<Case> = [
  ["nobody claims it", queued, well, "relayer", "no relayer of alpha"],
  [
    "nodes refuse the owner's authorization",
    { ...queued, restsUntilMs: NOW + 2_000 },
    withAlert("owner_blocks_batch", { intentId: "the sweep" }),
    "owner",
    "Alert owner_blocks_batch. The next attempt is in 2 s."
  ],
  [
    "nodes refuse the authorization of the owner of another sweep",
    { ...queued, restsUntilMs: NOW + 2_000 },
    withAlert("owner_blocks_batch", { intentId: "another" }),
    "rest",
    "is retried in 2 s"
  ],
  ["it rests", { ...queued, restsUntilMs: NOW + 2_000 }, well, "rest", "is retried in 2 s"],
  [
    "its network fee does not cover its cost",
    { ...queued, restsUntilMs: NOW + 2_000, waitingFor: "gas_price" },
    well,
    "gas_price",
    "compared again in 2 s",
    "in 60 s, the sweep fails as network_fee_insufficient"
  ],
  [
    "its network fee did not cover its cost before",
    { ...queued, leasedUntilMs: NOW + 30_000, waitingFor: "gas_price" },
    well,
    "lease"
  ],
  [
    "its transaction may cost no more",
    carried(),
    withAlert("gas_price", { lane: LANE, nonce: "41" }),
    "gas_price",
    "pays at most 1.05 gwei"
  ],
  [
    "another transaction of the lane may cost no more",
    carried(),
    withAlert("gas_price", { lane: LANE, nonce: "40" }),
    "inclusion"
  ],
  [
    "it was given up",
    {
      ...queued,
      restsUntilMs: NOW + 90_000_000,
      deadline: BigInt(NOW / 1000 + 600),
      givenUp: { reason: "simulation_failed", detail: "InsufficientOutput" }
    },
    noLane,
    "rest",
    "simulation_failed: InsufficientOutput",
    "in 10 min"
  ],
  ["it is leased", { ...queued, leasedUntilMs: NOW + 30_000 }, well, "lease", "for another 30 s"],
  ["its owner has another", { ...queued, ownersOther: "the other" }, well, "owner", "waits for the other"],
  ["its deadline passed", { ...queued, deadline: BigInt(NOW / 1000 - 600) }, well, "expiry", "10 min ago"],
  ["its chain is paused", queued, withAlert("relayer_paused", {}), "operator", "Alert relayer_paused."],
  ["its chain's gas is spent", queued, withAlert("spend_cap", {}), "operator", "Alert spend_cap."],
  ["its chain's base fee is above the limit", queued, withAlert("fee_limit", {}), "operator", "Alert fee_limit."],
  ["another chain is paused", queued, withAlert("relayer_paused", { chainId: 2 }), "relayer"],
  ["its chain's node is away", queued, withChain(1, down), "chain", "alpha", "does not answer"],
  [
    "its chain's node is behind",
    queued,
    withChain(1, { status: "degraded", blockAgeSeconds: 900 }),
    "chain",
    "15 min old"
  ],
  [
    "its chain has no contracts",
    queued,
    withChain(1, { status: "down", contractsDeployed: false }),
    "chain",
    "contracts are not at the configured addresses"
  ],
  [
    "its chain's node answers in part",
    queued,
    withChain(1, { status: "down", contractsDeployed: null }),
    "chain",
    "only in part"
  ],
  ["the destination's node is away", queued, withChain(2, down), "relayer"],
  ["no lane can send", queued, noLane, "lane", "No lane on alpha can send."],
  ["no lane can pay", queued, withAlert("lane_low", { lane: LANE }, noLane), "lane", "Alert lane_low."],
  ["its chain has no lanes", queued, { ...well, health: { ...well.health, lanes: [] } }, "lane", "No lane on alpha"],
  ["no lane can sign", queued, withAlert("signing_failed", { lane: LANE }), "lane", "Alert signing_failed."],
  ["one lane of several is low", queued, withAlert("lane_low", { lane: LANE }), "relayer"],
  ["it is in no block", carried(), well, "inclusion", "nonce 41", "10 s ago", "one version, the last at 1.05 gwei"],
  [
    "it was replaced",
    carried({ versions: 3, maxFeePerGas: 2_000_000_000n }),
    well,
    "inclusion",
    "3 versions, the last at 2 gwei"
  ],
  ["others are before it", carried({ behind: 2 }), well, "inclusion", "behind 2 earlier nonces"],
  ["one other is before it", carried({ behind: 1 }), well, "inclusion", "behind 1 earlier nonce of its lane"],
  ["no node took it", unsent(), well, "broadcast", "signed 90 s ago, and no node has accepted it."],
  ["its lane cannot pay for it", unsent(), withAlert("lane_low", { lane: LANE }), "broadcast", "Alert lane_low."],
  [
    "another lane cannot pay",
    unsent(),
    withAlert("lane_low", { lane: address(2) }),
    "broadcast",
    "no node has accepted it."
  ],
  [
    "the node refuses it",
    carried(),
    withAlert("transaction_rejected", { lane: LANE, nonce: "41" }),
    "broadcast",
    "Alert transaction_rejected."
  ],
  ["the node refuses another", carried(), withAlert("transaction_rejected", { lane: LANE, nonce: "40" }), "inclusion"],
  ["it is in a block", carried({ blockNumber: 7n }), well, "confirmation", "block 7"],
  ["it was given up", carried({ kind: "cancel" }), well, "expiry", "self-send"],
  ["the node that has it is away", carried(), withChain(1, down), "chain", "does not answer"],
  [
    "the bridge is slow",
    settled,
    well,
    "delivery",
    "settled on alpha 2 h ago",
    "across to deliver on beta",
    "The estimate was 30 s."
  ],
  ["the destination's node is away, after settlement", settled, withChain(2, down), "chain", "beta"],
  ["the source's node is away, after settlement", settled, withChain(1, down), "delivery"],
  ["its destination is served no more", { ...settled, destChainId: 9 }, well, "delivery", "chain 9"]
]

function unsent(): HeldIntent {
  const { broadcastAtMs: _, ...never } = carrier
  return { ...queued, carrier: never }
}

describe("the explanation of a stuck intent", () => {
  for (const [why, intent, circumstances, waitsFor, ...words] of cases) {
    it(why, () => {
      const told = explain(intent, circumstances)
      assert.strictEqual(told.waitsFor, waitsFor, told.explanation)
      for (const word of words) assert.include(told.explanation, word)
      for (const sentence of [told.explanation, told.advice ?? "Nothing."]) {
        assert.match(sentence, /^[A-Z].{5,}[.]$/)
        assert.notMatch(sentence, /undefined|null|NaN|\.\.|\s\s/)
      }
    })
  }

  it("advises what the bridge of the deposit can still do", () => {
    const advice = (provider: string) => explain({ ...settled, provider }, well).advice ?? ""
    for (const provider of ["across", "uniswap-v3+across", "across+uniswap-v3", "lifi", "a bridge of later"]) {
      assert.include(advice(provider), "the bridge returns it to the owner", provider)
    }
    assert.include(advice("cctp"), "receiveMessage")
    assert.include(advice("cctp"), "is never returned")
    assert.include(advice("relay"), "has no deadline that a contract enforces")
    for (const provider of ["cctp", "relay"]) assert.notInclude(advice(provider), "before its deadline", provider)
    for (const provider of ["across", "cctp", "relay"]) {
      assert.match(advice(provider), /^[A-Z].{5,}[.]$/)
      assert.include(advice(provider), "watch.deliveries_failed")
    }
  })

  it("advises to wait a day only if the cap was paid", () => {
    const advice = (details: Circumstances["alerts"][number]["details"]) =>
      explain(queued, withAlert("spend_cap", details)).advice ?? ""
    for (const details of [{}, { isPaid: true }]) assert.include(advice(details), "a day")
    assert.notInclude(advice({ isPaid: false }), "a day")
    assert.include(advice({ isPaid: false }), "not mined")
  })

  it("has a case for whatever one can wait for", () => {
    assert.sameMembers([...new Set(cases.map(([, , , waitsFor]) => waitsFor))], [...WaitsForSchema.literals])
  })

  it("tells what stops a chain before what stops one intent", () => {
    const everything: HeldIntent = {
      ...queued,
      restsUntilMs: NOW + 1,
      leasedUntilMs: NOW + 1,
      ownersOther: "the other"
    }
    const bad = withAlert("relayer_paused", {}, { ...noLane, ...withChain(1, down) })
    assert.strictEqual(explain(everything, bad).waitsFor, "operator")
    assert.strictEqual(explain(everything, { ...bad, alerts: [] }).waitsFor, "chain")
    assert.strictEqual(explain(everything, noLane).waitsFor, "lane")
    assert.strictEqual(explain(everything, well).waitsFor, "lease")
    assert.strictEqual(explain({ ...everything, deadline: 1n }, bad).waitsFor, "expiry")
  })

  it.prop(
    "reads times in one unit",
    [Schema.Int.check(Schema.isBetween({ minimum: -1_000, maximum: 10 ** 10 }))],
    ([millis]) => {
      assert.match(duration(millis), /^\d{1,4} (s|min|h)$/)
    }
  )
})
