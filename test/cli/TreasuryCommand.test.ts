/** `sweep treasury` against the real routes of the orchestrator. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { NoPlan } from "../../src/orchestrator/treasury/SafePlan.ts"
import { CannotSell, type Treasury } from "../../src/orchestrator/treasury/Treasury.ts"
import { serve } from "../server/orchestrator/Harness.ts"
import { moneyView, treasuryView } from "../server/orchestrator/Fixtures.ts"
import { sweepHere } from "./inProcess.ts"

const TOKEN = "operator-token"

const working: Treasury["Service"] = {
  view: Effect.succeed(treasuryView),
  money: () => Effect.succeed(moneyView),
  safePlan: (chainId) => Effect.succeed({ batch: { chainId: String(chainId), meta: { name: "Sales" } }, leftOut: [] }),
  sell: Effect.succeed({ opened: treasuryView.sales })
}

const shell = Effect.fnUntraced(function* (treasury: Partial<Treasury["Service"]> = {}) {
  const { base } = yield* serve({ treasury: { ...working, ...treasury } }, { adminToken: Redacted.make(TOKEN) })
  return (...args: ReadonlyArray<string>) =>
    sweepHere(["treasury", ...args], { ORCHESTRATOR_URL: base, ORCHESTRATOR_ADMIN_TOKEN: TOKEN })
})

const cells = (text: string) => text.split("\n").map((line) => line.split(/ {2,}/))

describe("sweep treasury", () => {
  it.live("shows the books of each token", () =>
    Effect.gen(function* () {
      const run = yield* shell()
      const { code, err, out } = yield* run()
      assert.strictEqual(code, 0, err)
      const [entry] = treasuryView.entries
      assert.deepStrictEqual(cells(out), [
        ["CHAIN", "TOKEN", "COLLECTED", "SOLD", "ARRIVED", "LOST", "HELD", "UNEXPLAINED", "VALUE", "PLAN"],
        ["8453", String(entry?.token), String(2n ** 256n), "5", "0", "0", "7", "-1", "$1.5", "to be sold"],
        [""],
        ["next round: with `sweep treasury sell`"],
        [""]
      ])
      const json = JSON.parse((yield* run("--json")).out) as { readonly entries: ReadonlyArray<{ collected: string }> }
      assert.strictEqual(json.entries[0]?.collected, String(2n ** 256n))
    }).pipe(Effect.scoped)
  )

  it.live("prints the sales of the only chain with an asset for a Safe", () =>
    Effect.gen(function* () {
      const run = yield* shell()
      const { code, err, out } = yield* run("plan")
      assert.strictEqual(code, 0, err)
      assert.deepStrictEqual(JSON.parse(out), { chainId: "8453", meta: { name: "Sales" } })
      assert.strictEqual(JSON.parse((yield* run("plan", "--chain", "10")).out).chainId, "10")
      const bare = yield* shell({ view: Effect.succeed({ ...treasuryView, chains: [] }) })
      const refused = yield* bare("plan")
      assert.notStrictEqual(refused.code, 0)
      assert.include(refused.err, "TREASURY_ASSETS")
    }).pipe(Effect.scoped)
  )

  it.live("says why nothing is sold of an account that is the builders' vault, too", () =>
    Effect.gen(function* () {
      // With another vault alone, the next round sells what builders are owed.
      const FIRST = "Remove the chain from TREASURY_ASSETS first"
      const [only] = treasuryView.chains
      const [entry] = treasuryView.entries
      const run = yield* shell({
        view: Effect.succeed({
          ...treasuryView,
          chains: only === undefined ? [] : [{ ...only, selling: "shared_vault" }],
          entries: entry === undefined ? [] : [{ ...entry, state: "shared_vault" }]
        }),
        safePlan: () => Effect.fail(new NoPlan({ reason: "shared_vault" })),
        sell: Effect.fail(new CannotSell({ missing: ["builderVault"] }))
      })
      const shown = yield* run()
      assert.include(shown.out, "kept: the account is the builders' vault, too")
      assert.include(
        shown.out,
        "the service sells nothing on chain 8453: its fee recipient is the builders' vault, too"
      )
      assert.include(shown.out, FIRST)
      for (const command of ["plan", "sell"]) {
        const { code, err } = yield* run(command)
        assert.notStrictEqual(code, 0)
        assert.include(err, "Set builderVault")
        assert.include(err, FIRST)
      }
    }).pipe(Effect.scoped)
  )

  it.live("sells, or says what to set", () =>
    Effect.gen(function* () {
      const run = yield* shell()
      assert.deepStrictEqual(cells((yield* run("sell")).out).slice(0, 1), [
        ["SALE", "CHAIN", "TOKEN", "AMOUNT", "INTO"]
      ])
      const closed = yield* shell({ sell: Effect.fail(new CannotSell({ missing: ["FEE_RECIPIENT_KEY"] })) })
      const { code, err } = yield* closed("sell")
      assert.notStrictEqual(code, 0)
      assert.include(err, "FEE_RECIPIENT_KEY")
    }).pipe(Effect.scoped)
  )
})
