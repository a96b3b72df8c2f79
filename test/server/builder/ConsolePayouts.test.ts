/** Payout batches and alerts in the console. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { encodeAbiParameters, encodeEventTopics, erc20Abi } from "viem"
import type * as Address from "../../../src/domain/Address.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"
import type { Log, Receipt } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as Harness from "./Harness.ts"
import { builderOwed, hashOf, makeChain, owedTo } from "./consoleScene.ts"

const { asAdmin, CHAIN_ID, field, OTHER_TOKEN, text, TOKEN } = Harness

const live = { excludeTestServices: true }

const vault = FakeChain.chain.builderVault

const transfer = (
  to: string,
  amount: bigint,
  changes: { from?: Address.Address; token?: Address.Address } = {}
): Log => {
  const topics = encodeEventTopics({
    abi: erc20Abi,
    eventName: "Transfer",
    args: { from: changes.from ?? vault, to: `0x${to.slice(2)}` }
  })
  return {
    address: changes.token ?? TOKEN,
    topics: topics.flatMap((topic) => (typeof topic === "string" ? [topic] : [])),
    data: encodeAbiParameters([{ type: "uint256" }], [amount]),
    blockNumber: 90n,
    blockHash: hashOf("block"),
    transactionHash: hashOf("tx"),
    logIndex: 0
  }
}

const { node, receipts } = makeChain()

const mined = (name: string, logs: ReadonlyArray<Log>, changes: Partial<Receipt> = {}): Hash => {
  const transactionHash = hashOf(name)
  receipts.set(transactionHash, {
    transactionHash,
    blockNumber: 90n,
    blockHash: hashOf("block"),
    status: "success",
    gasUsed: 1n,
    effectiveGasPrice: 1n,
    logs,
    ...changes
  })
  return transactionHash
}

const open = (token: string, minAmount = "1") =>
  asAdmin("POST /admin/payouts", { body: { chainId: CHAIN_ID, token, minAmount } })

const pay = (id: string, txHash: Hash) => asAdmin(`POST /admin/payouts/${id}/paid`, { body: { txHash } })

const fail = (id: string) => asAdmin(`POST /admin/payouts/${id}/fail`, { body: { reason: "not signed in time" } })

/** Addresses that screening does not clear. */
const uncleared = new Map<string, "listed" | "unavailable">()

const screening = (_chainId: number, addresses: ReadonlyArray<Address.Address>) => {
  const cause = addresses.map((address) => uncleared.get(address)).find((found) => found !== undefined)
  return cause === undefined ? Effect.void : Effect.fail(new ScreeningBlocked({ cause }))
}

layer(Harness.layer({ node, screening }), live)("payouts", (it) => {
  it.effect("a batch is opened, exported, proven and booked", () =>
    Effect.gen(function* () {
      const [big, small] = [yield* builderOwed(500n), yield* builderOwed(3n)]
      const batch = yield* open(TOKEN, "4")
      assert.strictEqual(batch.status, 201)
      const id = text(batch, "id")
      assert.deepInclude(batch.body, {
        status: "open",
        total: "500",
        lines: [{ builderId: big.id, payoutAddress: big.payoutAddress, amount: "500", entries: 1 }]
      })
      assert.strictEqual(text(yield* asAdmin(`GET /admin/payouts/${id.toUpperCase()}`), "id"), id)
      const csv = yield* asAdmin(`GET /admin/payouts/${id.toUpperCase()}/csv`)
      assert.include(csv.headers.get("content-type") ?? "", "text/csv")
      assert.strictEqual(csv.text.split("\r\n")[1], `${id},${CHAIN_ID},${TOKEN},${big.id},${big.payoutAddress},500`)
      const safe = yield* asAdmin(`GET /admin/payouts/${id}/safe`)
      assert.strictEqual(text(safe, "meta", "createdFromSafeAddress"), vault)
      assert.deepStrictEqual(field(safe, "transactions", 0, "contractInputsValues"), {
        to: big.payoutAddress,
        value: "500"
      })

      const right = transfer(big.payoutAddress, 500n)
      const unproven: ReadonlyArray<readonly [Hash, string]> = [
        [hashOf("never sent"), "not_mined"],
        [mined("reverted", [right], { status: "reverted" }), "reverted"],
        [mined("in the next block", [right], { blockNumber: 101n }), "not_confirmed"],
        [mined("empty", []), "not_paid"],
        [mined("too little", [transfer(big.payoutAddress, 499n)]), "not_paid"],
        [mined("of somebody else", [transfer(big.payoutAddress, 500n, { from: OTHER_TOKEN })]), "not_paid"],
        [mined("another token", [transfer(big.payoutAddress, 500n, { token: OTHER_TOKEN })]), "not_paid"],
        [mined("to somebody else", [transfer(small.payoutAddress, 500n)]), "not_paid"]
      ]
      for (const [hash, reason] of unproven) {
        const answer = yield* pay(id, hash)
        assert.strictEqual(answer.status, 409, reason)
        assert.deepInclude(answer.body, { error: "payment_unproven", reason })
      }
      assert.strictEqual(yield* owedTo(big.id), "500")

      const hash = mined("paid", [transfer(small.payoutAddress, 1n), right])
      const paid = yield* pay(id, hash)
      assert.strictEqual(paid.status, 200)
      assert.deepInclude(paid.body, { status: "paid", txHash: hash })
      assert.strictEqual((yield* pay(id, hash)).status, 200)
      assert.deepStrictEqual((yield* pay(id, hashOf("another"))).body, { error: "payout_closed" })
      assert.deepStrictEqual((yield* fail(id)).body, { error: "payout_closed" })
      assert.isUndefined(yield* owedTo(big.id))
      assert.strictEqual(yield* owedTo(small.id), "3")
      const activity = yield* asAdmin(`GET /admin/builders/${big.id}/entries`)
      assert.strictEqual(text(activity, "entries", 1, "kind"), "payment")
      assert.strictEqual(text(activity, "entries", 1, "txHash"), hash)
      const records = yield* asAdmin("GET /admin/audit?limit=3")
      assert.deepStrictEqual(
        [0, 1, 2].map((n) => text(records, "records", n, "action")),
        ["payout.mark_paid", "payout.export_safe", "payout.open"]
      )
      assert.strictEqual(text(records, "records", 1, "details", "vault"), vault)
      const treasury = yield* asAdmin("GET /admin/treasury")
      assert.deepStrictEqual(field(treasury, "positions", 0), {
        chainId: CHAIN_ID,
        token: TOKEN,
        earned: "503",
        paid: "500",
        owed: "3",
        claimed: "0",
        unclaimed: "3",
        vaultBalance: "1000"
      })
    })
  )

  it.effect("builders who cannot be paid are left out by name, and do not block the others", () =>
    Effect.gen(function* () {
      const token = FakeChain.address(0x34)
      const paid = yield* builderOwed(10n, token)
      const [listed, unscreened, suspended, excluded] = [
        yield* builderOwed(20n, token),
        yield* builderOwed(30n, token),
        yield* builderOwed(40n, token),
        yield* builderOwed(50n, token)
      ]
      uncleared.set(listed.payoutAddress, "listed").set(unscreened.payoutAddress, "unavailable")
      yield* asAdmin(`PATCH /admin/builders/${suspended.id}`, { body: { suspended: true } })
      const request = { chainId: CHAIN_ID, token, exclude: [excluded.id] }
      const batch = yield* asAdmin("POST /admin/payouts", { body: request })
      assert.strictEqual(batch.status, 201)
      assert.strictEqual(text(batch, "total"), "10")
      assert.strictEqual(text(batch, "lines", 0, "builderId"), paid.id)
      const left = (amount: string, reason: string, { id, payoutAddress }: typeof paid) => ({
        builderId: id,
        payoutAddress,
        amount,
        reason
      })
      assert.deepStrictEqual(field(batch, "leftOut"), [
        left("20", "sanctions_listed", listed),
        left("30", "screening_unavailable", unscreened),
        left("40", "suspended", suspended),
        left("50", "excluded", excluded)
      ])

      // Their amounts stay owed, and are paid once nothing blocks them.
      assert.deepStrictEqual((yield* asAdmin("POST /admin/payouts", { body: request })).body, {
        error: "nothing_owed",
        leftOut: field(batch, "leftOut")
      })
      uncleared.clear()
      yield* asAdmin(`PATCH /admin/builders/${suspended.id}`, { body: { suspended: false } })
      const rest = yield* asAdmin("POST /admin/payouts", { body: { chainId: CHAIN_ID, token } })
      assert.strictEqual(text(rest, "total"), "140")
      assert.deepStrictEqual(field(rest, "leftOut"), [])
    })
  )

  it.effect("concurrent batches never take the same accrual twice", () =>
    Effect.gen(function* () {
      const token = FakeChain.address(0x33)
      const builders = [yield* builderOwed(10n, token), yield* builderOwed(20n, token)]
      const answers = yield* Effect.forEach(Array.from({ length: 12 }), () => open(token), {
        concurrency: "unbounded"
      })
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 1)
      for (const answer of answers) {
        if (answer.status === 201) continue
        assert.strictEqual(answer.status, 409)
        assert.strictEqual(text(answer, "error"), "nothing_owed")
      }
      const first = answers.find(({ status }) => status === 201)
      assert.isDefined(first)
      const id = text(first, "id")
      assert.deepInclude((yield* fail(id)).body, { status: "failed", failureReason: "not signed in time" })
      assert.deepStrictEqual((yield* pay(id, hashOf("late"))).body, { error: "payout_closed" })
      const again = yield* open(token)
      assert.strictEqual(text(again, "total"), "30")
      const hash = mined(
        "both",
        builders.map(({ payoutAddress }) => transfer(payoutAddress, 20n, { token }))
      )
      const races = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, n) => n),
        (n) => (n % 2 === 0 ? pay(text(again, "id"), hash) : fail(text(again, "id"))),
        { concurrency: "unbounded" }
      )
      const batch = yield* asAdmin(`GET /admin/payouts/${text(again, "id")}`)
      const isPaid = text(batch, "status") === "paid"
      assert.isTrue(races.every(({ status }, n) => (status === 200) === ((n % 2 === 0) === isPaid)))
      assert.strictEqual(yield* owedTo(builders[0]?.id ?? ""), isPaid ? undefined : "10")
      const list = yield* asAdmin("GET /admin/payouts?limit=1")
      assert.strictEqual(text(list, "payouts", 0, "id"), text(again, "id"))
      const next = yield* asAdmin(`GET /admin/payouts?limit=1&cursor=${text(list, "nextCursor")}`)
      assert.strictEqual(text(next, "payouts", 0, "id"), id)
    })
  )

  it.effect("one transaction pays one batch of a token", () =>
    Effect.gen(function* () {
      const token = FakeChain.address(0x44)
      const builder = yield* builderOwed(10n, token)
      const first = yield* open(token)
      const hash = mined("once", [transfer(builder.payoutAddress, 10n, { token })])
      assert.strictEqual((yield* pay(text(first, "id"), hash)).status, 200)
      yield* asAdmin("POST /accruals", {
        body: { builderId: builder.id, sweepId: "second", token, amount: "10", chainId: CHAIN_ID }
      })
      const second = yield* open(token)
      assert.deepStrictEqual((yield* pay(text(second, "id"), hash)).body, { error: "payment_taken" })
      assert.strictEqual(yield* owedTo(builder.id), "10")
    })
  )

  it.effect("requests that make no sense are refused", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* open("0x1")).status, 422)
      const elsewhere = { chainId: 1, token: TOKEN }
      assert.strictEqual((yield* asAdmin("POST /admin/payouts", { body: elsewhere })).status, 422)
      assert.deepStrictEqual((yield* open(FakeChain.address(0x99))).body, { error: "nothing_owed", leftOut: [] })
      for (const request of ["GET /admin/payouts/x", "GET /admin/payouts/x/csv", "GET /admin/payouts/x/safe"]) {
        assert.deepStrictEqual((yield* asAdmin(request)).body, { error: "not found" })
      }
      assert.strictEqual((yield* pay("x", hashOf("x"))).status, 404)
      assert.strictEqual((yield* fail("x")).status, 404)
      assert.strictEqual((yield* asAdmin("POST /admin/payouts/x/paid", { body: { txHash: "0x" } })).status, 422)
      assert.strictEqual((yield* asAdmin("POST /admin/payouts/x/fail", { body: { reason: " " } })).status, 422)
    })
  )

  it.effect("alerts are listed and cleared", () =>
    Effect.gen(function* () {
      const builder = yield* builderOwed(10n)
      const body = { builderId: builder.id, sweepId: `${builder.id}_sweep`, token: TOKEN, amount: "11" }
      assert.strictEqual((yield* asAdmin("POST /accruals", { body })).status, 409)
      const alerts = yield* asAdmin("GET /admin/alerts")
      const key = text(alerts, 0, "key")
      assert.strictEqual(key, `accrual_conflict:${builder.id}_sweep`)
      assert.deepStrictEqual((yield* asAdmin("POST /admin/alerts/clear", { body: { key } })).body, { ok: true })
      assert.deepStrictEqual((yield* asAdmin("GET /admin/alerts")).body, [])

      // The alert also goes when the reports agree again, and when the accrual is taken back.
      const right = { ...body, amount: "10", chainId: CHAIN_ID }
      const conflict = Effect.gen(function* () {
        assert.strictEqual((yield* asAdmin("POST /accruals", { body })).status, 409)
        assert.strictEqual(text(yield* asAdmin("GET /admin/alerts"), 0, "kind"), "accrual_conflict")
      })
      yield* conflict
      assert.strictEqual((yield* asAdmin("POST /accruals", { body: right })).status, 201)
      assert.deepStrictEqual((yield* asAdmin("GET /admin/alerts")).body, [])
      yield* conflict
      yield* asAdmin("POST /admin/accruals/reverse", { body: { sweepId: body.sweepId, reason: "reported wrongly" } })
      assert.deepStrictEqual((yield* asAdmin("GET /admin/alerts")).body, [])
      const revenue = {
        sweepId: "twice",
        chainId: CHAIN_ID,
        token: TOKEN,
        amount: "1",
        txHash: hashOf("tx"),
        settledAtMs: 1
      }
      const report = (amount: string) =>
        Effect.map(asAdmin("POST /revenue", { body: { ...revenue, amount } }), ({ status }) => status)
      assert.deepStrictEqual(yield* Effect.all([report("1"), report("2")]), [201, 409])
      assert.strictEqual(text(yield* asAdmin("GET /admin/alerts"), 0, "kind"), "revenue_conflict")
      assert.strictEqual(yield* report("1"), 201)
      assert.deepStrictEqual((yield* asAdmin("GET /admin/alerts")).body, [])
    })
  )
})
