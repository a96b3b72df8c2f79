/** `sweep sweep` against the services on the local network: tokens of two chains, one signature of a private key. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import { sweepHere } from "../cli/inProcess.ts"
import { sweep } from "../cli/sweep.ts"
import { balanceOf, place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

layer(Services.layer(), { excludeTestServices: true, timeout: "60 seconds" })("sweep sweep", (it) => {
  /** An account with 60 USDT on the first chain and 50 USDC on the second. */
  const setUp = Effect.gen(function* () {
    const services = yield* Services
    const [alpha, beta] = [place(services, 0), place(services, 1)]
    const key = generatePrivateKey()
    const owner = Address.of(privateKeyToAccount(key).address)
    yield* alpha.dev.fund(owner, { token: "USDT", amount: 60_000_000n })
    yield* beta.dev.fund(owner, { token: "USDC", amount: 50_000_000n })
    const of = (at: typeof alpha, symbol: string) => `${at.info.id}:${SweepClient.tokenOf(at.info, symbol).address}`
    return { alpha, beta, key, of, owner, services }
  })

  it.effect("prints the reviewed orders, and signs nothing without --yes", () =>
    Effect.gen(function* () {
      const { alpha, key, of, owner, services } = yield* setUp
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const cwd = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-cli-" })
      yield* fs.makeDirectory(path.join(cwd, ".sweep"))
      yield* fs.writeFileString(path.join(cwd, ".sweep", "dev.json"), JSON.stringify(services.info))
      const args = ["sweep", "--into", of(alpha, "USDC")]
      const { code, err, out } = yield* sweep(args, { OWNER_KEY: key }, cwd)
      assert.strictEqual(code, 0, err)
      assert.match(out, /60 USDT .*USDC +31337 +order/)
      assert.match(out, /50 USDC .*USDC +31337 +bridge/)
      assert.include(out, "to sign: 1 batch of 2 orders, 2 authorizations")
      assert.include(err, "nothing is signed")
      assert.notInclude(out + err, key)
      assert.strictEqual(yield* balanceOf(alpha, "USDT", owner), 60_000_000n)
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )

  it.effect("sweeps tokens of two chains with one signature, and leaves out what has no quote", () =>
    Effect.gen(function* () {
      const { alpha, beta, key, of, owner, services } = yield* setUp
      const delegates = [alpha, beta].flatMap(({ info }) => ["--delegate", `${info.id}:${info.delegate}`])
      const tokens = [of(alpha, "USDT"), `${of(beta, "USDC")}:40000000`, of(beta, "DAI")]
      const { code, err, out } = yield* sweepHere(
        ["sweep", "--into", of(alpha, "USDC"), ...delegates, "--unconfirmed", "--yes", ...tokens],
        { OWNER_KEY: key, ORCHESTRATOR_URL: services.info.orchestratorUrl }
      )
      assert.strictEqual(code, 0, err)
      assert.match(out, /left out 0x\w+ on chain 31338: insufficient_balance/)
      assert.match(out, /60 USDT +delivered/)
      assert.match(out, /40 USDC +delivered/)
      assert.strictEqual(yield* balanceOf(alpha, "USDT", owner), 0n)
      assert.strictEqual(yield* balanceOf(beta, "USDC", owner), 10_000_000n)
      assert.isTrue((yield* balanceOf(alpha, "USDC", owner)) > 75_000_000n)
    })
  )

  it.effect("says in one sentence what is missing or wrong, and never the key", () =>
    Effect.gen(function* () {
      const { alpha, key, of, services } = yield* setUp
      const ORCHESTRATOR_URL = services.info.orchestratorUrl
      const into = ["sweep", "--into", of(alpha, "USDC")]
      const token = of(alpha, "USDT")
      for (const [args, env, expected] of [
        [into, { ORCHESTRATOR_URL }, /^sweep: OWNER_KEY is not set. Set it to the private key/],
        [into, { ORCHESTRATOR_URL, OWNER_KEY: "0x12" }, /^sweep: OWNER_KEY is not valid/],
        [[...into, token], { ORCHESTRATOR_URL, OWNER_KEY: key }, /^sweep: the delegate of chain 31337 is not known/],
        [
          [...into, "--delegate", `31337:${alpha.info.guard}`, "--unconfirmed", token],
          { ORCHESTRATOR_URL, OWNER_KEY: key },
          /^sweep: do not sign: quotes.0.quote.settlementAddress is /
        ],
        [
          [...into, "--delegate", `31337:${alpha.info.delegate}`, "--unconfirmed", "--max-fee-bps", "1", token],
          { ORCHESTRATOR_URL, OWNER_KEY: key },
          /^sweep: no token is left to sweep: 0x\w+ over_limit/
        ],
        [
          [...into, "--delegate", `31337:${alpha.info.delegate}`, token],
          { ORCHESTRATOR_URL: "http://127.0.0.1:1", OWNER_KEY: key },
          /^sweep: no response from http:\/\/127.0.0.1:1/
        ],
        [[...into, "31337"], { ORCHESTRATOR_URL, OWNER_KEY: key }, /expected <chain id>:<token address>/]
      ] as const) {
        const { code, err, out } = yield* sweepHere(args, env)
        assert.strictEqual(code, 1, err)
        assert.match(err, expected)
        assert.notInclude(out + err, key)
      }
    })
  )
})
