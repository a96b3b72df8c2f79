/** The `Chains` port over JSON-RPC. */
import { type Duration, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import type { Chain } from "../../../domain/Chain.ts"
import { type ChainClient, Chains, UnsupportedChain } from "../../../ports/shared/Chains.ts"
import { endpointOf, type RpcEndpoint } from "../../../domain/RpcEndpoint.ts"
import { EndpointChoices } from "../../../ports/shared/EndpointChoices.ts"
import * as LimitChoices from "../../../ports/shared/LimitChoices.ts"
import * as JsonRpc from "../rpc/JsonRpc.ts"
import * as JsonRpcBatch from "../rpc/Batch.ts"
import * as JsonRpcHeads from "../rpc/Heads.ts"
import * as JsonRpcHttp from "../rpc/Http.ts"
import * as JsonRpcPaced from "../rpc/Paced.ts"
import * as LivePool from "../rpc/LivePool.ts"
import type { JsonRpcPool } from "../rpc/Pool.ts"
import * as Calls from "./Calls.ts"
import * as Logs from "./Logs.ts"
import * as NextBlock from "./NextBlock.ts"
import * as Node from "./Node.ts"
import * as NonceUse from "./NonceUse.ts"
import * as PrivateSending from "./PrivateSending.ts"
import * as Reads from "./Reads.ts"
import * as Sending from "./Sending.ts"

export interface ChainEndpoints {
  readonly chain: Chain
  /** JSON-RPC endpoints, preferred first. A URL alone has no limits. */
  readonly rpcUrls: ReadonlyArray<string | RpcEndpoint>
  /** Endpoints to which transactions are sent instead, all of them at once. Default: `rpcUrls`. */
  readonly broadcastUrls?: ReadonlyArray<string | RpcEndpoint> | undefined
  /** Private endpoints, to which transactions are sent before. Default: none. */
  readonly privateUrls?: ReadonlyArray<string | RpcEndpoint> | undefined
  /** Time without inclusion after which a transaction goes public. Default: 30. */
  readonly publicAfterSeconds?: number | undefined
  /** WebSocket URL for new heads. Default: the endpoints are polled. */
  readonly wsUrl?: string | undefined
}

export interface Options {
  /** Timeout of one answer of one endpoint. Default: 10 seconds. */
  readonly timeout: Duration.Input
  /** Time without an answer after which the next endpoint is asked as well. Default: 300 milliseconds. */
  readonly hedgeAfter: Duration.Input
  /** Maximum number of calls in one request. 1 disables batches. Default: 50. */
  readonly maxBatch: number
}

export const defaults: Options = { timeout: "10 seconds", hedgeAfter: "300 millis", maxBatch: 50 }

/** Time for which a transaction stays private by default. */
const PUBLIC_AFTER_SECONDS = 30

/** Endpoints of a chain to which transactions are sent. Empty for none. */
interface Senders {
  /** Instead of the pool's. */
  readonly broadcast: ReadonlyArray<JsonRpc.Endpoint>
  /** Before the others. */
  readonly privately: ReadonlyArray<JsonRpc.Endpoint>
  readonly publicAfterMillis: number
}

/** Client of one chain; see {@link layer}. */
const makeClient = Effect.fnUntraced(function* (
  chain: Chain,
  pool: JsonRpcPool,
  senders: Senders,
  wsUrl: string | undefined
) {
  const node = Node.make(chain, pool)
  const plain = Reads.make(node, yield* LimitChoices.make)
  const next = NextBlock.make(chain, plain)
  const reads = { ...plain, ...next.reads }
  const sendPublicly = Sending.make(node, senders.broadcast)
  const send =
    senders.privately.length === 0
      ? sendPublicly
      : yield* PrivateSending.make({
          chainId: chain.id,
          publicAfterMillis: senders.publicAfterMillis,
          sendPrivately: Sending.make(node, senders.privately),
          sendPublicly,
          receipt: reads.receipt
        })
  const heads = yield* JsonRpcHeads.make({ chain, block: reads.block }, wsUrl)
  return {
    chain,
    ...heads.reads,
    isAnswering: pool.isAnswering,
    elsewhere: pool.elsewhere,
    attested: node.attested,
    corroborated: node.corroborated,
    ...reads,
    ...Calls.make(node, (sender, block) => next.settingOf(heads.reads.recentHead, sender, block)),
    logs: Logs.make(node),
    transactionOf: NonceUse.make(node, reads.transactionCount),
    send: (raw) => Effect.tap(send(raw), heads.sent)
  } satisfies ChainClient
})

/**
 * Chains over HTTP endpoints, which the operator's choices replace. No node is asked before the first use. A node of another chain is
 * never used.
 */
export const layer = (
  chains: ReadonlyArray<ChainEndpoints>,
  { hedgeAfter, maxBatch, timeout }: Options = defaults
): Layer.Layer<Chains, never, HttpClient.HttpClient> =>
  Layer.effect(
    Chains,
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const choices = yield* EndpointChoices
      const asked = Effect.fnUntraced(function* (chain: Chain, { url, ...limits }: RpcEndpoint) {
        const endpoint = JsonRpcBatch.make(JsonRpcHttp.make(http, url, timeout), { maxBatch })
        const paced = yield* JsonRpcPaced.make(endpoint, limits, chain.id)
        return { ...(yield* JsonRpc.verified(paced, chain.id)), waitMillis: paced.waitMillis }
      })
      /** A sequencer may know `eth_sendRawTransaction` alone: no batches, and no check, which the signed chain id makes needless. */
      const senderOf = (chain: Chain, entry: string | RpcEndpoint) => {
        const { url, ...limits } = endpointOf(entry)
        const endpoint = JsonRpcBatch.make(JsonRpcHttp.make(http, url, timeout), { maxBatch: 1 })
        return JsonRpcPaced.make(endpoint, limits, chain.id)
      }
      const all = yield* Effect.forEach(
        chains,
        Effect.fnUntraced(function* ({
          broadcastUrls = [],
          chain,
          privateUrls = [],
          publicAfterSeconds = PUBLIC_AFTER_SECONDS,
          rpcUrls,
          wsUrl
        }) {
          const pool = yield* LivePool.make({
            configured: rpcUrls.map(endpointOf),
            chosen: Effect.map(choices, (chosen) => chosen.get(chain.id)),
            endpointOf: (entry) => asked(chain, entry),
            hedgeAfter,
            blockTimeMillis: chain.blockTimeMillis
          })
          const senders = {
            broadcast: yield* Effect.forEach(broadcastUrls, (entry) => senderOf(chain, entry)),
            privately: yield* Effect.forEach(privateUrls, (entry) => senderOf(chain, entry)),
            publicAfterMillis: publicAfterSeconds * 1_000
          }
          return yield* makeClient(chain, pool, senders, wsUrl)
        })
      )
      return {
        all,
        get: (chainId) => {
          const client = all.find((candidate) => candidate.chain.id === chainId)
          return client === undefined ? Effect.fail(new UnsupportedChain({ chainId })) : Effect.succeed(client)
        }
      }
    })
  )
