/** The judgements of doctor about the database, the endpoints and the contracts. */
import { assert, describe, it } from "@effect/vitest"
import * as Address from "../../../src/domain/Address.ts"
import { catalogue } from "../../../src/domain/doctor/Catalogue.ts"
import * as Contracts from "../../../src/domain/doctor/Contracts.ts"
import * as Database from "../../../src/domain/doctor/Database.ts"
import * as Endpoints from "../../../src/domain/doctor/Endpoints.ts"
import { counts, type Finding, found, gravestFirst } from "../../../src/domain/doctor/Finding.ts"
import * as Targets from "../../../src/domain/doctor/Targets.ts"

const codes = (findings: ReadonlyArray<Finding>) => findings.map(({ code }) => code)

const KINDS = catalogue.flatMap(({ kinds }) => kinds)

const BOOK: Database.DatabaseFacts = {
  name: "sweep",
  version: 180_001,
  latencyMillis: 1,
  isReplica: false,
  writeFailure: undefined,
  mayCreate: true,
  schemas: [{ name: "orchestrator", exists: true, applied: [1, 2], known: [1, 2] }],
  settings: { fsync: "on", full_page_writes: "on", synchronous_commit: "on" },
  encoding: "UTF8",
  maxConnections: 97,
  usedConnections: 3,
  poolSize: 10,
  isPooledByTransaction: false,
  isProxied: false,
  takesParameters: true,
  clockOffsetMillis: 12
}

const NOW = 1_800_000_000_000

const ENDPOINT: Endpoints.EndpointFacts = {
  host: "a.example.com",
  role: "rpcUrls",
  isEncrypted: true,
  isLocal: false,
  answer: { _tag: "Chain", id: "0x2105" },
  latencyMillis: 20,
  head: { number: 1_000n, timestamp: 1_799_999_999n },
  stateOverrides: true,
  blockOverrides: true,
  archive: true,
  logBlocks: 5_000,
  clockOffsetMillis: 100,
  commonHash: "0x01"
}

const chain = (...endpoints: ReadonlyArray<Partial<Endpoints.EndpointFacts>>): Endpoints.ChainFacts => ({
  id: 8_453,
  name: "base",
  staleSeconds: 30,
  nowMillis: NOW,
  commonHeight: 997n,
  endpoints: endpoints.map((change) => ({ ...ENDPOINT, ...change }))
})

describe("the catalogue of findings", () => {
  it("has a stable code of each kind, and advice for all that is not well", () => {
    const all = KINDS.map(({ code }) => code)
    assert.strictEqual(new Set(all).size, all.length)
    for (const { advice, code, level, meaning } of KINDS) {
      assert.match(code, /^[a-z]+(_[a-z]+)*$/)
      assert.strictEqual(advice === "", level === "ok", code)
      assert.notStrictEqual(meaning, "")
    }
  })

  it("is sorted by gravity without a change of the order within a level", () => {
    const findings = KINDS.map((kind, index) => found(kind, String(index), ""))
    const sorted = gravestFirst(findings)
    const { error, warning } = counts(findings)
    assert.isTrue(sorted.slice(0, error).every(({ level }) => level === "error"))
    assert.isTrue(sorted.slice(error, error + warning).every(({ level }) => level === "warning"))
    const subjects = sorted.slice(0, error).map(({ subject }) => Number(subject))
    assert.deepStrictEqual(
      subjects,
      subjects.toSorted((a, b) => a - b)
    )
  })
})

describe("a database", () => {
  it("that is well has one finding", () => assert.deepStrictEqual(codes(Database.judge(BOOK)), ["database_ok"]))

  it("that refuses parameters is behind a proxy", () => {
    const failure = (detail: string) => Database.judgeFailure("DATABASE_URL", detail).code
    assert.strictEqual(failure("ConnectionError: connect ECONNREFUSED"), "database_unreachable")
    // As PgBouncer 1.18 says it.
    assert.strictEqual(
      failure("ConnectionError: unsupported startup parameter: statement_timeout"),
      "database_parameters_ignored"
    )
  })

  it.each<[string, Partial<Database.DatabaseFacts>]>([
    ["database_version_old", { version: 130_011 }],
    ["database_version_old", { version: 140_019 }],
    ["database_read_only", { isReplica: true }],
    ["database_read_only", { writeFailure: "transactions are read-only" }],
    ["database_no_right", { mayCreate: false, schemas: [{ name: "builder", exists: false, applied: [], known: [1] }] }],
    ["database_commits_not_durable", { settings: { synchronous_commit: "off" } }],
    ["database_fsync_off", { settings: { fsync: "off" } }],
    ["database_fsync_off", { settings: { full_page_writes: "off" } }],
    ["database_encoding", { encoding: "SQL_ASCII" }],
    ["database_unreconciled", { isUnreconciled: true }],
    ["database_transaction_pooling", { isPooledByTransaction: true }],
    ["database_parameters_ignored", { takesParameters: false }],
    ["database_role_unlimited", { takesParameters: false, isPooledByTransaction: true, isProxied: true }]
  ])("has the error %s", (code, change) =>
    assert.deepStrictEqual(codes(Database.judge({ ...BOOK, ...change })), [code])
  )

  it("that shows its whole identity is well", () =>
    assert.deepStrictEqual(codes(Database.judge({ ...BOOK, identity: "742/5/00000001" })), ["database_ok"]))

  it("takes PostgreSQL 15", () =>
    assert.deepStrictEqual(codes(Database.judge({ ...BOOK, version: 150_000 })), ["database_ok"]))

  it("takes a proxy that pools transactions beside a URL without it", () => {
    const proxied = { ...BOOK, isPooledByTransaction: true, isProxied: true }
    assert.deepStrictEqual(codes(Database.judge(proxied)), codes(Database.judge(BOOK)))
  })

  it.each<[string, Partial<Database.DatabaseFacts>]>([
    ["migrations_pending", { schemas: [{ name: "builder", exists: false, applied: [], known: [1] }] }],
    ["migrations_newer", { schemas: [{ name: "builder", exists: true, applied: [1, 9], known: [1] }] }],
    ["database_few_connections", { usedConnections: 85 }],
    ["database_timeouts", { settings: { idle_session_timeout: "60000" } }],
    ["database_identity_partial", { identity: "-/5/-" }],
    ["database_identity_partial", { identity: "742/5/-" }],
    ["database_clock_off", { clockOffsetMillis: -2_500 }]
  ])("has the warning %s", (code, change) =>
    assert.deepStrictEqual(codes(Database.judge({ ...BOOK, ...change })), [code, "database_ok"])
  )
})

describe("endpoints", () => {
  it("of two providers that agree are well", () =>
    assert.deepStrictEqual(codes(Endpoints.judge(chain({}, { host: "b.example.com" }))), [
      "endpoint_ok",
      "endpoint_ok"
    ]))

  it.each<[string, Partial<Endpoints.EndpointFacts>]>([
    ["endpoint_silent", { answer: { _tag: "Silent", detail: "no answer" } }],
    ["endpoint_refused", { answer: { _tag: "Refused", status: 401 } }],
    ["endpoint_other_chain", { answer: { _tag: "Chain", id: "0x1" } }],
    ["endpoint_stale", { head: { number: 1_000n, timestamp: 1_799_999_900n } }],
    ["endpoint_behind", { head: { number: 990n, timestamp: 1_799_999_999n } }],
    ["endpoint_fork", { commonHash: "0x02" }],
    ["endpoint_no_state_overrides", { stateOverrides: false }],
    ["endpoint_no_logs", { logBlocks: 0 }],
    ["endpoint_narrow_logs", { logBlocks: 10 }],
    ["endpoint_slow", { latencyMillis: 1_500 }],
    ["endpoint_unencrypted", { isEncrypted: false }],
    ["clock_behind_chain", { head: { number: 1_000n, timestamp: 1_800_000_100n } }]
  ])("have the finding %s", (code, change) => {
    const all = Endpoints.judge(chain({}, change))
    assert.deepStrictEqual(
      codes(all).filter((each) => each !== "endpoint_ok"),
      [code]
    )
  })

  it("are judged as a chain by what none of them can do", () => {
    const none = { stateOverrides: false, blockOverrides: false, archive: false }
    const said = codes(Endpoints.judge(chain(none, { ...none, host: "b.example.com" })))
    for (const code of ["chain_cannot_simulate", "chain_no_block_overrides", "chain_no_archive"]) {
      assert.include(said, code)
    }
    assert.include(codes(Endpoints.judge(chain({}))), "endpoint_single")
    assert.include(codes(Endpoints.judge(chain({ clockOffsetMillis: 60_000 }))), "clock_off")
    // One wrong clock among three is that of the endpoint.
    const three = [{}, { clockOffsetMillis: 60_000 }, {}]
    assert.notInclude(codes(Endpoints.judge(chain(...three))), "clock_off")
  })

  it("need a maximum fee per gas, except on this machine", () => {
    const two = chain({}, { host: "b.example.com" })
    assert.include(codes(Endpoints.judge({ ...two, hasFeeLimit: false })), "chain_no_fee_limit")
    assert.notInclude(codes(Endpoints.judge({ ...two, hasFeeLimit: true })), "chain_no_fee_limit")
    assert.notInclude(codes(Endpoints.judge({ ...chain({ isLocal: true }), hasFeeLimit: false })), "chain_no_fee_limit")
  })

  it("say of one endpoint that it is believed", () => {
    assert.match(Endpoints.kinds.single.meaning, /everything that it says is believed/)
  })

  it("for sending need only be reached, and say nothing of the chain", () => {
    const sender: Partial<Endpoints.EndpointFacts> = {
      role: "broadcastUrls",
      head: undefined,
      stateOverrides: undefined,
      commonHash: undefined
    }
    assert.deepStrictEqual(codes(Endpoints.judge(chain({}, {}, sender))), ["endpoint_ok", "endpoint_ok", "endpoint_ok"])
  })
})

describe("contracts and targets", () => {
  const at = Address.of("0x2222222222222222222222222222222222222222")
  const facts: Contracts.ContractFacts = {
    chain: "base",
    chainId: 8_453,
    addresses: [{ field: "quoter", address: at, hasCode: true }],
    tokens: [{ symbol: "USDC", address: at, hasCode: true, decimals: 6, contractDecimals: 6n }],
    contracts: [{ name: "guard", address: at, state: "right" }],
    isGuardOwnerContract: true
  }

  it("are judged by their code", () => {
    const judged = (change: Partial<Contracts.ContractFacts>) => codes(Contracts.judge({ ...facts, ...change }))
    const contract = (state: Contracts.ContractState) => ({ contracts: [{ name: "guard", address: at, state }] })
    assert.deepStrictEqual(judged({}), ["contracts_ok"])
    assert.deepStrictEqual(judged(contract("wrong")), ["contract_differs"])
    assert.deepStrictEqual(judged(contract("missing")), ["contract_missing"])
    assert.deepStrictEqual(judged(contract("foreign")), ["entry_of_other_delegate"])
    assert.deepStrictEqual(judged(contract("unverified")), ["contract_unverified", "contracts_ok"])
    assert.deepStrictEqual(judged({ isGuardOwnerContract: false }), ["guard_owner_account", "contracts_ok"])
    const unnamedGeneration = { delegate: at, guard: "0x33", entry: at }
    assert.deepStrictEqual(judged({ unnamedGeneration }), ["first_generation_unnamed"])
    const [unnamed] = Contracts.judge({ ...facts, unnamedGeneration })
    assert.include(unnamed?.advice, "Set `priorGuard` to 0x33 and run `./sweep deploy --chain 8453`")
    assert.include(unnamed?.advice, JSON.stringify([unnamedGeneration]))
    const lacking = { address: at, hasCode: false }
    assert.deepStrictEqual(judged({ addresses: [{ field: "quoter", ...lacking }] }), ["address_no_code"])
    assert.deepStrictEqual(judged({ tokens: [{ symbol: "USDC", ...lacking, decimals: 6 }] }), [
      "token_no_code",
      "contracts_ok"
    ])
    const listed = { symbol: "USDC", address: at, hasCode: true, decimals: 6 }
    assert.deepStrictEqual(judged({ tokens: [listed] }), ["contracts_ok"], "a contract need not state any")
    assert.deepStrictEqual(judged({ tokens: [{ ...listed, contractDecimals: 18n }] }), ["token_decimals_differ"])
  })

  it("are judged by the guard's list", () => {
    const target = { address: at, kind: "bridge" as const, name: "relay", expiresAt: "2026-12-01" }
    const judged = (
      listing: Partial<(typeof Targets.judge extends (facts: infer F) => unknown ? F : never)["listings"][number]>
    ) =>
      codes(
        Targets.judge({
          chain: "base",
          chainId: 8453,
          targets: [target],
          listings: [{ address: at, activeFrom: 1n, kind: "bridge", ...listing }],
          firstListed: [],
          nowMillis: Date.parse("2026-10-01")
        })
      )
    assert.deepStrictEqual(judged({}), ["targets_ok"])
    assert.deepStrictEqual(judged({ activeFrom: 0n }), ["target_unlisted"])
    assert.deepStrictEqual(judged({ kind: "router" }), ["target_other_kind"])
    const waiting = { address: at, activeFrom: 2n ** 255n }
    const late = {
      chain: "base",
      chainId: 8453,
      targets: [target],
      listings: [waiting],
      firstListed: [],
      nowMillis: 0
    }
    assert.deepStrictEqual(codes(Targets.judge(late)), ["target_proposed"])
    const ending = { ...late, listings: [{ address: at, activeFrom: 1n, kind: "bridge" as const }], nowMillis: NOW }
    assert.deepStrictEqual(codes(Targets.judge(ending)), ["target_ending"])
    const [first] = Targets.judge({ ...late, firstListed: [{ guard: "0x33", target: at }] })
    assert.strictEqual(first?.code, "first_generation_listed")
    assert.include(first?.advice, `./sweep targets remove --chain 8453 --guard 0x33 --target ${at}`)
  })
})
