/** The orchestrator as a process of its own, so that its CPU seconds are its own as well. */
import { fileURLToPath } from "node:url"
import { Effect, Option } from "effect"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import * as Subprocess from "../../src/devnet/Subprocess.ts"
import * as ChainsFile from "../../test/support/ChainsFile.ts"

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

export const start = Effect.fnUntraced(function* (options: {
  readonly dev: DevChain
  /** Further chains. Default: none. */
  readonly others?: ReadonlyArray<DevChain>
  /** URL under which the orchestrator reaches a chain's node. Default: the node's own. */
  readonly rpcUrlOf?: (dev: DevChain) => string
  readonly databaseUrl: string
  readonly builderUrl: string
  readonly relayerKeys: ReadonlyArray<string>
  /** Directory of the CPU profile. If absent, no profile is taken. */
  readonly profile: string | undefined
}) {
  const port = yield* Ports.free
  const profiling = options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`]
  const chainsFile = yield* ChainsFile.write(
    [options.dev, ...(options.others ?? [])],
    options.rpcUrlOf ?? (({ rpcUrl }) => rpcUrl)
  )
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
      // New owners all at once are what is measured, at a price of gas that rises with each full block.
      FIRST_SWEEPS_LOSS_BUDGET_WEI: "1000000000000000000000",
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
  return { url, pid }
})
