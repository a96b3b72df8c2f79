/** `sweep operate` against the real routes of the orchestrator. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Option, Redacted } from "effect"
import * as Address from "../../src/domain/Address.ts"
import type { EndpointsView } from "../../src/domain/EndpointChoice.ts"
import type { LaneState } from "../../src/domain/LaneState.ts"
import { LaneRefused } from "../../src/orchestrator/operate/LaneDesk.ts"
import { parts } from "../ports/builder/OrchestratorOperations.suite.ts"
import * as Backend from "../server/builder/Harness.ts"
import { defaults } from "../../src/server/shared/ServerSettings.ts"
import { serve, type UseCases } from "../server/orchestrator/Harness.ts"
import { urlOf } from "../support/Endpoints.ts"
import { sweepHere } from "./inProcess.ts"

const TOKEN = "operator-token"
const LANE = Address.of(`0x${"11".repeat(20)}`)
const OTHER = Address.of(`0x${"22".repeat(20)}`)
const TX = `0x${"aa".repeat(32)}` as const

const view = (state: LaneState) => ({
  address: LANE,
  state,
  sinceMs: 7,
  hasKey: true,
  isAnswering: false,
  chains: [{ chainId: 8453, name: "base", balance: 12n, inFlight: 1 }]
})

const working: UseCases["lanes"] = {
  list: Effect.succeed([view("active")]),
  log: Effect.succeed([
    {
      id: "1",
      atMs: 1_767_225_600_000,
      actor: "admin-token",
      action: "lane.draining",
      subject: LANE,
      details: { reason: "old" }
    }
  ]),
  move: (_lane, to) => Effect.succeed(view(to)),
  empty: (lane, { chainId, recipient }) => Effect.succeed({ lane, chainId, recipient, amount: 5n, txHash: TX })
}

const shell = Effect.fnUntraced(function* (lanes = working) {
  const { base } = yield* serve({ lanes }, { adminToken: Redacted.make(TOKEN) })
  return (...args: ReadonlyArray<string>) =>
    sweepHere(["operate", ...args], { ORCHESTRATOR_URL: base, ORCHESTRATOR_ADMIN_TOKEN: TOKEN })
})

describe("sweep operate", () => {
  it.live("lists lanes, changes their states, moves their rest, and lists changes", () =>
    Effect.gen(function* () {
      const run = yield* shell()
      const listed = yield* run("lanes", "list")
      assert.match(listed.out, new RegExp(`${LANE} +active +silent +base +12 +1`), listed.err)
      for (const [command, state] of [
        ["drain", "draining"],
        ["retire", "retired"],
        ["activate", "active"]
      ] as const) {
        const { out } = yield* run("lanes", command, LANE, "--reason", "old key", "--json")
        assert.strictEqual(JSON.parse(out).state, state)
      }
      const emptied = yield* run("lanes", "empty", LANE, "--chain", "8453", "--to", OTHER)
      assert.strictEqual(emptied.out, `sent 5 wei to ${OTHER} in transaction ${TX}\n`)
      assert.match((yield* run("log")).out, new RegExp(`admin-token +lane.draining +${LANE} +reason=old`))
    }).pipe(Effect.scoped)
  )

  it.live("finds sweeps and tells their stories", () =>
    Effect.gen(function* () {
      const [story] = parts.stories
      if (story === undefined) return assert.fail("no story")
      const { order, quote } = story
      const found = {
        id: "rests",
        status: "submitted" as const,
        owner: order.owner,
        sourceChainId: quote.sourceChainId,
        destChainId: 1,
        tokenIn: order.tokenIn,
        amountIn: order.amountIn,
        tokenOut: order.tokenOut,
        createdAtMs: 1_767_225_600_000
      }
      const stories = {
        find: (text: string) =>
          Effect.succeed({
            sweeps: text === order.owner ? [found] : [],
            more: false,
            roles: [{ role: "lane" as const, chainId: 8453 }]
          }),
        story: (id: string) => Effect.succeed(id === "rests" ? Option.some(story) : Option.none())
      }
      const { base } = yield* serve({ stories }, { adminToken: Redacted.make(TOKEN) })
      const run = (...args: ReadonlyArray<string>) =>
        sweepHere(["operate", ...args], { ORCHESTRATOR_URL: base, ORCHESTRATOR_ADMIN_TOKEN: TOKEN })
      const listed = yield* run("find", order.owner)
      assert.match(
        listed.out,
        new RegExp(`lane on chain 8453[^]*rests +submitted +${order.owner} +1 +1 +– +2026-01-01`)
      )
      assert.include((yield* run("find", "nobody")).out, "no sweep has this name")
      const told = yield* run("story", "rests")
      assert.include(told.out, "waits for rest: It rests.")
      assert.include(told.out, story.transactions[0]?.attempts[0]?.hash ?? "a hash")
      assert.include(told.out, "sweep:rests:submitted")
      assert.strictEqual(JSON.parse((yield* run("story", "rests", "--json")).out).orderDigest, story.orderDigest)
      assert.include((yield* run("story", "x")).err, "does not know this intent")
    }).pipe(Effect.scoped)
  )

  it.live("sets, lists and clears rate limits of both services, and explains what cannot be set", () =>
    Effect.gen(function* () {
      const { base } = yield* serve({}, { adminToken: Redacted.make(TOKEN) })
      const alone = { ORCHESTRATOR_URL: base, ORCHESTRATOR_ADMIN_TOKEN: TOKEN }
      const both = { ...alone, BUILDER_URL: yield* Backend.url, BUILDER_ADMIN_TOKEN: Backend.ADMIN_TOKEN }
      const run = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
        sweepHere(["operate", "rate-limits", ...args], env)
      const set = yield* run(alone, "set", "--policy", "orchestrator", "--requests", "60", "--reason", "a scraper")
      assert.match(set.out, /orchestrator +60 +60 +100 +30–1000000 +\S+ +admin-token +a scraper/, set.err)
      const signup = yield* run(both, "set", "--policy", "signup", "--requests", "3", "--json")
      assert.deepInclude(JSON.parse(signup.out), { policy: "signup", windowSeconds: 3_600, requests: 3 })
      const listed = yield* run(both, "list")
      for (const row of [/orchestrator +60 +60 +100/, /attribution +\d+/, /signup +3 +3600/, /builder +\d+/]) {
        assert.match(listed.out, row, listed.err)
      }
      const half = yield* run(alone, "list")
      assert.strictEqual(half.code, 0)
      assert.include(half.err, "not listed: BUILDER_URL and BUILDER_ADMIN_TOKEN are not set")
      const cleared = yield* run(both, "clear", "--policy", "signup", "--json")
      assert.deepInclude(JSON.parse(cleared.out), { chosen: null })
      for (const policy of ["orchestrator", "builder"]) {
        const refused = yield* run(both, "set", "--policy", policy, "--requests", "1")
        assert.strictEqual(refused.code, 1)
        assert.include(refused.err, "from 30 to 1000000")
      }
    }).pipe(Effect.scoped, Effect.provide(Backend.layer({ server: { rateLimits: defaults.rateLimits } })))
  )

  it.live("sets, lists and clears limits, and explains what cannot be set", () =>
    Effect.gen(function* () {
      const { base } = yield* serve({}, { adminToken: Redacted.make(TOKEN) })
      const run = (...args: ReadonlyArray<string>) =>
        sweepHere(["operate", "limits", ...args], { ORCHESTRATOR_URL: base, ORCHESTRATOR_ADMIN_TOKEN: TOKEN })
      const of = (chain: string) => ["--chain", chain, "--limit", "dailySpendCapWei"]
      const set = yield* run("set", ...of("1"), "--wei", "5", "--reason", "gas spikes")
      assert.match(set.out, /1 +dailySpendCapWei +5 +no limit +\S+ +admin-token +gas spikes/, set.err)
      assert.match((yield* run("list")).out, /1 +dailySpendCapWei +5 +no limit/)
      const cleared = yield* run("clear", ...of("1"), "--json")
      assert.deepStrictEqual(JSON.parse(cleared.out), {
        subject: { chainId: 1, limit: "dailySpendCapWei" },
        wei: null,
        configured: null,
        chosen: null
      })
      assert.include((yield* run("set", ...of("99"), "--wei", "5")).err, "does not serve this chain")
      assert.include((yield* run("set", ...of("1"), "--wei", "-5")).err, "non-negative integer")
      assert.include((yield* run("set", "--chain", "1", "--limit", "everything", "--wei", "5")).err, "dailySpendCapWei")
    }).pipe(Effect.scoped)
  )

  it.live("adds, lists and removes RPC endpoints, and never shows a URL", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = yield* fs.makeTempFileScoped()
      const { base } = yield* serve({}, { adminToken: Redacted.make(TOKEN) })
      const said: Array<string> = []
      const run = (...args: ReadonlyArray<string>) =>
        Effect.tap(
          sweepHere(["operate", "endpoints", ...args], { ORCHESTRATOR_URL: base, ORCHESTRATOR_ADMIN_TOKEN: TOKEN }),
          ({ err, out }) => Effect.sync(() => said.push(err, out))
        )
      const withUrl = (host: string, ...args: ReadonlyArray<string>) =>
        Effect.andThen(fs.writeFileString(file, `${urlOf(host)}\n`), run(...args, "--chain", "1", "--url-file", file))
      const added = yield* withUrl("well-b", "add", "--requests-per-second", "2.5", "--reason", "provider is down")
      assert.match(added.out, /1 +[0-9a-f]{8} +well-b\.example +2\.5 +– +admin-token +\S+ +provider is down/, added.err)
      assert.include((yield* withUrl("plain-c", "add")).out, "warning: plain-c.example")
      assert.include((yield* withUrl("other-d", "add")).err, "other-d.example: it serves chain 2, not 1")
      assert.include((yield* withUrl("well-e", "replace", "00000000")).err, "List the endpoints again")
      const listed = JSON.parse((yield* run("list", "--json")).out) as ReadonlyArray<EndpointsView>
      const ids = listed.find(({ chainId }) => chainId === 1)?.endpoints.map(({ id }) => id) ?? []
      assert.lengthOf(ids, 3)
      assert.strictEqual((yield* withUrl("well-e", "replace", ids[0] ?? "")).code, 0)
      assert.strictEqual((yield* run("remove", ids[1] ?? "", "--chain", "1")).code, 0)
      assert.match((yield* run("list")).out, /well-e\.example[^]*plain-c\.example/)
      assert.include((yield* run("clear", "--chain", "1")).out, "chains file")
      assert.include((yield* run("clear", "--chain", "99")).err, "does not serve this chain")
      assert.notInclude(said.join(), "key-of")
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )

  it.live("says that RPC endpoints need a key of secrets", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = yield* fs.makeTempFileScoped()
      yield* fs.writeFileString(file, urlOf("well-b"))
      const { base } = yield* serve({ secretsKey: undefined }, { adminToken: Redacted.make(TOKEN) })
      const { code, err } = yield* sweepHere(["operate", "endpoints", "add", "--chain", "1", "--url-file", file], {
        ORCHESTRATOR_URL: base,
        ORCHESTRATOR_ADMIN_TOKEN: TOKEN
      })
      assert.strictEqual(code, 1)
      assert.include(err, "Set SECRETS_KEY to the same 32 random bytes on every replica")
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )

  it.live("pauses, resumes and resets, which GET /chains shows at once", () =>
    Effect.gen(function* () {
      const { base } = yield* serve({ pausedChains: [2] }, { adminToken: Redacted.make(TOKEN) })
      const run = (...args: ReadonlyArray<string>) =>
        sweepHere(["operate", ...args], { ORCHESTRATOR_URL: base, ORCHESTRATOR_ADMIN_TOKEN: TOKEN })
      const paused = Effect.promise(async () => {
        const { chains }: { readonly chains: ReadonlyArray<{ readonly id: number; readonly paused: boolean }> } =
          await fetch(`${base}/chains`).then((answer) => answer.json())
        return chains.filter((chain) => chain.paused).map(({ id }) => id)
      })
      assert.deepStrictEqual(yield* paused, [2])
      const changed = yield* run("pause", "chain:1", "--reason", "sequencer is down")
      assert.match(changed.out, /chain:1 +paused +running +\S+ +admin-token +sequencer is down/, changed.err)
      assert.deepStrictEqual(yield* paused, [1, 2])
      yield* run("resume", "chain:2")
      assert.deepStrictEqual(yield* paused, [1])
      yield* run("reset", "chain:2")
      yield* run("pause", "all")
      assert.deepStrictEqual(yield* paused, [1, 2, 3])
      assert.match((yield* run("pauses")).out, /chain:2 +paused +paused +– +–/)
      yield* run("pause", "builder:team@acme.example:eu")
      assert.match((yield* run("pauses")).out, /builder:team@acme\.example:eu +paused +running/)
      for (const [subject, problem] of [
        ["chain:99", "does not serve this chain"],
        ["chain:0", "names nothing that can be paused"],
        ["everything", "names nothing that can be paused"]
      ] as const) {
        assert.include((yield* run("pause", subject)).err, problem)
      }
    }).pipe(Effect.scoped)
  )

  it.live("prints the recipient that the transfer of a lane's rest goes to", () =>
    Effect.gen(function* () {
      const signed = { lane: LANE, chainId: 8453, recipient: LANE, amount: 5n, txHash: TX }
      const run = yield* shell({ ...working, empty: () => Effect.succeed(signed) })
      const { out } = yield* run("lanes", "empty", LANE, "--chain", "8453", "--to", OTHER)
      assert.strictEqual(out, `sent 5 wei to ${LANE} in transaction ${TX}\n`)
    }).pipe(Effect.scoped)
  )

  it.live("prints what is in the way of a lane, and what to do about it", () =>
    Effect.gen(function* () {
      const refused = new LaneRefused({ reason: "in_flight", detail: "send 5 wei to the lane" })
      const shown = view("retired")
      const run = yield* shell({
        ...working,
        list: Effect.succeed([{ ...shown, chains: shown.chains.map((each) => ({ ...each, waiting: "not mined" })) }]),
        move: () => Effect.fail(refused),
        empty: () => Effect.fail(refused)
      })
      assert.include((yield* run("lanes", "list")).out, `${LANE}: not mined`)
      assert.include((yield* run("lanes", "activate", LANE)).err, "send 5 wei to the lane")
      assert.include((yield* run("lanes", "empty", LANE, "--chain", "8453", "--to", OTHER)).err, "send 5 wei")
    }).pipe(Effect.scoped)
  )

  it.live("says what to do about a refusal", () =>
    Effect.gen(function* () {
      const run = yield* shell({ ...working, move: () => Effect.fail(new LaneRefused({ reason: "in_flight" })) })
      const { code, err } = yield* run("lanes", "retire", LANE)
      assert.strictEqual(code, 1)
      assert.include(err, "Drain it first and wait a minute")
    }).pipe(Effect.scoped)
  )
})
