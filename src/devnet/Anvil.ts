/** Local chains: one anvil process each, with the EVM of the Prague upgrade (EIP-7702). */
import { Effect, Option, Schema, type Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { createTestClient, defineChain, http, publicActions, walletActions } from "viem"
import type { ChainId } from "../domain/ChainId.ts"
import * as Foundry from "./Foundry.ts"
import * as Subprocess from "./Subprocess.ts"

/** A node of the local network rejected or failed a step of the setup. */
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
  /** Default: a free port. */
  readonly port?: number
}

/** Close to the gas limit of public networks, so that a transaction that fits here fits there. */
export const BLOCK_GAS_LIMIT = 60_000_000n

/** Number of recent blocks whose state can be read. No reader looks back this far. */
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
    // Requests of one tick are sent as one batch, so that a setup needs few round trips.
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
  /** Sends a request to the node. An error becomes a {@link DevChainFailed} that names the step. */
  readonly ask: <A>(step: string, request: (client: AnvilClient) => Promise<A>) => Effect.Effect<A, DevChainFailed>
  readonly exited: Effect.Effect<Subprocess.SubprocessFailed>
}

const detailOf = (cause: unknown): string =>
  cause instanceof Error
    ? "details" in cause && typeof cause.details === "string"
      ? cause.details
      : cause.message
    : String(cause)

/** Starts a chain that mines each transaction immediately. The node stops when the scope closes. */
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
    command: yield* Foundry.binary("anvil"),
    args: [
      "--host=127.0.0.1",
      `--port=${options.port ?? 0}`,
      `--chain-id=${chainId}`,
      "--hardfork=prague",
      `--gas-limit=${BLOCK_GAS_LIMIT}`,
      // Older states would be written to the home directory, gigabytes of them, and stay there if the node is killed.
      `--prune-history=${STATES_KEPT}`,
      // The network funds its own accounts. The keys of Anvil's default accounts are public, and others may have delegated them.
      "--accounts=0"
    ],
    // With port 0, the node chooses its port and prints it in the line that announces readiness.
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

/** Mines a block at a fixed interval in seconds, even if there are no transactions. */
export const mineEvery = (chain: Anvil, seconds: number): Effect.Effect<void, DevChainFailed> =>
  chain.ask("mine at intervals", (client) => client.setIntervalMining({ interval: seconds }))
