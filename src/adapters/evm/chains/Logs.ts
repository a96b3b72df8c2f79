/**
 * Reads logs in windows that each endpoint accepts. Endpoints limit the width of a range, from 10 blocks to none, and the size of
 * the answer. The accepted width is remembered for each endpoint. An endpoint answers a range beyond its head with the logs that it
 * has, so one with an old head is not asked.
 */
import { Clock, Effect } from "effect"
import { numberToHex } from "viem"
import type { BlockRange, ChainClient, Log, LogFilter } from "../../../ports/shared/Chains.ts"
import { type Endpoint, EndpointFailed } from "../rpc/JsonRpc.ts"
import * as LogRefusals from "../rpc/LogRefusals.ts"
import * as LogWindow from "../rpc/LogWindow.ts"
import * as Receipts from "../rpc/Receipts.ts"
import type { Node } from "./Node.ts"

const METHOD = "eth_getLogs"

/** Requests of one read, refused ones included. A limit of 10 blocks then allows more than 300 blocks. */
const REQUESTS = 40

/** Part of a range that an endpoint has read. Undefined if the requests were used up by refusals. */
interface Part {
  readonly read: BlockRange | undefined
  readonly logs: ReadonlyArray<Log>
}

const NOTHING: Part = { read: undefined, logs: [] }

/** Makes `logs` of a chain. */
export const make = ({ failed, pool }: Node): ChainClient["logs"] => {
  const windows = new Map<Endpoint, LogWindow.LogWindow>()
  const windowOf = (endpoint: Endpoint) => windows.get(endpoint) ?? LogWindow.initial

  /** Asks one endpoint for ever narrower parts, until it answers. `take` is false once the requests of the whole read are used. */
  const readPart = Effect.fnUntraced(function* (
    endpoint: Endpoint,
    { address, order = "oldest", topics }: LogFilter,
    range: BlockRange,
    take: () => boolean
  ) {
    while (take()) {
      const asked = LogWindow.part(windowOf(endpoint), range, order)
      const width = LogWindow.widthOf(asked)
      const filter = {
        // Not all nodes accept an empty list.
        ...(Array.isArray(address) && address.length === 0 ? {} : { address }),
        topics,
        fromBlock: numberToHex(asked.fromBlock),
        toBlock: numberToHex(asked.toBlock)
      }
      const outcome = yield* Effect.result(endpoint.request(METHOD, [filter]))
      const now = yield* Clock.currentTimeMillis
      if (outcome._tag === "Success") {
        const logs = Receipts.logs(outcome.success)
        if (logs._tag === "None") {
          return yield* new EndpointFailed({ endpoint: endpoint.name, detail: `a malformed answer to ${METHOD}` })
        }
        windows.set(endpoint, LogWindow.granted(windowOf(endpoint), width, now))
        return { read: asked, logs: logs.value } satisfies Part
      }
      const { failure } = outcome
      const refusal = failure._tag === "RpcError" ? LogRefusals.refusalOf(failure) : undefined
      if (refusal === undefined) {
        if (failure._tag === "EndpointFailed") {
          windows.set(endpoint, LogWindow.unanswered(windowOf(endpoint), width))
        }
        return yield* Effect.fail(failure)
      }
      windows.set(endpoint, LogWindow.refused(windowOf(endpoint), width, refusal, now))
      if (width === 1n) return yield* Effect.fail(failure)
    }
    return NOTHING
  })

  return Effect.fnUntraced(function* (filter) {
    const { fromBlock, order = "oldest", requests = REQUESTS, toBlock, until } = filter
    let left = requests
    const take = () => left-- > 0
    const logs: Array<Log> = []
    let unread: BlockRange | undefined = toBlock < fromBlock ? undefined : { fromBlock, toBlock }
    while (unread !== undefined) {
      if (left <= 0) break
      const range: BlockRange = unread
      const part = yield* Effect.mapError(
        pool.first((endpoint) =>
          Effect.andThen(pool.requireBlock(endpoint, range.toBlock), readPart(endpoint, filter, range, take))
        ),
        (failure) => failed(METHOD, failure)
      )
      if (part.read === undefined) break
      logs.push(...part.logs)
      unread = LogWindow.rest(range, part.read, order)
      if (until !== undefined && part.logs.some(until)) break
    }
    return unread === undefined ? { logs } : { logs, unread }
  })
}
