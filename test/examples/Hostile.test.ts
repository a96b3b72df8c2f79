/** No example signs for a hostile server: whatever it changes about the order or the delegate, nothing is submitted. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, FileSystem, Layer, Path, Schema } from "effect"
import { DevInfo } from "../../src/devnet/DevInfo.ts"
import { throughBundle } from "../support/Program.ts"
import { Services } from "../support/Services.ts"
import { type Attack, ATTACKS, ATTACKS_ON_SIGNING, start } from "./HostileServer.ts"
import * as Project from "./Project.ts"

const NONE: Attack = { name: "nothing", change: (offer) => offer, refusal: undefined }
const all = [NONE, ...ATTACKS, ...ATTACKS_ON_SIGNING]

/** The wallet beside agent.mjs uses the client's review, which has tests of its own for every field. */
const ATTACKS_ON_WALLET = ATTACKS.filter(({ name }) => ["another destination", "another delegate"].includes(name))

/** Runs one example against several servers in one process, and prints one line of JSON for each. */
const RUNNER = `
import { pathToFileURL } from "node:url"
const [, , example, ...rest] = process.argv
const devs = rest.filter((argument) => argument.endsWith(".json"))
const others = rest.filter((argument) => !argument.endsWith(".json"))
const say = console.log
for (const [index, dev] of devs.entries()) {
  const lines = []
  console.log = console.error = (...line) => lines.push(line.join(" "))
  process.argv = [process.argv[0], example, dev, ...others]
  process.exitCode = 0
  await import(pathToFileURL(example).href + "?" + index).catch((error) => {
    process.exitCode = 1
    lines.push(error.message)
  })
  say(JSON.stringify({ dev, code: process.exitCode, said: lines.join("\\n") }))
}
process.exit(0)
`

/** Each run is up to 15 sweeps, or three servers that are started. */
const TIMEOUT_MILLIS = 150_000

interface Outcome {
  readonly code: number
  readonly said: string
}

class Attacked extends Context.Service<
  Attacked,
  {
    /** Outcome of an example under each attack, and the number of submissions that it made. */
    readonly run: (
      example: string,
      attacks: ReadonlyArray<Attack>,
      args?: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Outcome & { readonly attack: Attack; readonly submitted: number }>>
  }
>()("sweep/test/Attacked") {
  static readonly layer = Layer.effect(
    Attacked,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const { info } = yield* Services
      const made = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-hostile-" })
      const directory = yield* Effect.promise(() => Project.make(made))
      yield* fs.writeFileString(path.join(directory, "runner.mjs"), RUNNER)
      const server = yield* start(info.orchestratorUrl, all)
      const devOf = Effect.fnUntraced(function* (attack: Attack) {
        const file = path.join(made, `${attack.name.replaceAll(" ", "-")}.json`)
        const dev = { ...info, orchestratorUrl: server.urlOf(attack.name) }
        yield* fs.writeFileString(file, yield* Schema.encodeEffect(Schema.fromJsonString(DevInfo))(dev))
        return file
      })
      const submissionsOf = (attack: Attack) => server.submissions.get(attack.name)?.length ?? 0
      return {
        run: (example, attacks, args = []) =>
          Effect.gen(function* () {
            const before = attacks.map(submissionsOf)
            const devs = yield* Effect.forEach(attacks, devOf)
            const command = ["node", "runner.mjs", path.join(directory, example), ...devs, ...args]
            const { error, out } = yield* Effect.promise(async () =>
              Project.run(command, { cwd: directory, env: await throughBundle(), timeoutMillis: TIMEOUT_MILLIS })
            )
            const outcomes: ReadonlyArray<Outcome> = out
              .trim()
              .split("\n")
              .map((line) => JSON.parse(line))
            assert.lengthOf(outcomes, attacks.length, error)
            return attacks.map((attack, index) => ({
              attack,
              code: outcomes[index]?.code ?? -1,
              said: outcomes[index]?.said ?? "",
              submitted: submissionsOf(attack) - (before[index] ?? 0)
            }))
          }).pipe(Effect.orDie)
      }
    })
  ).pipe(Layer.provide(BunServices.layer), Layer.orDie)
}

layer(Attacked.layer.pipe(Layer.provideMerge(Services.layer())), {
  excludeTestServices: true
})("A hostile server", (it) => {
  /**
   * The example sweeps if nothing is changed, and refuses each attack on the order for the right reason. `ignored` is true if it
   * does not read `signing.typedData`, and so sweeps by what it built itself.
   */
  const refuses = (
    example: string,
    { args = [], attacks, ignored }: { args?: ReadonlyArray<string>; attacks: ReadonlyArray<Attack>; ignored: boolean }
  ) =>
    Effect.gen(function* () {
      const { run } = yield* Attacked
      for (const { attack, code, said, submitted } of yield* run(example, [...attacks, ...ATTACKS_ON_SIGNING], args)) {
        const isRefused = attack.refusal !== undefined || (!ignored && attack !== NONE)
        assert.strictEqual(submitted, isRefused ? 0 : 1, `${attack.name}: ${said}`)
        assert.strictEqual(code, isRefused ? 1 : 0, `${attack.name}: ${said}`)
        if (isRefused) {
          assert.match(said, /do not sign/, attack.name)
          if (attack.refusal !== undefined) assert.match(said, attack.refusal, attack.name)
        } else assert.match(said, /done .*0x[0-9a-f]{64}/, attack.name)
      }
    })

  for (const example of ["viem-sweep.mjs", "ethers-sweep.mjs"]) {
    it.effect(
      `gets nothing but the honest order signed by ${example}, whatever it changes`,
      () => refuses(example, { attacks: [NONE, ...ATTACKS], ignored: true }),
      TIMEOUT_MILLIS
    )
  }

  it.effect(
    "gets nothing signed by node-sweep.mjs, whatever it changes",
    () => refuses("node-sweep.mjs", { attacks: [NONE, ...ATTACKS], ignored: false }),
    TIMEOUT_MILLIS
  )

  it.effect(
    "gets nothing signed by the wallet beside agent.mjs",
    () =>
      refuses("agent.mjs", {
        args: [`${Project.root}/sweep`],
        attacks: ATTACKS_ON_WALLET,
        ignored: false
      }),
    TIMEOUT_MILLIS
  )

  it.effect(
    "gets nothing signed for a whole wallet by the wallet beside agent.mjs",
    () =>
      refuses("agent.mjs", {
        args: [`${Project.root}/sweep`, "wallet"],
        attacks: ATTACKS_ON_WALLET,
        ignored: false
      }),
    TIMEOUT_MILLIS
  )
})
