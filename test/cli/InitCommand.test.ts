/** `sweep init`: the files that it writes are those that the services read. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { type Cause, Effect, FileSystem, Option, Path, Queue, Terminal } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as Questions from "../../src/cli/init/Questions.ts"
import { address } from "../support/FakeChain.ts"
import { withLiveClock } from "../support/LiveClock.ts"
import { sweepHere } from "./inProcess.ts"

const OWNERS = ["--fee-recipient", address(0xf1), "--guard-owner", address(0x99)]
const BASE = ["--yes", "--chain", "8453", "--rpc", "8453=https://rpc.example.com/key", ...OWNERS]

const folder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* fs.makeTempDirectoryScoped()
  const read = (name: string) => fs.readFileString(path.join(directory, name))
  const init = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
    withLiveClock(sweepHere(["init", "--directory", directory, ...args], env))
  /** Settings of the written file. */
  const settings = Effect.map(read(".env"), (text) =>
    Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]))
  )
  const mode = (name: string) => Effect.map(fs.stat(path.join(directory, name)), (info) => info.mode & 0o777)
  return { directory, fs, init, mode, read, settings }
})

layer(BunServices.layer, { excludeTestServices: true })("sweep init", (it) => {
  it.effect("writes files that the services take, with keys that only the owner can read", () =>
    Effect.gen(function* () {
      const { directory, init, mode, read, settings } = yield* folder
      const { code, err, out } = yield* init([...BASE, "--lanes", "3"])
      assert.strictEqual(code, 0, err)
      const env = yield* settings
      const keys = (env["RELAYER_KEYS"] ?? "").split(",") as ReadonlyArray<`0x${string}`>
      assert.strictEqual(new Set(keys).size, 3)
      for (const key of keys) {
        assert.include(out, privateKeyToAccount(key).address)
        assert.notInclude(out + err, key)
      }
      assert.deepStrictEqual([yield* mode(".env"), yield* mode("chains.json")], [0o600, 0o600])
      assert.deepStrictEqual(JSON.parse(yield* read("chains.json")), [
        {
          id: 8_453,
          rpcUrls: ["https://rpc.example.com/key"],
          feeRecipient: address(0xf1),
          guardOwner: address(0x99)
        }
      ])
      for (const step of ["./sweep deploy --chain 8453", "./sweep doctor", "docker compose"]) assert.include(out, step)
      assert.strictEqual(env["CHAINS_FILE"], `${directory}/chains.json`)
      assert.isAtLeast(env["ORCH_ADMIN_TOKEN"]?.length ?? 0, 64)
      assert.strictEqual(env["ADMIN_TOKEN"], env["BUILDER_ADMIN_TOKEN"])

      const checked = yield* withLiveClock(
        sweepHere(["doctor", "--json"], { ...env, ACROSS_FIXED_FEE_BPS: "10", CHAINS_FILE: env["CHAINS_FILE"] ?? "" })
      )
      const { findings } = JSON.parse(checked.out) as { findings: ReadonlyArray<{ check: string; level: string }> }
      assert.deepStrictEqual(
        findings.filter(({ check, level }) => check === "settings" && level === "error"),
        []
      )
    })
  )

  it.effect("writes settings in which doctor finds no fault of a service that was never started", () =>
    Effect.gen(function* () {
      const { init, settings } = yield* folder
      assert.strictEqual((yield* init(BASE)).code, 0)
      const env = yield* settings
      assert.includeMembers(Object.keys(env), ["BUILDER_URL", "ORCHESTRATOR_URL"])
      // Nothing listens there, whatever else runs on this machine.
      const nobody = { BUILDER_URL: "http://127.0.0.1:1", ORCHESTRATOR_URL: "http://127.0.0.1:1" }
      const checked = yield* withLiveClock(
        sweepHere(["doctor", "--json"], { ...env, ...nobody, ACROSS_FIXED_FEE_BPS: "10" })
      )
      const { findings } = JSON.parse(checked.out) as {
        findings: ReadonlyArray<Record<"check" | "code" | "level" | "subject", string>>
      }
      assert.deepStrictEqual(
        findings
          .filter(({ check }) => check === "other service")
          .map(({ code, level, subject }) => [level, code, subject])
          .toSorted(),
        [
          ["warning", "service_not_seen", "BUILDER_URL"],
          ["warning", "service_not_seen", "ORCHESTRATOR_URL"]
        ]
      )
    })
  )

  it.effect("leaves files that the services of Docker Compose can read, without root", () =>
    Effect.gen(function* () {
      const { directory, fs, init, settings } = yield* folder
      assert.strictEqual((yield* init(BASE)).code, 0)
      const { uid } = yield* fs.stat(`${directory}/chains.json`)
      const owner = Option.getOrThrow(uid)
      assert.notStrictEqual(owner, 0)
      // docker-compose.yml runs them by this account.
      const account = (yield* settings)["SWEEP_USER"] ?? "1000:1000"
      assert.strictEqual(account.split(":")[0], String(owner))
    })
  )

  it.effect("replaces files only by force, and keeps copies of them", () =>
    Effect.gen(function* () {
      const { directory, fs, init, mode, settings } = yield* folder
      assert.strictEqual((yield* init(BASE)).code, 0)
      const before = yield* settings
      const refused = yield* init(BASE)
      assert.strictEqual(refused.code, 1)
      assert.include(refused.err, "chains.json exists. Use --force to replace it, which keeps a copy of it")
      assert.deepStrictEqual(yield* settings, before)

      assert.strictEqual((yield* init([...BASE, "--force"])).code, 0)
      assert.notStrictEqual((yield* settings)["RELAYER_KEYS"], before["RELAYER_KEYS"])
      const copies = (yield* fs.readDirectory(directory)).filter((name) => name.endsWith(".bak")).toSorted()
      assert.strictEqual(copies.length, 2)
      assert.include(yield* fs.readFileString(`${directory}/${copies[0]}`), before["RELAYER_KEYS"] ?? "none")
      assert.strictEqual(yield* mode(copies[0] ?? ""), 0o600)
    })
  )

  it.effect("takes keys and the database of the environment, and a chain of one's own", () =>
    Effect.gen(function* () {
      const { init, read, settings } = yield* folder
      const facts = {
        name: "rehearsal",
        nativeSymbol: "ETH",
        wrappedNative: address(0xe1),
        sanctionsOracle: address(0xc4),
        confirmations: "1",
        blockTimeMillis: "1000"
      }
      const asked = ["--yes", "--rpc", "4242=http://127.0.0.1:8555", ...OWNERS]
      const lacking = yield* init(asked)
      assert.strictEqual(lacking.code, 1)
      for (const field of Object.keys(facts)) assert.include(lacking.err, `--fact 4242.${field}=<value>`)
      const key = `0x${"11".repeat(32)}`
      const env = { RELAYER_KEYS: key, DATABASE_URL: "postgres://sweep:secret@db.example.com/sweep" }
      const given = Object.entries(facts).flatMap(([field, value]) => ["--fact", `4242.${field}=${value}`])
      const { code, err, out } = yield* init([...asked, ...given, "--from-environment"], env)
      assert.strictEqual(code, 0, err)
      const written = yield* settings
      assert.deepStrictEqual([written["RELAYER_KEYS"], written["DATABASE_URL"]], [key, env.DATABASE_URL])
      assert.include(out, "./sweep orchestrator")
      assert.notInclude(out, key)
      assert.deepInclude(JSON.parse(yield* read("chains.json"))[0], { id: 4_242, confirmations: 1, stables: [] })
    })
  )

  it.effect("writes the vault that pays builders, which is another account than the fee recipient", () =>
    Effect.gen(function* () {
      const { init, read } = yield* folder
      const same = yield* init([...BASE, "--builder-vault", address(0xf1)])
      assert.strictEqual(same.code, 1)
      assert.include(same.err, "--builder-vault is the fee recipient. Set it to another account, or leave it out")
      const { code, err } = yield* init([...BASE, "--builder-vault", address(0xf2)])
      assert.strictEqual(code, 0, err)
      const [entry] = JSON.parse(yield* read("chains.json"))
      assert.deepInclude(entry, { feeRecipient: address(0xf1), builderVault: address(0xf2) })
    })
  )

  it.effect("writes nothing that the services refuse", () =>
    Effect.gen(function* () {
      const { directory, fs, init } = yield* folder
      const wrong = yield* init([...BASE, "--fact", "8453.swaprouter=0x1"])
      assert.strictEqual(wrong.code, 1)
      assert.include(wrong.err, "unknown key swaprouter, did you mean swapRouter?")
      const unformed = yield* init([...BASE, "--rpc", "https://rpc.example.com/secret-key"])
      assert.include(unformed.err, "--rpc: expected <chain id>=<URL>")
      assert.notInclude(unformed.err, "secret-key")
      assert.deepStrictEqual(yield* fs.readDirectory(directory), [])
    })
  )

  it.effect("asks on a terminal for what no flag says, and again after a wrong answer", () =>
    Effect.gen(function* () {
      const typed = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
      const sizes = yield* Queue.unbounded<Terminal.Size, Cause.Done>()
      const press = (name: string, text?: string) =>
        Queue.offer(typed, {
          input: Option.fromUndefinedOr(text),
          key: { name, ctrl: false, meta: false, shift: false }
        })
      const line = Effect.fnUntraced(function* (text: string) {
        for (const letter of text) yield* press(letter, letter)
        yield* press("return")
      })
      const terminal = Terminal.make({
        columns: Effect.succeed(120),
        rows: Effect.succeed(40),
        size: Effect.succeed(sizes),
        readInput: Effect.succeed(typed),
        readLine: Effect.succeed(""),
        display: () => Effect.void
      })
      yield* line("ftp://rpc.example.com")
      for (let count = 0; count < "ftp://rpc.example.com".length; count++) yield* press("backspace")
      yield* line("https://rpc.example.com https://other.example.com")
      yield* line(address(0x99))
      yield* line(address(0xf1))
      for (let count = 0; count < address(0xf1).length; count++) yield* press("backspace")
      yield* line(address(0xf2))
      const answers = yield* Questions.chains({
        chains: [8_453],
        rpcUrls: new Map(),
        facts: new Map(),
        feeRecipient: address(0xf1),
        guardOwner: undefined,
        builderVault: undefined
      }).pipe(Effect.provideService(Terminal.Terminal, terminal))
      assert.deepStrictEqual(answers, [
        {
          id: 8_453,
          rpcUrls: ["https://rpc.example.com", "https://other.example.com"],
          facts: {},
          feeRecipient: address(0xf1),
          guardOwner: address(0x99),
          builderVault: address(0xf2)
        }
      ])
    })
  )
})
