/** Help texts and error messages of the command line. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Cause, Console, Effect, FileSystem, Path, Schema } from "effect"
import * as Failure from "../../src/cli/Failure.ts"
import * as SettingsTables from "../../src/cli/SettingsTables.ts"
import { inject } from "vitest"
import { address } from "../support/FakeChain.ts"
import { sweepHere } from "./inProcess.ts"
import { type Outcome, sweep } from "./sweep.ts"

const KEY = `0x${"11".repeat(32)}`

const chainsFile = Effect.fnUntraced(function* (entries: unknown) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(yield* fs.makeTempDirectoryScoped(), "chains.json")
  yield* fs.writeFileString(file, JSON.stringify(entries))
  return file
})

const base = {
  id: 8453,
  rpcUrls: ["http://127.0.0.1:1/SECRET"],
  feeRecipient: address(0xf1),
  guardOwner: address(0x99)
}

const NO_DATABASE = /DATABASE_URL is not set, and the chains file has public chains \(base\)\. Set it to the PostgreSQL/

/** Exactly one sentence, without stack, error class or cause. */
const assertSentence = ({ code, err, out }: Outcome, expected: RegExp) => {
  assert.strictEqual(code, 1, err)
  assert.strictEqual(out, "")
  assert.match(err, /^sweep: [^\n]+\n$/)
  assert.match(err, expected)
  assert.notInclude(err, "SECRET")
}

layer(BunServices.layer, { excludeTestServices: true })("sweep", (it) => {
  it.effect("--help lists every command with what it is for", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* sweep(["--help"])
      assert.strictEqual(code, 0, err)
      const commands = [...out.slice(out.indexOf("SUBCOMMANDS")).matchAll(/^ {2}([a-z-]+) +[A-Z]/gm)].map(
        ([, name = ""]) => name
      )
      assert.includeMembers(commands, [
        "demo",
        "dev",
        "orchestrator",
        "builder-backend",
        "builders",
        "outbox",
        "migrate",
        "deploy",
        "settings",
        "check",
        "test",
        "chaos",
        "bench"
      ])
      for (const command of commands) {
        const help = yield* sweepHere([command, "--help"])
        assert.strictEqual(help.code, 0)
        assert.match(help.out, /^DESCRIPTION\n {2}[A-Z][^\n]{20,}\n/)
        assert.include(help.out, `sweep ${command}`)
      }
    })
  )

  it.effect("--version is the package's", () =>
    Effect.gen(function* () {
      assert.match((yield* sweep(["--version"])).out, /\d+\.\d+\.\d+/)
    })
  )

  it.effect("says what is wrong with the arguments, beside the help", () =>
    Effect.gen(function* () {
      const cases = [
        [["nonsense"], `Unknown subcommand "nonsense" for "sweep"`],
        [["deploy"], "Missing required flag: --chain"],
        [["deploy", "--chain", "base"], "--chain"],
        [["settings", "--bogus"], "--bogus"]
      ] as const
      for (const [args, expected] of cases) {
        const { code, err, out } = yield* sweepHere(args)
        assert.strictEqual(code, 1)
        assert.include(err, expected)
        assert.include(out + err, "USAGE")
        assert.notMatch(err, /\n +at /)
      }
      const [args] = cases[0]
      assert.deepStrictEqual<Outcome>(yield* sweep(args), yield* sweepHere(args), "as from its own process")
    })
  )

  it.effect("settings prints every setting", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* sweep(["settings"])).out, `${SettingsTables.asText()}\n`)
      assert.strictEqual((yield* sweep(["settings", "--markdown"])).out, `${SettingsTables.asMarkdown()}\n`)
    })
  )

  it.effect("orchestrator says in one sentence which setting is missing or wrong", () =>
    Effect.gen(function* () {
      const CHAINS_FILE = yield* chainsFile([base])
      const good = { CHAINS_FILE, RELAYER_KEYS: KEY, DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }
      const { RELAYER_KEYS: _keys, ...keyless } = good
      const cases = [
        [keyless, /RELAYER_KEYS is not set. Set it to one or more private keys or places of keys/],
        [{ ...good, DATABASE_URL: "" }, NO_DATABASE],
        [{ ...good, RELAYER_KEYS: "0x12" }, /RELAYER_KEYS is not valid/],
        [{ ...good, FEE_RECIPIENT_KMS_KEY: KEY }, /^sweep: FEE_RECIPIENT_KMS_KEY: expected `aws:/],
        [
          { ...good, FEE_RECIPIENT_KEY: KEY, FEE_RECIPIENT_KMS_KEY: "aws:eu-central-1:alias/fees" },
          /^sweep: FEE_RECIPIENT_KEY and FEE_RECIPIENT_KMS_KEY are both set. Set only one of them/
        ],
        [{ ...good, LOG_LEVEL: "loud" }, /^sweep: LOG_LEVEL: expected one of All, /],
        [{ ...good, RATE_LIMIT: "many" }, /^sweep: RATE_LIMIT: expected an integer/],
        [
          { ...good, CHAINS_FILE: "/nowhere/chains.json" },
          /\/nowhere\/chains.json: there is no such file; set CHAINS_FILE/
        ],
        [{ ...good, CHAINS_FILE: yield* chainsFile([{ ...base, feeRecipient: "me" }]) }, /chain 8453: feeRecipient: /],
        [{ ...good, DEFAULT_SOURCE_CHAIN: "1" }, /^sweep: DEFAULT_SOURCE_CHAIN: chain 1 is not in the chains file/]
      ] as const
      for (const [env, expected] of cases) {
        const outcome = yield* sweepHere(["orchestrator"], env)
        assertSentence(outcome, expected)
        assert.notInclude(outcome.err, KEY)
      }
      assertSentence(yield* sweepHere(["builder-backend"], { CHAINS_FILE, DATABASE_URL: "" }), NO_DATABASE)
      assert.deepStrictEqual<Outcome>(
        yield* sweep(["orchestrator"], keyless),
        yield* sweepHere(["orchestrator"], keyless),
        "as from its own process"
      )
    })
  )

  it.effect("names every wrong setting in one message, whatever they belong to", () =>
    Effect.gen(function* () {
      const wrong = {
        CHAINS_FILE: yield* chainsFile([{ ...base, confirmation: 1, feeRecipient: "me" }]),
        RELAYER_KEYS: "0xSECRET",
        DATABASE_POOL_SIZE: "SECRET",
        DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
        RATE_LIMIT: "SECRET",
        SLIPPAGE_BPS: "SECRET",
        PRICES: "SECRET",
        EIP712_DOMAIN_NAME: "a name of more than thirty-one bytes",
        BUILDER_URL: "SECRET"
      }
      const service = { ...wrong, DATABASE_POOL_SIZE: "3" }
      const orchestrator = yield* sweep(["orchestrator"], service)
      const named = (err: string) => [...err.matchAll(/^ {2}([A-Z0-9_]+|chains file)/gm)].map(([, name]) => name)
      assert.strictEqual(orchestrator.code, 1)
      assert.match(orchestrator.err, /^sweep: 7 settings are missing or wrong:\n/)
      assert.sameMembers(named(orchestrator.err), [
        "RATE_LIMIT",
        "SLIPPAGE_BPS",
        "PRICES",
        "EIP712_DOMAIN_NAME",
        "BUILDER_URL",
        "RELAYER_KEYS",
        "chains file"
      ])
      assert.include(orchestrator.err, "unknown key confirmation, did you mean confirmations?")
      assert.notInclude(orchestrator.err, "SECRET")
      // Settings of the log are read first.
      const everything = yield* sweep(["builder-backend"], {
        ...wrong,
        LOG_LEVEL: "SECRET",
        GATEWAY_JWKS_URL: "SECRET"
      })
      assert.sameMembers(named(everything.err), [
        "LOG_LEVEL",
        "DATABASE_POOL_SIZE",
        "EIP712_DOMAIN_NAME",
        "RATE_LIMIT",
        "SLIPPAGE_BPS",
        "PRICES",
        "BUILDER_URL",
        "GATEWAY_JWKS_URL"
      ])
      assert.notInclude(everything.err, "SECRET")
      const mcp = yield* sweep(["mcp"])
      assert.sameMembers(named(mcp.err), ["SERVICE_ORCHESTRATOR_URL", "SERVICE_BUILDER_URL"])
    })
  )

  it.effect("hints at a variable that resembles a setting, without its value", () =>
    Effect.gen(function* () {
      const CHAINS_FILE = yield* chainsFile([base])
      const { err } = yield* sweep(["orchestrator"], {
        CHAINS_FILE,
        RELAYER_KEYS: KEY,
        // A server that lacks the database ends the command at once. It would wait for one that does not answer.
        DATABASE_URL: `${inject("postgres")}/none`,
        RELAYER_KEY: "SECRET",
        RELAYER_PAUSED_CHAINS: "8453,77",
        TREASURY_ASSETS: `78:${address(0x0a)}`,
        ORCH_ADMIN_TOKENS: "SECRET",
        UNRELATED_NAME: "SECRET",
        LOG_FORMAT: "json"
      })
      const hints = err
        .split("\n")
        .filter((line) => line.includes("settings.unknown"))
        .map((line) => /"name":"(\w+)","meant":"(\w+)"/.exec(line)?.slice(1))
      // RELAYER_KEYS is set, so nobody misspelt it.
      assert.deepStrictEqual(hints, [["ORCH_ADMIN_TOKENS", "ORCH_ADMIN_TOKEN"]])
      const unserved = [...err.matchAll(/settings\.chain_unserved.*"setting":"(\w+)","chainId":(\d+)/g)]
      assert.deepStrictEqual(
        unserved.map(([, name, id]) => [name, id]),
        [
          ["RELAYER_PAUSED_CHAINS", "77"],
          ["TREASURY_ASSETS", "78"]
        ]
      )
      assert.notInclude(err, "SECRET")
    })
  )

  it.effect("deploy says in one sentence what it lacks", () =>
    Effect.gen(function* () {
      const CHAINS_FILE = yield* chainsFile([base])
      const contracts = { delegate: address(1), guard: address(2), entry: address(3) }
      const fixed = yield* chainsFile([{ ...base, contracts }])
      const cases = [
        [["--chain", "1"], { CHAINS_FILE }, /^sweep: chain 1 is not in /],
        [["--chain", "8453"], { CHAINS_FILE }, /^sweep: DEPLOYER_KEY is not set. Set it to the private key/],
        [
          ["--chain", "8453"],
          { CHAINS_FILE, DEPLOYER_KEY: "0x12" },
          /^sweep: DEPLOYER_KEY is not valid. Set it to the private key/
        ],
        [["--chain", "8453", "--dry-run"], { CHAINS_FILE }, /^sweep: chain 8453: eth_getCode failed/],
        [["--chain", "8453", "--dry-run"], { CHAINS_FILE: fixed }, /fixes the contracts of chain 8453/]
      ] as const
      for (const [args, env, expected] of cases) {
        assertSentence(yield* sweepHere(["deploy", ...args], env), expected)
      }
    })
  )

  class Expected extends Schema.TaggedError<Expected>()("Expected", {}) {
    override get message(): string {
      return "the thing is not there"
    }
  }

  /** Lines that a failure prints to standard error. */
  const printed = Effect.fnUntraced(function* (failing: Effect.Effect<never, Expected>) {
    const lines: Array<string> = []
    const real = yield* Console.Console
    const exit = yield* Effect.exit(Failure.reported(failing)).pipe(
      Effect.provideService(Console.Console, {
        ...real,
        error: (...line: ReadonlyArray<unknown>) => {
          lines.push(line.join(" "))
        }
      })
    )
    return { lines, exit }
  })

  it.effect("prints a defect with its stack, and every reason of a failure", () =>
    Effect.gen(function* () {
      const defect = yield* printed(Effect.die(new TypeError("a mistake of ours")))
      assert.match(defect.lines.join("\n"), /TypeError: a mistake of ours\n +at /)
      const both = Cause.fromReasons([
        ...Cause.fail(new Expected()).reasons,
        ...Cause.die(new Error("and a defect")).reasons
      ])
      const { exit, lines } = yield* printed(Effect.failCause(both))
      assert.strictEqual(lines[0], "sweep: the thing is not there")
      assert.include(lines[1], "and a defect")
      assert.isTrue(exit._tag === "Failure")
      assert.deepStrictEqual((yield* printed(Effect.interrupt)).lines, [])
    })
  )
})
