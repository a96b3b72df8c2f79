/**
 * A builder's whole life on the local network: the operator's commands set its markup and pay it, and a client
 * of the HTTP API sweeps in between. Ledger and chain must agree to the wei at every step.
 */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEventLogs } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { sweepGuard } from "../../src/adapters/evm/abi/contracts.generated.ts"
import * as Accounts from "../../src/devnet/Accounts.ts"
import type { DevInfo } from "../../src/devnet/DevInfo.ts"
import { balanceOf, place, Services } from "../support/Services.ts"
import { amountIn, asAdmin, ask, own, patch, quoteWith, shell, signUp, sweepWith, until } from "./BuilderScene.ts"

const revenueOf = (info: DevInfo) =>
  Effect.map(
    ask<{ days: ReadonlyArray<{ token: string; amount: string; sweeps: number }> }>(
      `${info.builderUrl}/admin/revenue`,
      asAdmin(info)
    ),
    ({ answer }) => answer
  )

const generated = () => privateKeyToAccount(generatePrivateKey()).address

const sums = (amounts: ReadonlyArray<readonly [token: string, amount: bigint]>): ReadonlyMap<string, bigint> => {
  const totals = new Map<string, bigint>()
  for (const [token, amount] of amounts.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    totals.set(token, (totals.get(token) ?? 0n) + amount)
  }
  return totals
}

/** Tests of builders of their own, which wait for blocks and commands. The books of all are compared after them. */
const SIDE_BY_SIDE = { concurrent: true } as const

layer(Services.layer(), { excludeTestServices: true })("a builder", (it) => {
  it.effect(
    "signs up, earns and is paid by the operator's commands",
    () =>
      Effect.gen(function* () {
        const services = yield* Services
        const { info } = services
        const alpha = place(services, 0)
        const usdt = alpha.info.tokens["USDT"]?.address ?? ""
        const { outputOf, run } = yield* shell

        const { apiKey, cookie, id, wallet } = yield* signUp(info)
        const builder = { id, payoutAddress: wallet.address }
        const me = own(info, cookie)
        const free = yield* sweepWith(apiKey, "USDT", "30")
        assert.strictEqual(free.quote.string("quote.builderId"), builder.id)
        assert.strictEqual(free.builderFee, 0n)

        yield* outputOf(`./sweep builders set-bps ${id} 30 --max 100`)
        yield* outputOf(`./sweep builders set-payout-mode ${id} ledger`)
        const operated = yield* outputOf(`./sweep builders show ${id}`)
        assert.include(operated, "30 bps, at most 100")
        assert.include(operated, `ledger, to ${builder.payoutAddress}`)

        const first = yield* sweepWith(apiKey, "USDT", "41.234567")
        const second = yield* sweepWith(apiKey, "USDT", "17.000001")
        assert.strictEqual(first.builderFee, (41_234_567n * 30n) / 10_000n)
        const earned = first.builderFee + second.builderFee
        const owed = yield* until(({ balances }) => amountIn(balances, usdt) === earned, me.accruals)
        assert.strictEqual(amountIn(owed.balances, usdt), earned)
        assert.strictEqual(amountIn(owed.lifetime, usdt), earned)
        const unpaid = yield* me.activity
        assert.deepStrictEqual(
          unpaid.map(({ amount, paid }) => [BigInt(amount), paid]),
          [
            [second.builderFee, false],
            [first.builderFee, false]
          ]
        )
        assert.isTrue(unpaid[1]?.sweepId.startsWith(first.txHash))

        // Nobody else is owed USDT here, so what is owed in all is what the vault holds.
        const vault = Accounts.builderVault().address
        assert.strictEqual(yield* balanceOf(alpha, "USDT", vault), earned)
        const opened = yield* outputOf(`./sweep payouts open --chain ${alpha.info.id} --token ${usdt} --json`)
        const batch = (JSON.parse(opened) as { id: string }).id
        assert.include(
          yield* outputOf(`./sweep payouts export ${batch}`),
          `${builder.id},${builder.payoutAddress},${earned}`
        )
        assert.match(yield* outputOf(`./sweep payouts send ${batch}`), /status +paid by 0x[0-9a-f]{64}/)
        assert.strictEqual(yield* balanceOf(alpha, "USDT", builder.payoutAddress), earned)
        assert.strictEqual(yield* balanceOf(alpha, "USDT", vault), 0n)
        const exported = yield* run(`./sweep payouts export ${batch} --format safe`)
        assert.strictEqual(exported.code, 1)
        assert.include(exported.error, "a Safe that runs its file would pay it again")
        const settled = yield* me.accruals
        assert.deepStrictEqual(settled.balances, [])
        assert.strictEqual(amountIn(settled.lifetime, usdt), earned)
        assert.isTrue((yield* me.activity).every((entry) => entry.paid))

        // Once more changes nothing, and there is nothing left to open.
        const again = yield* run(`./sweep payouts send ${batch} --json`)
        assert.strictEqual((JSON.parse(again.out) as { status: string }).status, "paid")
        assert.strictEqual(yield* balanceOf(alpha, "USDT", builder.payoutAddress), earned)
        const empty = yield* run(`./sweep payouts open --chain ${alpha.info.id} --token ${usdt}`)
        assert.strictEqual(empty.code, 1)
        assert.include(empty.error, "no builder is owed the minimum amount")
      }).pipe(Effect.provide(BunServices.layer)),
    SIDE_BY_SIDE
  )

  it.effect(
    "is paid by the sweep itself in the payout mode onchain",
    () =>
      Effect.gen(function* () {
        const services = yield* Services
        const { info } = services
        const alpha = place(services, 0)
        const builder = yield* signUp(info)
        yield* patch(info, builder.id, { maxBuilderBps: 100, builderBps: 45 })
        const swept = yield* sweepWith(builder.apiKey, "WBTC", "0.0123")
        assert.strictEqual(swept.builder, builder.wallet.address)
        assert.strictEqual(swept.builderFee, (1_230_000n * 45n) / 10_000n)
        assert.strictEqual(yield* balanceOf(alpha, "WBTC", builder.wallet.address), swept.builderFee)
        const me = own(info, builder.cookie)
        const [entry] = yield* until((entries) => entries.length > 0, me.activity)
        assert.isTrue(entry?.paid)
        assert.strictEqual(BigInt(entry?.amount ?? 0), swept.builderFee)
        assert.isTrue(entry?.sweepId.startsWith(swept.txHash))
        assert.deepStrictEqual((yield* me.accruals).balances, [])
        const { answer } = yield* ask<{ entries: ReadonlyArray<{ txHash: string }> }>(
          `${info.builderUrl}/admin/builders/${builder.id}/entries`,
          asAdmin(info)
        )
        assert.strictEqual(answer.entries[0]?.txHash, swept.txHash)
      }),
    SIDE_BY_SIDE
  )

  it.effect(
    "loses its old key at once, and its quotes while it is suspended",
    () =>
      Effect.gen(function* () {
        const { info } = yield* Services
        const builder = yield* signUp(info)
        const builderOf = (apiKey: string) =>
          Effect.map(quoteWith(apiKey, "DAI", "20"), ({ quote }) => {
            const { builderId } = quote.at<{ builderId?: string }>("quote")
            return builderId
          })
        assert.strictEqual(yield* builderOf(builder.apiKey), builder.id)
        const { answer } = yield* ask<{ apiKey: string }>(
          `${info.builderUrl}/me/apikey/rotate`,
          { cookie: builder.cookie, origin: info.dashboardUrl },
          undefined,
          "POST"
        )
        assert.isUndefined(yield* builderOf(builder.apiKey))
        assert.strictEqual(yield* builderOf(answer.apiKey), builder.id)
        yield* patch(info, builder.id, { suspended: true })
        assert.isUndefined(yield* builderOf(answer.apiKey))
        yield* patch(info, builder.id, { suspended: false })
        assert.strictEqual(yield* builderOf(answer.apiKey), builder.id)
      }),
    SIDE_BY_SIDE
  )

  it.effect(
    "is told by the commands what is wrong",
    () =>
      Effect.gen(function* () {
        const { info } = yield* Services
        const { run } = yield* shell
        const listed = yield* run("./sweep builders list --json")
        assert.include(listed.error, "using the local network of")
        assert.isTrue((JSON.parse(listed.out) as ReadonlyArray<{ id: string }>).some(({ id }) => id === "dev"))
        const failing: ReadonlyArray<readonly [script: string, said: string]> = [
          [`BUILDER_URL=${info.builderUrl} ./sweep builders list`, "BUILDER_ADMIN_TOKEN is not set"],
          [`BUILDER_URL=${info.builderUrl} BUILDER_ADMIN_TOKEN=x ./sweep payouts list`, "Set BUILDER_ADMIN_TOKEN"],
          ["BUILDER_URL=http://127.0.0.1:1 BUILDER_ADMIN_TOKEN=x ./sweep payouts list", "http://127.0.0.1:1"],
          ["./sweep builders show nobody", "no record has this id"],
          ["./sweep builders set-bps dev 101", "exceeds maxBuilderBps 100"],
          ["./sweep payouts mark-paid x 0x1", "64 hex digits"],
          ["VAULT_KEY=hunter2 ./sweep payouts send x", "VAULT_KEY is not valid"],
          ["./sweep payouts send x", "there is no payout batch x"]
        ]
        yield* Effect.forEach(
          failing,
          Effect.fnUntraced(function* ([script, said]) {
            const { code, error } = yield* run(script)
            assert.strictEqual(code, 1, script)
            assert.include(error, said, script)
            assert.notInclude(error, "hunter2")
          }),
          { concurrency: 2, discard: true }
        )
        const registered = yield* run(
          `./sweep builders register --id shell --name "Shell" --bps 5 --payout-address ${generated()}`
        )
        assert.match(registered.out, /API key {2}swp_[0-9a-f]{64}/)
        assert.include(registered.error, "shown only once")
        for (const command of ["suspend shell", "resume shell", "set-bps shell 7 --max 9"]) {
          assert.strictEqual((yield* run(`./sweep builders ${command}`)).code, 0, command)
        }
        assert.include((yield* run("./sweep builders show shell")).out, "7 bps, at most 9")
      }).pipe(Effect.provide(BunServices.layer)),
    SIDE_BY_SIDE
  )

  it.effect("and the operator see books that agree with the chain", () =>
    Effect.gen(function* () {
      const services = yield* Services
      const { info } = services
      const { dev } = place(services, 0)
      const builder = yield* signUp(info)
      yield* patch(info, builder.id, { maxBuilderBps: 100, builderBps: 25, payoutMode: "ledger" })
      const latest = yield* sweepWith(builder.apiKey, "DAI", "33.3")
      yield* until((entries) => entries.length > 0, own(info, builder.cookie).activity)

      const swept = yield* dev.node.ask("read every settlement", (node) =>
        node.getLogs({
          address: dev.chain.contracts.guard,
          fromBlock: 0n
        })
      )
      const settlements = parseEventLogs({ abi: sweepGuard.abi, eventName: "Swept", logs: swept }).map(
        ({ args }) => args
      )
      const revenue = yield* until(
        ({ days }) => days.reduce((sum, { sweeps }) => sum + sweeps, 0) === settlements.length,
        revenueOf(info)
      )
      const fees = sums(settlements.map(({ feeAmount, tokenIn }) => [tokenIn, feeAmount]))
      assert.isAbove(fees.size, 0)
      assert.deepStrictEqual(sums(revenue.days.map(({ amount, token }) => [token, BigInt(amount)])), fees)

      // The vault received exactly what the ledger owes or has paid from it. It has no other income or expense.
      const { answer } = yield* ask<{
        positions: ReadonlyArray<{ token: string; earned: string; owed: string; vaultBalance: string; chainId: number }>
      }>(`${info.builderUrl}/admin/treasury`, asAdmin(info))
      const here = answer.positions.filter(({ chainId }) => chainId === dev.chain.id)
      assert.isTrue(here.some(({ owed }) => BigInt(owed) === latest.builderFee))
      for (const { owed, token, vaultBalance } of here) assert.strictEqual(owed, vaultBalance, token)
      const earned = sums(settlements.map(({ builderFee, tokenIn }) => [tokenIn, builderFee]))
      for (const { earned: inLedger, token } of answer.positions) {
        assert.strictEqual(BigInt(inLedger), earned.get(token), token)
      }
    })
  )
})
