/** `sweep exposure` against the real route of the orchestrator. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { classOf } from "../../src/domain/Exposure.ts"
import { serve } from "../server/orchestrator/Harness.ts"
import { sweepHere } from "./inProcess.ts"

const TOKEN = "operator-token"

describe("sweep exposure", () => {
  it.live("shows the budgets and the classes that lost most", () =>
    Effect.gen(function* () {
      const sums = { open: 3n, hour: { lost: 11n, earned: 0n }, day: { lost: 22n, earned: 4n } }
      const key = classOf("unlisted", "owner", 8453, "0xaa")
      const exposures = { sums: () => Effect.succeed(new Map()), largest: () => Effect.succeed([{ key, ...sums }]) }
      const { base } = yield* serve({ exposures }, { adminToken: Redacted.make(TOKEN) })
      const { code, err, out } = yield* sweepHere(["exposure"], {
        ORCHESTRATOR_URL: base,
        ORCHESTRATOR_ADMIN_TOKEN: TOKEN
      })
      assert.strictEqual(code, 0, err)
      const rows = out.split("\n").map((line) => line.split(/ {2,}/))
      assert.deepInclude(rows, ["CHAIN", "TOKENS", "LOST HOUR", "BUDGET HOUR", "LOST DAY", "BUDGET DAY", "RESERVED"])
      assert.deepInclude(rows, ["8453", "unlisted", "owner", "0xaa", "11", "22", "4", "3"])
    }).pipe(Effect.scoped)
  )
})
