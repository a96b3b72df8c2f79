/** `sweep doctor` on a real node and a real database. */
import { PgClient } from "@effect/sql-pg"
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { deploymentOf } from "../../src/adapters/evm/chains/ChainSettings.ts"
import { read } from "../../src/adapters/evm/chains/ChainsFile.ts"
import { firstGenerationOf, plan } from "../../src/adapters/evm/contracts/Deployment.ts"
import * as Accounts from "../../src/devnet/Accounts.ts"
import * as Address from "../../src/domain/Address.ts"
import { DEFAULT_DOMAIN_NAME } from "../../src/domain/SweepOrder.ts"
import { address } from "../support/FakeChain.ts"
import { withLiveClock } from "../support/LiveClock.ts"
import { OneChain } from "../support/OneChain.ts"
import { migratedDatabase } from "../support/Postgres.ts"
import { StubServer } from "../support/StubServer.ts"
import { operator, type Report } from "./doctorScene.ts"
import { sweepHere } from "./inProcess.ts"

/** True findings about the database server of the tests, which is fast and forgets. */
const OF_TEST_SERVER = ["database_commits_not_durable", "database_fsync_off"]

/** Codes of a level, each once, without those of the server of the tests. */
const codes = ({ findings }: Report, level: string): ReadonlyArray<string> =>
  [...new Set(findings.filter((each) => each.level === level).map(({ code }) => code))]
    .filter((code) => !OF_TEST_SERVER.includes(code))
    .toSorted()

const environment = Layer.mergeAll(OneChain.layer, migratedDatabase, StubServer.layer).pipe(
  Layer.provideMerge(BunServices.layer)
)

layer(environment, { excludeTestServices: true })("sweep doctor", (it) => {
  it.effect("finds nothing wrong with a deployment that works, and verifies the contracts", () =>
    Effect.gen(function* () {
      const { dev, doctor, report } = yield* operator()
      const well = yield* report({}, "--listed", Accounts.sanctioned())
      assert.deepStrictEqual(codes(well, "error"), [], JSON.stringify(well.findings, null, 1))
      assert.deepStrictEqual([well.code, well.errors, well.ok], [1, OF_TEST_SERVER.length, false])
      // The local chain's guard belongs to a plain account.
      assert.deepStrictEqual(codes(well, "warning"), ["guard_owner_account"])
      const seen = (code: string) => well.findings.find((each) => each.code === code)?.seen ?? ""
      assert.match(seen("endpoint_ok"), /^block \d+, \d+ ms, archive, block overrides, logs of 5000 blocks$/)
      assert.match(seen("contracts_ok"), /^3 contracts of the service/)
      assert.match(seen("lane_ok"), /^100 ETH, about \d+ hours at 30 sweeps an hour$/)
      assert.strictEqual(seen("oracle_ok"), "it lists the given address")
      const text = yield* doctor({ DATABASE_URL: "" })
      assert.strictEqual(text.code, 0, text.err)
      assert.include(text.out, "0 errors, 2 warnings, ")
      assert.include(text.out, dev.chain.name)
    })
  )

  it.effect("names each fault of a chain, and checks the rest all the same", () =>
    Effect.gen(function* () {
      const { dev, report } = yield* operator({
        quoter: address(0x51),
        targets: [{ name: "relay", kind: "bridge", address: address(0x52) }],
        // While a guard does not answer, no sweep fails or expires.
        earlierContracts: [{ delegate: address(0x54), guard: address(0x55), entry: address(0x56) }],
        // Another owner moves the contracts to addresses without code.
        guardOwner: address(0x53),
        rpcUrls: [(yield* OneChain).rpcUrl, "http://127.0.0.1:9/secret-key-of-the-path"]
      })
      const { code, err, findings, ...rest } = yield* report({
        BUILDER_ADMIN_TOKEN: "not-the-token",
        RELAYER_KEYS: generatePrivateKey()
      })
      assert.strictEqual(code, 1)
      assert.match(err, /the deployment has \d+ errors, see above/)
      const all = { ...rest, findings }
      assert.deepStrictEqual(codes(all, "error"), [
        "address_no_code",
        "contract_missing",
        "endpoint_silent",
        "lane_below_minimum",
        "service_token_refused"
      ])
      assert.deepStrictEqual(
        findings.filter(({ code }) => code === "address_no_code").map(({ subject }) => subject),
        [`${dev.chain.name} quoter`, `${dev.chain.name} earlierContracts`, `${dev.chain.name} targets.relay`]
      )
      // The guard is missing, so that its list cannot be read.
      assert.include(codes(all, "warning"), "not_checked")
      assert.notInclude(JSON.stringify(all), "secret-key-of-the-path")
      for (const { advice, level } of findings) assert.strictEqual(advice === "", level === "ok")
    })
  )

  it.effect("names paused chains that are not served, and those that an operator has resumed", () =>
    Effect.gen(function* () {
      const { dev, report } = yield* operator()
      const sql = yield* PgClient.PgClient
      const own = dev.chain.id
      yield* sql`INSERT INTO orchestrator.operator_overrides (name, value, actor, reason, since)
        VALUES (${`pause:chain:${own}`}, 'running', 'ops', '', now()), ('pause:chain:8453', 'running', 'ops', '', now())`
      const { findings } = yield* report({ RELAYER_PAUSED_CHAINS: `${own},77` })
      yield* sql`DELETE FROM orchestrator.operator_overrides`
      const seen = findings.flatMap(({ code, subject }) => (code.startsWith("setting_") ? [[code, subject]] : []))
      assert.deepStrictEqual(seen, [
        ["setting_chain_unserved", "RELAYER_PAUSED_CHAINS"],
        ["setting_overridden", `RELAYER_PAUSED_CHAINS ${own}`]
      ])
    })
  )

  it.effect("tells that the first generation is on the chain until the entry names it", () =>
    Effect.gen(function* () {
      // The addresses of this owner are no other test's.
      const own = { guardOwner: address(0x57) }
      const { dev, settings } = yield* operator(own)
      const [entry] = yield* read(settings.CHAINS_FILE)
      if (entry === undefined) return yield* Effect.die("no entry")
      const { guard } = plan(deploymentOf(entry, DEFAULT_DOMAIN_NAME), 1).contracts
      yield* dev.node.ask("place the guard", (node) => node.setCode({ address: guard.address, bytecode: "0xfe" }))
      const unnamed = Effect.fnUntraced(function* (change: Readonly<Record<string, unknown>>) {
        const { findings } = yield* (yield* operator({ ...own, ...change })).report()
        return findings.find(({ code }) => code === "first_generation_unnamed")
      })
      assert.include((yield* unnamed({}))?.advice, `Set \`priorGuard\` to ${guard.address}`)
      assert.isUndefined(yield* unnamed({ priorGuard: guard.address }))
      assert.isUndefined(yield* unnamed({ earlierContracts: [firstGenerationOf(guard.address)] }))
    })
  )

  it.effect("names each key that cannot be used, and judges the others", () =>
    Effect.gen(function* () {
      const { dev, lane, report } = yield* operator()
      const keys = {
        FEE_RECIPIENT_KEY: "keystore:/nowhere/treasury.json?passphrase=/nowhere/passphrase",
        RELAYER_KEYS: `keystore:/nowhere/lane.json?passphrase=/nowhere/passphrase,${lane}`
      }
      const all = yield* report(keys)
      const account = Address.of(privateKeyToAccount(lane).address)
      const about = (check: string) =>
        all.findings.filter((each) => each.check === check).map(({ code, level, subject }) => [level, code, subject])
      assert.deepStrictEqual(about("lanes"), [
        ["error", "key_unusable", "RELAYER_KEYS key 1"],
        ["ok", "lane_ok", `${dev.chain.name} ${account}`]
      ])
      assert.deepStrictEqual(about("fee recipient"), [
        ["error", "key_unusable", "FEE_RECIPIENT_KEY"],
        ["ok", "fee_recipient_ok", dev.chain.name]
      ])
      // They are seen without the chains as well.
      const without = yield* report({ ...keys, CHAINS_FILE: "/nowhere/chains.json" })
      assert.include(codes(without, "error"), "key_unusable")
      assert.strictEqual(without.code, 1)
    })
  )

  it.effect("notices transactions of a lane that the database does not know", () =>
    Effect.gen(function* () {
      const { dev, lane, report } = yield* operator()
      const account = privateKeyToAccount(lane)
      yield* dev.node.ask("send from the lane", async (node) => {
        const hash = await node.sendTransaction({ account, chain: node.chain, to: account.address })
        await node.waitForTransactionReceipt({ hash })
      })
      const foreign = Effect.map(report(), (all) => codes(all, "warning").includes("lane_foreign_nonces"))
      assert.isTrue(yield* foreign)
      const sql = yield* PgClient.PgClient
      yield* sql`INSERT INTO orchestrator.lanes (chain_id, lane, next_nonce)
        VALUES (${dev.chain.id}, ${Address.of(account.address)}, 1)`
      assert.isFalse(yield* foreign)
    })
  )

  it.effect("names a chain with fewer sources of prices than must agree", () =>
    Effect.gen(function* () {
      const { dev, report } = yield* operator()
      const { findings } = yield* report({ PRICE_MIN_SOURCES: "2" })
      const few = findings.find(({ code }) => code === "price_sources_few")
      assert.deepStrictEqual(
        [few?.level, few?.subject, few?.seen],
        ["error", dev.chain.name, "2 must agree, and it has uniswap-v3"]
      )
    })
  )

  it.effect("counts a silent service as an error only while an orchestrator runs", () =>
    Effect.gen(function* () {
      const { report } = yield* operator()
      const sql = yield* PgClient.PgClient
      const beat = (ageSeconds: number) => sql`INSERT INTO orchestrator.role_heartbeats (post, beaten_at)
        VALUES ('outbox', clock_timestamp() - make_interval(secs => ${ageSeconds}))
        ON CONFLICT (post) DO UPDATE SET beaten_at = excluded.beaten_at`
      const silent = (more: Readonly<Record<string, string>> = {}) =>
        Effect.map(report({ BUILDER_URL: "http://127.0.0.1:1", ...more }), ({ findings }) =>
          findings.filter(({ check }) => check === "other service").map(({ code, level }) => [level, code])
        )
      const notSeen = [["warning", "service_not_seen"]]
      assert.deepStrictEqual(yield* silent(), notSeen, "before the first start")
      yield* beat(600)
      assert.deepStrictEqual(yield* silent(), notSeen, "after the last stop")
      yield* beat(1)
      assert.deepStrictEqual(yield* silent(), [["error", "service_unreachable"]])
      assert.deepStrictEqual(yield* silent({ DATABASE_URL: "postgres://sweep@127.0.0.1:1/sweep" }), notSeen)
      yield* sql`DELETE FROM orchestrator.role_heartbeats`
    })
  )

  it.effect("says first what is missing if nothing is set", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* withLiveClock(
        sweepHere(["doctor"], { ACROSS_FIXED_FEE_BPS: "10", CHAINS_FILE: "/nowhere/chains.json" })
      )
      assert.strictEqual(code, 1)
      assert.match(out, /^settings\n {2}ERROR {3}RELAYER_KEYS: RELAYER_KEYS is not set/)
      assert.include(out, "there is no such file")
      assert.match(out, /\nNot checked: endpoints, contracts, swap targets, .*\n/)
      assert.include(err, "sweep: the deployment has 2 errors")
    })
  )

  it.effect("checks the builder backend, and hides passwords", () =>
    Effect.gen(function* () {
      const { report, settings } = yield* operator()
      const { RELAYER_KEYS: _keys, ...others } = settings
      const asked = {
        ...others,
        ADMIN_TOKEN: "short",
        DATABASE_URL: "postgres://nobody:password-of-nobody@127.0.0.1:9/sweep",
        RELAYER_KEYS: "",
        WEBHOOKS_ALLOW_PRIVATE: "true"
      }
      const found = yield* report(asked, "--builder")
      assert.deepStrictEqual(codes(found, "error"), ["database_unreachable"])
      assert.deepStrictEqual(codes(found, "warning"), [
        "admin_token_short",
        "dashboard_missing",
        "guard_owner_account",
        "webhooks_private"
      ])
      assert.notInclude(JSON.stringify(found), "password-of-nobody")
      // Its own settings alone say which service is meant.
      const implied = yield* report(asked)
      assert.deepStrictEqual(
        implied.findings.map(({ code }) => code),
        found.findings.map(({ code }) => code)
      )
    })
  )
})
