/** A place for one orchestrator at a time, with the proxies that can cut it off. */
import { appendFileSync } from "node:fs"
import { Effect, Exit, Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import type { Hex } from "viem"
import type { DevChain } from "../src/devnet/DevChain.ts"
import * as Ports from "../src/devnet/Ports.ts"
import * as ChainsFile from "../test/support/ChainsFile.ts"
import * as FaultProxy from "../test/support/FaultProxy.ts"
import * as OrchestratorProcess from "../test/support/OrchestratorProcess.ts"
import type * as Backend from "./Backend.ts"
import * as PostgresTap from "./PostgresTap.ts"

/** One that fails over and over must not be refused for it: failing is what a run is for. */
const SETTINGS = {
  BUILDER_ADMIN_TOKEN: "machine",
  BUILDER_FAILURE_BUDGET: "1000000",
  FIRST_SWEEPS_LOSS_BUDGET_WEI: "1000000000000000000000",
  OWNER_FAILURE_BUDGET: "1000000"
}

/** A place for one orchestrator at a time, with its proxies. */
export interface Slot {
  readonly name: string
  readonly url: string
  readonly tap: PostgresTap.PostgresTap
  readonly alpha: FaultProxy.FaultProxy
  readonly beta: FaultProxy.FaultProxy
  readonly backend: Backend.Address
  readonly isUp: () => boolean
  /** Number of processes that were started here so far. */
  readonly generation: () => number
  /** More settings of the next processes, by their names in the environment. They replace those of an earlier call. */
  readonly configure: (env: Readonly<Record<string, string>>) => void
  /** Starts a process where none runs; done when it answers. */
  readonly up: Effect.Effect<void, OrchestratorProcess.ProcessFailed, ChildProcessSpawner.ChildProcessSpawner>
  /** SIGKILL, where a process runs; done when it is gone. */
  readonly down: Effect.Effect<void>
}

/** Everything that a slot's process connects to. */
export interface Surroundings {
  readonly alphaDev: DevChain
  readonly betaDev: DevChain
  readonly backend: ReturnType<typeof Backend.make>
  readonly databasePort: number
  readonly databaseUrl: string
  readonly relayerKeys: ReadonlyArray<Hex>
  readonly options: {
    readonly logFile: string
    readonly confirmations: { readonly alpha: number; readonly beta: number }
    readonly env?: Readonly<Record<string, string>>
    readonly isTapped?: boolean
  }
}

const confirmedAfter = (dev: DevChain, confirmations: number): DevChain => ({
  ...dev,
  chain: { ...dev.chain, confirmations }
})

/** Makes a slot without a process. Its process dies with the scope. */
export const make = Effect.fnUntraced(function* (name: string, surroundings: Surroundings) {
  const { alphaDev, backend, betaDev, databasePort, databaseUrl, options, relayerKeys } = surroundings
  const scope = yield* Effect.scope
  const [tap, toAlpha, toBeta, books, port] = yield* Effect.all([
    PostgresTap.start(databasePort),
    FaultProxy.start(alphaDev.rpcUrl),
    FaultProxy.start(betaDev.rpcUrl),
    backend.address,
    Ports.free
  ])
  const { isTapped = true } = options
  const proxyOf = ({ rpcUrl }: DevChain) => (rpcUrl === alphaDev.rpcUrl ? toAlpha.url : toBeta.url)
  const chainsFile = yield* ChainsFile.write(
    [confirmedAfter(alphaDev, options.confirmations.alpha), confirmedAfter(betaDev, options.confirmations.beta)],
    isTapped ? proxyOf : ({ rpcUrl }) => rpcUrl,
    isTapped ? undefined : proxyOf
  )
  let generation = 0
  let configured: Readonly<Record<string, string>> = {}
  let life: { readonly scope: Scope.Closeable; readonly process: OrchestratorProcess.OrchestratorProcess } | undefined

  const up: Slot["up"] = Effect.gen(function* () {
    if (life !== undefined) return
    generation += 1
    const own = yield* Scope.fork(scope)
    const process = yield* OrchestratorProcess.start({
      port,
      chainsFile,
      databaseUrl: isTapped ? tap.through(databaseUrl) : databaseUrl,
      relayerKeys,
      env: { ...SETTINGS, BUILDER_URL: books.url, ...options.env, ...configured }
    }).pipe(Effect.provideService(Scope.Scope, own))
    life = { scope: own, process }
  })
  const down: Slot["down"] = Effect.gen(function* () {
    if (life === undefined) return
    const { process, scope: own } = life
    life = undefined
    yield* process.kill
    const said = yield* process.output
    appendFileSync(options.logFile, said.map((line) => `${name} ${line}\n`).join(""))
    yield* Scope.close(own, Exit.void)
  })
  yield* Effect.addFinalizer(() => down)
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    tap,
    alpha: toAlpha,
    beta: toBeta,
    backend: books,
    isUp: () => life !== undefined,
    generation: () => generation,
    configure: (env) => {
      configured = env
    },
    up,
    down
  } satisfies Slot
})
