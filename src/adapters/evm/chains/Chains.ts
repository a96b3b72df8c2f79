/** The `Chains` port over JSON-RPC. */
import { type Duration, Effect, Layer, Option, Schema } from "effect"
import { HttpClient } from "effect/http"
import { numberToHex } from "viem"
import type { Chain } from "../../../domain/Chain.ts"
import { Hex } from "../../../domain/Hex.ts"
import {
  CallReverted,
  type CallRequest,
  type ChainClient,
  Chains,
  ChainUnavailable,
  type FeesPerGas,
  SendRejected,
  UnsupportedChain
} from "../../../ports/shared/Chains.ts"
import * as JsonRpc from "../rpc/JsonRpc.ts"
import * as JsonRpcBatch from "../rpc/Batch.ts"
import * as JsonRpcHeads from "../rpc/Heads.ts"
import * as JsonRpcHttp from "../rpc/Http.ts"
import * as JsonRpcPool from "../rpc/Pool.ts"
import * as Keccak from "../codec/Keccak.ts"
import * as RpcErrors from "../rpc/Errors.ts"
import * as RpcReceipts from "../codec/Receipts.ts"
import * as Rpc from "../rpc/Schemas.ts"

export interface ChainEndpoints {
  readonly chain: Chain
  /** JSON-RPC endpoints, preferred first. */
  readonly rpcUrls: ReadonlyArray<string>
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

/** Number of blocks in a fee estimate. */
const FEE_BLOCKS = 10

/** Priority fee when recent blocks had none, in wei per gas. */
const MIN_PRIORITY_FEE = 1_000_000n

const tag = (which: "latest" | "pending" | bigint): string => (typeof which === "bigint" ? numberToHex(which) : which)

const callObject = (request: Omit<CallRequest, "block">) => ({
  to: request.to,
  data: request.data,
  ...(request.from === undefined ? {} : { from: request.from }),
  ...(request.value === undefined ? {} : { value: numberToHex(request.value) }),
  ...(request.gas === undefined ? {} : { gas: numberToHex(request.gas) }),
  ...(request.authorizationList === undefined || request.authorizationList.length === 0
    ? {}
    : {
        authorizationList: request.authorizationList.map(({ address, chainId, nonce, r, s, yParity }) => ({
          address,
          chainId: numberToHex(chainId),
          nonce: numberToHex(nonce),
          // Quantities: nodes refuse leading zeros.
          r: numberToHex(BigInt(r)),
          s: numberToHex(BigInt(s)),
          yParity: numberToHex(yParity)
        }))
      })
})

/** State override set of eth_call and eth_simulateV1; undefined without overrides. */
const stateOverrides = (overrides: Pick<CallRequest, "codeOverrides" | "balanceOverrides">) => {
  const accounts = new Map<string, { code?: Hex; balance?: Hex }>()
  for (const { address, code } of overrides.codeOverrides ?? []) accounts.set(address, { code })
  for (const { address, balance } of overrides.balanceOverrides ?? []) {
    accounts.set(address, { ...accounts.get(address), balance: numberToHex(balance) })
  }
  return accounts.size === 0 ? undefined : Object.fromEntries(accounts)
}

const median = (values: ReadonlyArray<bigint>): bigint | undefined =>
  values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(values.length / 2)]

/**
 * The fee cap is twice the next base fee, which covers six full blocks (EIP-1559 raises it by at most an eighth per block). The
 * priority fee is the median of recent blocks.
 */
const feesFrom = (history: typeof Rpc.RpcFeeHistory.Type): FeesPerGas => {
  const baseFeePerGas = history.baseFeePerGas.at(-1) ?? 0n
  const rewards = (history.reward ?? []).flatMap((percentiles) => percentiles.slice(0, 1)).filter((tip) => tip > 0n)
  const tip = median(rewards) ?? 0n
  const maxPriorityFeePerGas = tip > MIN_PRIORITY_FEE ? tip : MIN_PRIORITY_FEE
  return { baseFeePerGas, maxPriorityFeePerGas, maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas }
}

const isNull = (answer: unknown): boolean => answer === null

const decodeHeight = Schema.decodeUnknownOption(Schema.Struct({ number: Rpc.Quantity }))

const heightOf = (answer: unknown): Option.Option<bigint> => Option.map(decodeHeight(answer), ({ number }) => number)

/** Client of one chain; see {@link layer}. */
export const makeClient = Effect.fnUntraced(function* (
  chain: Chain,
  pool: JsonRpcPool.JsonRpcPool,
  wsUrl: string | undefined
) {
  const unavailable = (method: string, detail: string) => new ChainUnavailable({ chainId: chain.id, method, detail })

  const decoded = <S extends Schema.Constraint>(schema: S) => {
    const decode = Schema.decodeUnknownEffect(schema)
    return (method: string, answer: unknown) =>
      Effect.mapError(decode(answer), () => unavailable(method, "malformed answer"))
  }
  const asQuantity = decoded(Rpc.Quantity)
  const asHex = decoded(Hex)
  const asBlock = decoded(Schema.NullOr(Rpc.RpcBlock))
  const asFeeHistory = decoded(Rpc.RpcFeeHistory)
  const wellFormed = <A>(method: string, read: Option.Option<A>) =>
    Effect.mapError(Effect.fromOption(read), () => unavailable(method, "malformed answer"))

  /** A read of which every error counts as {@link ChainUnavailable}. */
  const read = (method: string, params: ReadonlyArray<unknown>) =>
    Effect.mapError(pool.request(method, params, { isIgnorance: isNull }), (failure) =>
      unavailable(method, failure.message)
    )

  const readHead = (method: string, params: ReadonlyArray<unknown>) =>
    Effect.mapError(pool.head(method, params, heightOf), (failure) => unavailable(method, failure.message))

  const block: ChainClient["block"] = Effect.fnUntraced(function* (which) {
    const method = "eth_getBlockByNumber"
    const params = [tag(which), false]
    const answer = yield* asBlock(method, yield* which === "latest" ? readHead(method, params) : read(method, params))
    return answer === null ? Option.none() : Option.some(Rpc.block(answer))
  })

  const code: ChainClient["code"] = Effect.fnUntraced(function* (address) {
    return yield* asHex("eth_getCode", yield* read("eth_getCode", [address, "latest"]))
  })

  const balance: ChainClient["balance"] = Effect.fnUntraced(function* (address) {
    return yield* asQuantity("eth_getBalance", yield* read("eth_getBalance", [address, "latest"]))
  })

  const transactionCount: ChainClient["transactionCount"] = Effect.fnUntraced(function* (address, which) {
    const method = "eth_getTransactionCount"
    return yield* asQuantity(method, yield* read(method, [address, tag(which)]))
  })

  const accounts: ChainClient["accounts"] = Effect.fnUntraced(function* (addresses) {
    const lookups = addresses.flatMap((address) => [
      { method: "eth_getCode", params: [address, "latest"] },
      { method: "eth_getTransactionCount", params: [address, "pending"] }
    ])
    const answers = yield* Effect.mapError(
      pool.first((endpoint) => endpoint.requestAll(lookups)),
      (failure) => unavailable("eth_getCode", failure.message)
    )
    return yield* wellFormed("eth_getCode", RpcReceipts.accounts(answers))
  })

  const call: ChainClient["call"] = Effect.fnUntraced(function* ({ block: which = "pending", ...request }) {
    const overrides = stateOverrides(request)
    const params = [callObject(request), tag(which), ...(overrides === undefined ? [] : [overrides])]
    const answer = yield* pool
      .request("eth_call", params, {
        isAnswer: (failure) => failure._tag === "RpcError" && RpcErrors.isExecutionFailure(failure)
      })
      .pipe(
        Effect.mapError((failure) =>
          failure._tag === "RpcError" && RpcErrors.isExecutionFailure(failure)
            ? new CallReverted({ chainId: chain.id, data: RpcErrors.revertData(failure.data), detail: failure.text })
            : unavailable("eth_call", failure.message)
        )
      )
    return yield* asHex("eth_call", answer)
  })

  const simulate: ChainClient["simulate"] = Effect.fnUntraced(function* (calls, overrides = {}) {
    const method = "eth_simulateV1"
    const state = stateOverrides(overrides)
    const block = {
      calls: calls.map(callObject),
      ...(state === undefined ? {} : { stateOverrides: state })
    }
    const answer = yield* read(method, [{ blockStateCalls: [block], validation: false }, "pending"])
    const simulated = yield* wellFormed(method, RpcReceipts.simulation(answer))
    if (simulated.length !== calls.length) return yield* unavailable(method, "another number of calls in the answer")
    return simulated
  })

  const feesPerGas: ChainClient["feesPerGas"] = Effect.gen(function* () {
    const method = "eth_feeHistory"
    return feesFrom(yield* asFeeHistory(method, yield* read(method, [numberToHex(FEE_BLOCKS), "latest", [50]])))
  }).pipe(Effect.withSpan("Chains.feesPerGas"))

  /**
   * Tries every endpoint, since sending the same bytes twice is harmless. Once an endpoint may have accepted them, the refusal of
   * another proves nothing, and only "already known" is certain.
   */
  const send: ChainClient["send"] = Effect.fnUntraced(function* (raw) {
    const method = "eth_sendRawTransaction"
    const hash = Keccak.hash(raw)
    const doubts: Array<string> = []
    let rejection: SendRejected | undefined
    const attempt = (endpoint: JsonRpc.Endpoint) =>
      Effect.matchEffect(endpoint.request(method, [raw]), {
        onSuccess: (answer) => {
          if (String(answer).toLowerCase() === hash) return Effect.succeed(hash)
          doubts.push(`${endpoint.name}: answered with another hash`)
          return Effect.fail("doubtful" as const)
        },
        onFailure: (failure) => {
          const said = failure._tag === "RpcError" ? RpcErrors.sendOutcome(failure) : undefined
          if (said?._tag === "Known") return Effect.succeed(hash)
          if (said?._tag === "Rejected") {
            rejection ??= new SendRejected({ chainId: chain.id, reason: said.reason, detail: failure.message })
            return Effect.fail("rejected" as const)
          }
          doubts.push(failure.message)
          return Effect.fail("doubtful" as const)
        }
      })
    const outcome = yield* Effect.result(pool.first(attempt))
    if (outcome._tag === "Success") return outcome.success
    if (doubts.length === 0 && rejection !== undefined) return yield* rejection
    return yield* unavailable(method, doubts.join("; "))
  })

  const receipt: ChainClient["receipt"] = Effect.fnUntraced(function* (hash) {
    const method = "eth_getTransactionReceipt"
    return Option.fromNullOr(yield* wellFormed(method, RpcReceipts.receipt(yield* read(method, [hash]))))
  })

  const logs: ChainClient["logs"] = Effect.fnUntraced(function* ({ address, fromBlock, toBlock, topics }) {
    const filter = { address, topics, fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }
    return yield* wellFormed("eth_getLogs", RpcReceipts.logs(yield* read("eth_getLogs", [filter])))
  })

  const heads = yield* JsonRpcHeads.make({ chain, block }, wsUrl)

  return {
    chain,
    heads,
    block,
    code,
    balance,
    transactionCount,
    accounts,
    call,
    simulate,
    feesPerGas,
    send,
    receipt,
    logs
  } satisfies ChainClient
})

/** Chains over HTTP endpoints. No node is asked before the first use. A node of another chain is never used. */
export const layer = (
  chains: ReadonlyArray<ChainEndpoints>,
  { hedgeAfter, maxBatch, timeout }: Options = defaults
): Layer.Layer<Chains, never, HttpClient.HttpClient> =>
  Layer.effect(
    Chains,
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const all = yield* Effect.forEach(chains, ({ chain, rpcUrls, wsUrl }) =>
        Effect.flatMap(
          Effect.forEach(rpcUrls, (url) =>
            JsonRpc.verified(JsonRpcBatch.make(JsonRpcHttp.make(http, url, timeout), { maxBatch }), chain.id)
          ),
          (endpoints) => makeClient(chain, JsonRpcPool.make(endpoints, { hedgeAfter }), wsUrl)
        )
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
