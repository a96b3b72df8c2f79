/** Arguments of `sweep builders`. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { address } from "../support/FakeChain.ts"
import { sweepHere } from "./inProcess.ts"

layer(BunServices.layer, { excludeTestServices: true })("the arguments of sweep builders", (it) => {
  it.effect("take markups and chains as digits only, so that an empty one sets nothing", () =>
    Effect.gen(function* () {
      const account = ["--id", "acme", "--name", "Acme", "--payout-address", address(0x80)]
      for (const text of ["", " ", "1e1", "0x10", "-1", "10001"]) {
        for (const args of [
          // A value that begins with a dash needs the form with an equals sign.
          ["set-bps", "acme", "--", text],
          ["set-bps", "acme", "1", `--max=${text}`],
          ["register", ...account, `--bps=${text}`],
          ["register", ...account, `--max-bps=${text}`]
        ]) {
          const { code, err, out } = yield* sweepHere(["builders", ...args])
          assert.strictEqual(code, 1)
          assert.include(out + err, "expected an integer from 0 to 10000", JSON.stringify(args))
        }
      }
      const { code, err, out } = yield* sweepHere(["builders", "set-wallet-chain", "acme", ""])
      assert.strictEqual(code, 1)
      assert.include(out + err, "expected an integer from 1 to")
    })
  )
})
