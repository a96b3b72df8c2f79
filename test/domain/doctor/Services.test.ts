/** The judgements of doctor about services and screening, and the last line of defence of secrets. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Finding, Level } from "../../../src/domain/doctor/Finding.ts"
import * as FeeRecipient from "../../../src/domain/doctor/FeeRecipient.ts"
import * as Sanctions from "../../../src/domain/doctor/Sanctions.ts"
import { scrubber, secretsOfUrl } from "../../../src/domain/doctor/Scrub.ts"
import * as Services from "../../../src/domain/doctor/Services.ts"

const codes = (findings: ReadonlyArray<Finding>) => findings.map(({ code }) => code)

describe("services and screening", () => {
  const status = (code: number): Services.Outcome => ({ _tag: "Status", status: code })

  it.each([
    [200, "provider_ok", "provider_ok"],
    [400, "provider_ok", "provider_ok"],
    [404, "provider_ok", "provider_ok"],
    [401, "provider_key_refused", "provider_refused"],
    [403, "provider_key_refused", "provider_refused"],
    [429, "provider_limited", "provider_limited"],
    [500, "provider_unreachable", "provider_unreachable"]
  ])("a provider that returns %i", (code, withKey, without) => {
    const judged = (keySetting: string | undefined) =>
      Services.judgeProvider({ name: "0x", keySetting, outcome: status(code) }).code
    assert.deepStrictEqual([judged("ZEROX_API_KEY"), judged(undefined)], [withKey, without])
  })

  it("the other service is judged by its readiness and its answer to the token", () => {
    const facts = { name: "backend", urlSetting: "BUILDER_URL", tokenSetting: "T" }
    const judged = (ready: Services.Outcome, authorized?: Services.Outcome, isRunning = true) =>
      codes(Services.judgePeer({ ...facts, ready, authorized, isRunning }))
    assert.deepStrictEqual(judged(status(200), status(200)), ["service_ok"])
    assert.deepStrictEqual(judged(status(200), status(401)), ["service_token_refused"])
    assert.deepStrictEqual(judged(status(503), status(503)), ["service_not_ready"])
    assert.deepStrictEqual(judged(status(404)), ["service_unreachable"])
    assert.deepStrictEqual(judged({ _tag: "Silent", detail: "x" }), ["service_unreachable"])
    // Before the first start, and where the database is out of reach.
    assert.deepStrictEqual(judged({ _tag: "Silent", detail: "x" }, undefined, false), ["service_not_seen"])
    assert.strictEqual(Services.kinds.peerNotSeen.level, "warning")
    assert.deepStrictEqual(judged(status(200), status(401), false), ["service_token_refused"])
  })

  it.each<readonly [Services.Outcome, Level, string, string]>([
    [status(200), "ok", "service_ok", "URL"],
    [status(204), "error", "service_answer_wrong", "URL"],
    [status(404), "error", "service_answer_wrong", "URL"],
    [status(500), "error", "service_answer_wrong", "URL"],
    [{ _tag: "Silent", detail: "no answer in 5 seconds" }, "error", "service_answer_wrong", "URL"],
    [status(429), "warning", "service_busy", "URL"],
    [status(503), "warning", "service_busy", "URL"],
    [status(401), "error", "service_token_refused", "TOKEN"],
    [status(403), "error", "service_token_refused", "TOKEN"]
  ])("the other service that answers the token with %j", (authorized, level, code, subject) => {
    const facts = { name: "backend", urlSetting: "URL", tokenSetting: "TOKEN", ready: status(200), isRunning: true }
    const [finding, ...more] = Services.judgePeer({ ...facts, authorized })
    assert.lengthOf(more, 0)
    assert.deepInclude(finding, { level, code, subject })
    const seen = authorized._tag === "Silent" ? authorized.detail : `HTTP ${authorized.status}`
    if (level !== "ok") assert.include(finding?.seen, seen)
  })

  it("the other service without a token is well, and says that the token was not tried", () => {
    const facts = { name: "backend", urlSetting: "URL", tokenSetting: "TOKEN", isRunning: true, authorized: undefined }
    const [finding] = Services.judgePeer({ ...facts, ready: status(200) })
    assert.deepInclude(finding, { code: "service_ok", level: "ok" })
    assert.include(finding?.seen, "TOKEN is not set, so the token was not tried")
    const unready = { ...facts, ready: status(503), authorized: status(500) }
    assert.deepStrictEqual(codes(Services.judgePeer(unready)), ["service_not_ready", "service_answer_wrong"])
  })

  it("an oracle and a list are judged by their answers and age", () => {
    const oracle = (clean: boolean | undefined, listed: boolean | undefined) =>
      Sanctions.judgeOracle({ chain: "base", clean, listed }).code
    assert.strictEqual(oracle(false, undefined), "oracle_ok")
    assert.strictEqual(oracle(undefined, true), "oracle_unreadable")
    assert.strictEqual(oracle(false, false), "oracle_misses_listed")
    const list = (ageMillis: number | undefined, failure?: string, countsAge = true) =>
      Sanctions.judgeList({ setting: "OFAC_SNAPSHOT", addresses: 1, ageMillis, failure, countsAge }).code
    const hour = 3_600_000
    assert.deepStrictEqual(
      [list(hour), list(25 * hour), list(169 * hour), list(undefined), list(hour, "it is empty")],
      [
        "sanctions_list_ok",
        "sanctions_list_old",
        "sanctions_list_too_old",
        "sanctions_list_undated",
        "sanctions_list_unreadable"
      ]
    )
    // Beside another list, whose age counts, any age does, and an unreadable file still blocks.
    assert.deepStrictEqual(
      [list(169 * hour, undefined, false), list(undefined, undefined, false), list(hour, "it is empty", false)],
      ["sanctions_list_adds", "sanctions_list_adds", "sanctions_list_unreadable"]
    )
  })

  it("a fee recipient is judged by its key and its neighbours", () => {
    const facts: FeeRecipient.FeeRecipientFacts = {
      chain: "base",
      address: "0xAA",
      vault: "0xCC",
      hasAsset: true,
      code: "0x",
      lanes: [],
      contracts: [
        { field: "permit2", address: "0xD1" },
        { field: "the token USDC", address: "0xD2" }
      ],
      keyAccount: undefined,
      isSanctioned: false,
      isVaultSanctioned: false
    }
    const judged = (change: Partial<FeeRecipient.FeeRecipientFacts>) =>
      codes(FeeRecipient.judge({ ...facts, ...change }))
    assert.deepStrictEqual(judged({}), ["fee_recipient_ok"])
    assert.deepStrictEqual(judged({ lanes: ["0xaa"] }), ["fee_recipient_is_lane"])
    assert.deepStrictEqual(judged({ isSanctioned: true }), ["fee_recipient_sanctioned"])
    assert.deepStrictEqual(judged({ keyAccount: "0xBB" }), ["fee_recipient_other_key"])
    assert.deepStrictEqual(judged({ keyAccount: "0xaa", code: "0x60" }), ["fee_recipient_contract"])
    assert.deepStrictEqual(judged({ keyAccount: "0xaa", code: "0xef0100ab" }), ["fee_recipient_ok"])
    // Nothing is sold there without an asset.
    assert.deepStrictEqual(judged({ vault: "0xaa" }), ["fee_recipient_is_vault"])
    assert.include(FeeRecipient.kinds.vault.advice, "Remove the chain from TREASURY_ASSETS first")
    assert.deepStrictEqual(judged({ vault: "0xaa", hasAsset: false }), ["fee_recipient_ok"])
    // The vault is judged as well, once if it is the recipient.
    assert.deepStrictEqual(judged({ lanes: ["0xcc"] }), ["builder_vault_is_lane"])
    assert.deepStrictEqual(judged({ isVaultSanctioned: true }), ["builder_vault_sanctioned"])
    assert.deepStrictEqual(judged({ vault: "0xd2" }), ["fee_account_is_contract"])
    const [own] = FeeRecipient.judge({ ...facts, address: "0xd1", vault: "0xd1", hasAsset: false })
    assert.strictEqual(own?.seen, "feeRecipient 0xd1 is permit2")
    assert.deepStrictEqual(judged({ address: "0xd1", vault: "0xd1", hasAsset: false }), ["fee_account_is_contract"])
  })

  it("an account of fees is judged by its code on all chains", () => {
    const on = (chain: string, code: string, address = "0xAA") => ({ chain, address, code })
    const safe = "0x6080"
    const judged = (...accounts: ReadonlyArray<FeeRecipient.FeeAccount>) => FeeRecipient.judgeAcross(accounts)
    assert.deepStrictEqual(judged(on("base", safe), on("optimism", safe)), [])
    assert.deepStrictEqual(judged(on("base", "0x"), on("optimism", "0xef0100ab")), [])
    assert.deepStrictEqual(judged(on("base", safe), on("optimism", "0x", "0xBB")), [])
    const [finding] = judged(on("base", safe), on("optimism", "0x", "0xaa"), on("optimism", "0x", "0xaa"))
    assert.deepInclude(finding, {
      level: "warning",
      code: "fee_account_code_differs",
      subject: "optimism",
      seen: "0xAA is a contract on base, and has no code of its own here"
    })
  })
})

describe("secrets", () => {
  const hex = Schema.String.check(Schema.isPattern(/^[0-9a-f]{6,40}$/))

  it.prop("are in no text", [Schema.Array(hex), Schema.String, Schema.String], ([secrets, before, after]) => {
    const text = scrubber(secrets)(secrets.reduce((said, secret) => `${said}${secret}, `, before) + after)
    for (const secret of secrets) assert.notInclude(text, secret)
  })

  it("of a URL are its user, its key and its query, and not its host", () => {
    const parts = secretsOfUrl("https://user:p%40ss@rpc.example.com/v2/abcdefghijklmnop?token=query-token")
    assert.deepStrictEqual(parts.toSorted(), ["abcdefghijklmnop", "p@ss", "query-token", "user"])
  })
})
