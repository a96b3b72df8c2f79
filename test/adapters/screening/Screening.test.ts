import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Layer, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { encodeFunctionResult, multicall3Abi } from "viem"
import * as MemoryScreening from "../../../src/adapters/memory/shared/Screening.ts"
import * as All from "../../../src/adapters/screening/All.ts"
import * as OfacSnapshot from "../../../src/adapters/screening/OfacSnapshot.ts"
import * as SanctionsOracle from "../../../src/adapters/screening/SanctionsOracle.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { Screening, ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"
import * as ScreeningSuite from "../../ports/shared/Screening.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { chains, chainsWith, OneChain } from "../../support/OneChain.ts"

const CLEAR = Accounts.users().map((account) => account.address)
const fixture = Effect.succeed({ chainId: 31337, clear: CLEAR, listed: Accounts.sanctioned() })

const snapshotFile = (text: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* files.makeTempFileScoped()
    yield* files.writeFileString(path, text)
    return path
  })

/** The file is written on the real clock, so that is the clock that its age is told by. */
const snapshotLayer = (text: string, options?: Omit<OfacSnapshot.Options, "path">) =>
  Layer.unwrap(Effect.map(snapshotFile(text), (path) => OfacSnapshot.layer({ ...options, path }))).pipe(
    Layer.provideMerge(BunServices.layer),
    Layer.orDie
  )

ScreeningSuite.suite("memory", MemoryScreening.layer({ listed: new Set([Accounts.sanctioned()]) }), fixture)

ScreeningSuite.suite("the oracle of a real chain", SanctionsOracle.layer().pipe(Layer.provideMerge(chains)), fixture)

ScreeningSuite.suite(
  "a snapshot",
  snapshotLayer(`# listed\n${Accounts.sanctioned()} # here\n`, { maxAge: "100000 days" }),
  fixture
)

ScreeningSuite.suite(
  "oracle and snapshot together",
  Layer.unwrap(
    Effect.map(snapshotFile(FakeChain.address(0x99)), (path) =>
      All.layerOracleAndSnapshot({ snapshot: { path, maxAge: "100000 days" } })
    )
  ).pipe(Layer.provideMerge(BunServices.layer), Layer.provideMerge(chains), Layer.orDie),
  fixture
)

const outcome = <R>(screened: Effect.Effect<void, ScreeningBlocked, R>): Effect.Effect<string, never, R> =>
  Effect.match(screened, { onFailure: (blocked) => blocked.cause, onSuccess: () => "clear" })

const clear = (...addresses: ReadonlyArray<Address.Address>) =>
  Screening.use((screening) => screening.clear(31337, addresses))

layer(OneChain.layer)("SanctionsOracle on a real chain", (it) => {
  it.effect("blocks everything where no oracle is deployed", () =>
    clear(FakeChain.address(1)).pipe(
      outcome,
      Effect.map((reason) => assert.strictEqual(reason, "unavailable")),
      Effect.provide(
        SanctionsOracle.layer().pipe(
          Layer.provide(chainsWith((chain) => ({ ...chain, sanctionsOracle: FakeChain.address(0x77) })))
        )
      )
    )
  )

  it.effect("blocks everything where no Multicall3 is deployed", () =>
    clear(FakeChain.address(1)).pipe(
      outcome,
      Effect.map((reason) => assert.strictEqual(reason, "unavailable")),
      Effect.provide(
        SanctionsOracle.layer().pipe(
          Layer.provide(chainsWith((chain) => ({ ...chain, multicall3: FakeChain.address(0x77) })))
        )
      )
    )
  )
})

const TRUE: Hex = `0x${"1".padStart(64, "0")}`
const FALSE: Hex = `0x${"0".repeat(64)}`

const answering = (...results: ReadonlyArray<{ readonly success: boolean; readonly returnData: Hex }>) =>
  FakeChain.layer({
    call: () =>
      Effect.succeed(encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: results }))
  })

describe("SanctionsOracle", () => {
  const [a, b] = [FakeChain.address(1), FakeChain.address(2)]
  const oracle = SanctionsOracle.layer({ timeout: "3 seconds" })

  it.effect.each<readonly [string, ReadonlyArray<{ readonly success: boolean; readonly returnData: Hex }>]>([
    [
      "a revert",
      [
        { success: false, returnData: FALSE },
        { success: true, returnData: FALSE }
      ]
    ],
    [
      "nothing, as an account without code",
      [
        { success: true, returnData: "0x" },
        { success: true, returnData: FALSE }
      ]
    ],
    [
      "half a word",
      [
        { success: true, returnData: `0x${"00".repeat(16)}` },
        { success: true, returnData: FALSE }
      ]
    ],
    [
      "two words",
      [
        { success: true, returnData: `0x${"00".repeat(64)}` },
        { success: true, returnData: FALSE }
      ]
    ],
    [
      "neither true nor false",
      [
        { success: true, returnData: `0x${"2".padStart(64, "0")}` },
        { success: true, returnData: FALSE }
      ]
    ],
    ["an answer too few", [{ success: true, returnData: FALSE }]],
    ["an answer too many", Array.from({ length: 3 }, () => ({ success: true, returnData: FALSE }))]
  ])("blocks as unavailable on %s", ([, results]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(clear(a, b)), "unavailable")
    }).pipe(Effect.provide(oracle.pipe(Layer.provide(answering(...results)))))
  )

  it.effect("blocks as listed even when the other answer is missing", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(clear(a, b)), "listed")
    }).pipe(
      Effect.provide(
        oracle.pipe(Layer.provide(answering({ success: false, returnData: "0x" }, { success: true, returnData: TRUE })))
      )
    )
  )

  it.effect("blocks when the node fails, and on a chain that it does not know", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(clear(a)), "unavailable")
      assert.strictEqual(yield* outcome(Screening.use((screening) => screening.clear(1, [a]))), "unavailable")
    }).pipe(
      Effect.provide(
        oracle.pipe(
          Layer.provide(
            FakeChain.layer({
              call: () => Effect.fail(new ChainUnavailable({ chainId: 31337, method: "eth_call", detail: "down" }))
            })
          )
        )
      )
    )
  )

  it.effect("blocks when the node takes longer than the limit, and not before", () =>
    Effect.gen(function* () {
      const asked = yield* Effect.forkChild(outcome(clear(a)))
      yield* TestClock.adjust("2999 millis")
      assert.isUndefined(asked.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(asked), "unavailable")
    }).pipe(Effect.provide(oracle.pipe(Layer.provide(FakeChain.layer({ call: () => Effect.never })))))
  )

  it.effect("asks about all addresses in one call", () =>
    Effect.gen(function* () {
      const calls = yield* Ref.make(0)
      const counting = FakeChain.layer({
        call: () =>
          Effect.as(
            Ref.update(calls, (count) => count + 1),
            encodeFunctionResult({
              abi: multicall3Abi,
              functionName: "aggregate3",
              result: Array.from({ length: 3 }, () => ({ success: true, returnData: FALSE }))
            })
          )
      })
      yield* clear(a, b, FakeChain.address(3)).pipe(Effect.provide(oracle.pipe(Layer.provide(counting))))
      assert.strictEqual(yield* Ref.get(calls), 1)
    })
  )
})

describe("OfacSnapshot", () => {
  const listed = Address.of("0x8589427373D6D84E98730D7795D8f6f8731FDA16")
  const sdn = `<?xml version="1.0"?><sdnList><sdnEntry><idList>
    <id><uid>1</uid><idType>Digital Currency Address - XBT</idType><idNumber>12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h</idNumber></id>
    <id><uid>2</uid><idType>Digital Currency Address - ETH</idType><idNumber>${listed.toLowerCase()}</idNumber></id>
    <id><uid>3</uid><idType>Passport</idType><idNumber>0x1111111111111111111111111111111111111111</idNumber></id>
  </idList></sdnEntry></sdnList>`

  it.effect("reads the three formats alike", () =>
    Effect.gen(function* () {
      for (const text of [
        sdn,
        JSON.stringify([listed.toLowerCase()]),
        `\n# OFAC\n  ${listed.toLowerCase()} # eth\r\n`
      ]) {
        assert.deepStrictEqual(yield* OfacSnapshot.parse("file", text), new Set([listed]))
      }
    })
  )

  it.effect.each<readonly [string, string]>([
    ["an empty file", ""],
    ["comments alone", "# nothing\n"],
    ["an empty array", "[]"],
    ["a truncated address", `${listed}\n0x1234`],
    ["an error page", "<html><body>502 Bad Gateway</body></html>"],
    ["broken JSON", `["${listed}"`],
    ["JSON of another shape", `[{"address":"${listed}"}]`]
  ])("takes %s for no list", ([, text]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(OfacSnapshot.parse("file", text))
      assert.include(error.message, "sanctions snapshot file")
    })
  )

  it.live("blocks while the file is missing, malformed or stale, and clears as soon as it is right", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = yield* snapshotFile("no list")
      const screening = yield* OfacSnapshot.make({ path, maxAge: "1 hour", reloadEvery: "0 millis" })
      const ask = outcome(screening.clear(1, [FakeChain.address(1)]))
      assert.strictEqual(yield* ask, "unavailable")
      yield* files.writeFileString(path, listed)
      assert.strictEqual(yield* ask, "clear")
      yield* files.utimes(path, new Date(0), new Date(0))
      assert.strictEqual(yield* ask, "unavailable")
      assert.strictEqual(yield* outcome(screening.clear(1, [listed])), "listed")
      yield* files.remove(path)
      assert.strictEqual(yield* ask, "unavailable")
      yield* files.writeFileString(path, listed)
      assert.strictEqual(yield* ask, "clear")
    }).pipe(Effect.scoped, Effect.provide([BunServices.layer, Logger.layer([])]))
  )

  it.effect("uses what it read until it is time to read again", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = yield* snapshotFile(FakeChain.address(1))
      const screening = yield* OfacSnapshot.make({ path, maxAge: "100000 days", reloadEvery: "1 minute" })
      yield* screening.clear(1, [FakeChain.address(2)])
      yield* files.writeFileString(path, FakeChain.address(2))
      yield* screening.clear(1, [FakeChain.address(2)])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* outcome(screening.clear(1, [FakeChain.address(2)])), "listed")
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )
})

describe("All", () => {
  const passing = { clear: () => Effect.void }
  const blocking = (reason: ScreeningBlocked["cause"]) => ({
    clear: () => Effect.fail(new ScreeningBlocked({ cause: reason }))
  })
  const verdict = (...sources: ReadonlyArray<Screening["Service"]>) =>
    outcome(All.all(sources).clear(1, [FakeChain.address(1)]))

  it.effect("clears when all do", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict(passing, passing), "clear")
    })
  )

  it.effect("blocks when one does, and says listed rather than unavailable in any order", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict(passing, blocking("listed")), "listed")
      assert.strictEqual(yield* verdict(blocking("unavailable"), passing), "unavailable")
      assert.strictEqual(yield* verdict(blocking("unavailable"), blocking("listed")), "listed")
      assert.strictEqual(yield* verdict(blocking("listed"), blocking("unavailable")), "listed")
    })
  )

  it.effect("blocks without any source", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict(), "unavailable")
    })
  )
})
