/** Local chains: one anvil process each, with the EVM of the Prague upgrade (EIP-7702). */
import { createRequire } from "node:module"
import { arch, platform } from "node:process"
import { Effect, Option, Schema, type Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { createTestClient, defineChain, http, publicActions, walletActions } from "viem"
import type { ChainId } from "../domain/ChainId.ts"
import * as Subprocess from "./Subprocess.ts"

/** A node of the local network refused or failed what the network's own setup asked of it. */
export class DevChainFailed extends Schema.TaggedError<DevChainFailed>()("DevChainFailed", {
  chainId: Schema.Number,
  step: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `chain ${this.chainId}: ${this.step}: ${this.detail}`
  }
}

export interface AnvilOptions {
  readonly chainId: ChainId
  /** A free one unless told. */
  readonly port?: number
}

/** Public network's order of magnitude, so that what fits into a block here fits there. */
export const BLOCK_GAS_LIMIT = 60_000_000n

/** Blocks whose state can be read: many times the depth that anything here looks back. */
const STATES_KEPT = 512

const makeClient = (chainId: ChainId, rpcUrl: string) =>
  createTestClient({
    mode: "anvil",
    chain: defineChain({
      id: chainId,
      name: `local ${chainId}`,
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } }
    }),
    // Requests of one tick travel together: setting a chain up costs few round trips.
    transport: http(rpcUrl, { batch: { batchSize: 1_000 }, retryCount: 0, timeout: 30_000 }),
    pollingInterval: 50,
    cacheTime: 0
  })
    .extend(publicActions)
    .extend(walletActions)

export type AnvilClient = ReturnType<typeof makeClient>

export interface Anvil {
  readonly chainId: ChainId
  readonly rpcUrl: string
  /** Leader of the node's process group. */
  readonly pid: number
  readonly client: AnvilClient
  /** Asks the node; a refusal becomes a {@link DevChainFailed} that names the step. */
  readonly ask: <A>(step: string, request: (client: AnvilClient) => Promise<A>) => Effect.Effect<A, DevChainFailed>
  readonly exited: Effect.Effect<Subprocess.SubprocessFailed>
}

const detailOf = (cause: unknown): string =>
  cause instanceof Error
    ? "details" in cause && typeof cause.details === "string"
      ? cause.details
      : cause.message
    : String(cause)

const binary = Effect.suspend(() => {
  const name = `@foundry-rs/anvil-${platform}-${arch === "x64" ? "amd64" : arch}`
  return Effect.try({
    try: () =>
      createRequire(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json")).resolve(
        `${name}/bin/anvil`
      ),
    catch: () => new Subprocess.SubprocessFailed({ command: "anvil", detail: `the package ${name} is not installed` })
  })
})

/** Starts a chain that mines each transaction at once. The node is stopped when the scope closes. */
export const start = Effect.fn("Anvil.start")(function* (
  options: AnvilOptions
): Effect.fn.Return<
  Anvil,
  Subprocess.SubprocessFailed | DevChainFailed,
  Scope.Scope | ChildProcessSpawner.ChildProcessSpawner
> {
  const { chainId } = options
  const running = yield* Subprocess.start({
    name: "anvil",
    command: yield* binary,
    args: [
      "--host=127.0.0.1",
      `--port=${options.port ?? 0}`,
      `--chain-id=${chainId}`,
      "--hardfork=prague",
      `--gas-limit=${BLOCK_GAS_LIMIT}`,
      // Older states would go to the home directory, gigabytes of them, and stay there when the node is killed.
      `--prune-history=${STATES_KEPT}`,
      // Accounts come from the network, not from the well-known mnemonic whose accounts others may have delegated.
      "--accounts=0"
    ],
    // With port 0 only the node knows where it listens; the same line says that it is ready.
    ready: (line) => Option.fromNullishOr(/^Listening on (\S+)$/.exec(line)?.[1])
  })
  const rpcUrl = `http://${running.ready}`
  const client = makeClient(chainId, rpcUrl)
  const ask: Anvil["ask"] = (step, request) =>
    Effect.tryPromise({
      try: () => request(client),
      catch: (cause) => new DevChainFailed({ chainId, step, detail: detailOf(cause) })
    })
  yield* ask("turn off logging", () => client.setLoggingEnabled(false))
  return { chainId, rpcUrl, pid: running.pid, client, ask, exited: running.exited }
})

/** Mines a block every so many seconds from now on, whether there are transactions or not. */
export const mineEvery = (chain: Anvil, seconds: number): Effect.Effect<void, DevChainFailed> =>
  chain.ask("mine at intervals", (client) => client.setIntervalMining({ interval: seconds }))
