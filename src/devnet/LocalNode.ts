/** A node of the local network, whichever program it is. */
import { setTimeout } from "node:timers/promises"
import { Effect, Schema } from "effect"
import {
  type Chain,
  createTestClient,
  defineChain,
  http,
  type PublicActions,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  type Transport,
  WaitForTransactionReceiptTimeoutError,
  type WaitForTransactionReceiptParameters,
  walletActions
} from "viem"
import type { ChainId } from "../domain/ChainId.ts"
import type * as Subprocess from "./Subprocess.ts"

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

/** Prefix of a node's methods that change its state, such as `anvil_setBalance`. */
type Methods = "anvil" | "hardhat"

export interface LocalNodeOptions {
  readonly chainId: ChainId
  /** Default: a free port. */
  readonly port?: number
  /** Number of recent blocks whose state anvil keeps. EDR keeps all. Default: 512. */
  readonly statesKept?: number
}

/** Close to the gas limit of public networks, so that a transaction that fits here fits there. */
export const BLOCK_GAS_LIMIT = 60_000_000n

const RECEIPT_TIMEOUT_MILLIS = 60_000
const RECEIPT_POLL_MILLIS = 20

/**
 * Asks for a receipt until it is there. viem's own wait shares one watch of block numbers with other waits: a block that this watch reported
 * before one of them began is never looked at by that one, and on an idle node no other block follows.
 */
const receiptOf =
  (client: PublicActions<Transport, Chain>) =>
  async ({
    hash,
    timeout = RECEIPT_TIMEOUT_MILLIS
  }: Pick<WaitForTransactionReceiptParameters, "hash" | "timeout">): Promise<TransactionReceipt> => {
    const until = performance.now() + timeout
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      const receipt = await client.getTransactionReceipt({ hash }).catch((cause: unknown) => {
        if (cause instanceof TransactionReceiptNotFoundError) return undefined
        throw cause
      })
      if (receipt !== undefined) return receipt
      if (performance.now() >= until) throw new WaitForTransactionReceiptTimeoutError({ hash })
      // oxlint-disable-next-line no-await-in-loop
      await setTimeout(RECEIPT_POLL_MILLIS)
    }
  }

/** Client of a local node. Default: of anvil. */
export const clientOf = (chainId: ChainId, rpcUrl: string, mode: Methods = "anvil") =>
  createTestClient({
    mode,
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
    .extend((client) => ({ waitForTransactionReceipt: receiptOf(client) }))

export type LocalNodeClient = ReturnType<typeof clientOf>

export interface LocalNode {
  readonly chainId: ChainId
  readonly rpcUrl: string
  /** Leader of the node's process group. */
  readonly pid: number
  readonly client: LocalNodeClient
  /** Sends a request to the node. An error becomes a {@link DevChainFailed} that names the step. */
  readonly ask: <A>(step: string, request: (client: LocalNodeClient) => Promise<A>) => Effect.Effect<A, DevChainFailed>
  readonly exited: Effect.Effect<Subprocess.SubprocessFailed>
}

const detailOf = (cause: unknown): string =>
  cause instanceof Error
    ? "details" in cause && typeof cause.details === "string"
      ? cause.details
      : cause.message
    : String(cause)

/** The node behind a process that serves JSON-RPC at `running.ready`, as `host:port`. */
export const of = (chainId: ChainId, running: Subprocess.Running<string>, methods: Methods): LocalNode => {
  const rpcUrl = `http://${running.ready}`
  const client = clientOf(chainId, rpcUrl, methods)
  const ask: LocalNode["ask"] = (step, request) =>
    Effect.tryPromise({
      try: () => request(client),
      catch: (cause) => new DevChainFailed({ chainId, step, detail: detailOf(cause) })
    })
  return { chainId, rpcUrl, pid: running.pid, client, ask, exited: running.exited }
}

/** Mines a block at a fixed interval in seconds, even if there are no transactions, and only then. */
export const mineEvery = (node: LocalNode, seconds: number): Effect.Effect<void, DevChainFailed> =>
  node.ask("mine at intervals", async (client) => {
    // anvil's interval turns it off, and EDR's does not.
    await client.setAutomine(false)
    await client.setIntervalMining({ interval: seconds })
  })
