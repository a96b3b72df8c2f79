/** Nodes that say what a test wants, behind an HTTP client that never leaves the process. */
import { type Duration, Effect, Layer } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as EvmChains from "../../../../src/adapters/evm/chains/Chains.ts"
import type { RpcEndpoint } from "../../../../src/domain/RpcEndpoint.ts"
import { type ChainClient, Chains } from "../../../../src/ports/shared/Chains.ts"
import { settled } from "../../../support/EventLoop.ts"
import { chain } from "../../../support/FakeChain.ts"

/** Reaction of a scripted node to a request. */
export type Reaction =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly status: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly afterMillis: number; readonly result: unknown }
  | "refuse connection"
  | "hang"

export type Node = (method: string, params: ReadonlyArray<unknown>) => Reaction

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Reaction of a node to a batch. Default: it answers each call. */
export type OnBatch = (calls: ReadonlyArray<Call>, answer: (call: Call) => unknown) => Response | "hang"

/**
 * Nodes by host; all but `elsewhere` are on the right chain. `log` says who was asked for what, in order, and `requests` who
 * was sent how many calls in one request, without checks of the chain. `limits` are those that an operator states, by host.
 * `broadcasting` are the hosts to which only transactions are sent, and `privately` those to which they are sent first.
 */
export const network = (
  nodes: Record<string, Node>,
  onBatch?: OnBatch,
  limits: Readonly<Record<string, Omit<RpcEndpoint, "url">>> = {},
  broadcasting: ReadonlyArray<string> = [],
  privately: ReadonlyArray<string> = []
) => {
  const log: Array<string> = []
  const requests: Array<string> = []
  const reactionOf = (host: string, { method, params }: Call): Reaction =>
    method === "eth_chainId" && host !== "elsewhere"
      ? { result: `0x${chain.id.toString(16)}` }
      : (nodes[host]?.(method, params) ?? "refuse connection")
  const answerOf = (host: string, call: Call) => {
    const reaction = reactionOf(host, call)
    return typeof reaction === "object" && !("status" in reaction)
      ? { jsonrpc: "2.0", id: call.id, ...reaction }
      : { jsonrpc: "2.0", id: call.id, error: { code: -32_603, message: "cannot be scripted in a batch" } }
  }

  const http = HttpClient.make((request, url) => {
    const sent = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
    const body = JSON.parse(sent) as Call | ReadonlyArray<Call>
    const calls = [body].flat()
    const host = url.hostname
    for (const { method } of calls) log.push(`${host} ${method}`)
    const answered = (response: Response) => Effect.succeed(HttpClientResponse.fromWeb(request, response))
    if (Array.isArray(body)) {
      requests.push(`${host} ${body.length}`)
      const all = (each: (call: Call) => unknown) => Response.json(body.map(each))
      const said = onBatch?.(body, (call) => answerOf(host, call)) ?? all((call) => answerOf(host, call))
      return said === "hang" ? Effect.never : answered(said)
    }
    const [call] = calls
    if (call === undefined) return Effect.die("an empty request")
    if (call.method !== "eth_chainId") requests.push(`${host} 1`)
    const reaction = reactionOf(host, call)
    if (reaction === "hang") return Effect.never
    if (reaction === "refuse connection") {
      const reason = new HttpClientError.TransportError({ request, description: "connection refused" })
      return Effect.fail(new HttpClientError.HttpClientError({ reason }))
    }
    if ("status" in reaction) {
      const { headers = {}, status, text } = reaction
      return answered(new Response(text, { status, headers }))
    }
    const response = answered(Response.json({ jsonrpc: "2.0", id: call.id, ...reaction }))
    return "afterMillis" in reaction ? Effect.delay(response, reaction.afterMillis) : response
  })
  const urlOf = (host: string) => ({ url: `http://${host}/v2/secret-api-key`, ...limits[host] })
  const rpcUrls = Object.keys(nodes)
    .filter((host) => !broadcasting.includes(host) && !privately.includes(host))
    .map(urlOf)
  const endpoints = { rpcUrls, broadcastUrls: broadcasting.map(urlOf), privateUrls: privately.map(urlOf) }
  const layer = EvmChains.layer([{ chain, ...endpoints }]).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, http))
  )
  const use = <A, E>(body: (client: ChainClient) => Effect.Effect<A, E>) =>
    Effect.flatMap(Chains, (chains) => Effect.flatMap(chains.get(chain.id), body)).pipe(Effect.provide(layer))
  return { log, requests, use }
}

/** Lets time pass after what can happen now has happened, and lets happen what is due then. */
export const pass = (duration: Duration.Input): Effect.Effect<void> =>
  settled.pipe(Effect.andThen(TestClock.adjust(duration)), Effect.andThen(settled))
