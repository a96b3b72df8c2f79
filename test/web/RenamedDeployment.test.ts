/** A deployment whose orders have an EIP-712 domain name of the operator's: its page and its command sweep all the same. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { sweepHere } from "../cli/inProcess.ts"
import { balanceOf } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"
import * as Steps from "./SweepSteps.ts"
import * as SweepSite from "./SweepSite.ts"

const domainName = "Acme"

const live = { excludeTestServices: true, timeout: "4 minutes" } as const

layer(SweepSite.layerWith({ domainName }), live)("a deployment of another name", (it) => {
  it.effect("is swept on by its page", () =>
    Effect.gen(function* () {
      const { address, alpha, key, page } = yield* Steps.person({ DAI: "40" })
      yield* Steps.usesKey(page, key)
      yield* Steps.sweeps(page, 1)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
    }).pipe(Effect.scoped)
  )

  it.effect("is swept on by the command with its setting, and refused without it", () =>
    Effect.gen(function* () {
      const { alpha, info } = yield* Steps.chains
      const { address, key } = yield* Steps.owner(alpha, { DAI: "40" })
      const of = (symbol: string) => `${alpha.info.id}:${SweepClient.tokenOf(alpha.info, symbol).address}`
      const delegate = ["--delegate", `${alpha.info.id}:${alpha.info.delegate}`]
      const args = ["sweep", "--into", of("USDC"), ...delegate, "--unconfirmed", "--yes", of("DAI")]
      const env = { OWNER_KEY: key, ORCHESTRATOR_URL: info.orchestratorUrl }
      const other = yield* sweepHere(args, env)
      assert.strictEqual(other.code, 1)
      assert.match(other.err, /^sweep: 400 bad_signature: .*set EIP712_DOMAIN_NAME to it/)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 40n * 10n ** 18n)
      const { code, err, out } = yield* sweepHere(args, { ...env, EIP712_DOMAIN_NAME: domainName })
      assert.strictEqual(code, 0, err)
      assert.match(out, /40 DAI +delivered/)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
    })
  )
})
