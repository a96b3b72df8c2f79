/** The orchestrator as a process of its own, so that its CPU seconds are its own as well. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect, Option } from "effect"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import * as Subprocess from "../../src/devnet/Subprocess.ts"
import * as ChainsFile from "../../test/support/ChainsFile.ts"

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

/** Kernel ticks in a second, on every Linux that Bun runs on. */
const TICKS = 100

/** CPU seconds, of user and kernel, that a process has used. */
const cpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** The supervisor's first child is the service. */
const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0])

export const start = Effect.fnUntraced(function* (options: {
  readonly dev: DevChain
  readonly databaseUrl: string
  readonly builderUrl: string
  readonly relayerKeys: ReadonlyArray<string>
  /** Directory of the CPU profile. If absent, no profile is taken. */
  readonly profile: string | undefined
}) {
  const port = yield* Ports.free
  const profiling = options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`]
  const chainsFile = yield* ChainsFile.write([options.dev], ({ rpcUrl }) => rpcUrl)
  const { pid } = yield* Subprocess.start({
    name: "orchestrator",
    command: process.execPath,
    args: [...profiling, MAIN, "orchestrator"],
    env: {
      ACROSS_FIXED_FEE_BPS: "10",
      BUILDER_ADMIN_TOKEN: "bench",
      BUILDER_URL: options.builderUrl,
      CHAINS_FILE: chainsFile,
      DATABASE_URL: options.databaseUrl,
      HOST: "127.0.0.1",
      LOG_FORMAT: "json",
      ORCHESTRATOR_PORT: String(port),
      RATE_LIMIT: "1000000000",
      RELAYER_KEYS: options.relayerKeys.join(",")
    },
    ready: (line) => (line.includes("listening on") ? Option.some(undefined) : Option.none())
  })
  const url = `http://127.0.0.1:${port}`
  const answers = Effect.promise(() =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false
    )
  )
  yield* answers.pipe(Effect.delay("50 millis"), Effect.repeat({ until: (ok) => ok }))
  const service = childOf(pid)
  return { url, cpuSeconds: Effect.sync(() => cpuSeconds(service)) }
})
