/**
 * Reads logs in windows that each endpoint accepts. Endpoints limit the width of a range, from 10 blocks to none, and the size of
 * the answer. The accepted width is remembered for each endpoint.
 *
 * An endpoint answers a range beyond its head with the logs that it has, so each is asked for blocks that it has. Where no endpoint
 * that serves logs has the newest blocks, a read in the order `oldest` waits for them briefly. Blocks that are still missing are unread.
 */
import { Clock, Effect } from "effect"
import { numberToHex } from "viem"
import type { BlockRange, ChainClient, Log, LogFilter } from "../../../ports/shared/Chains.ts"
import { type Endpoint, EndpointFailed, type RpcFailure } from "../rpc/JsonRpc.ts"
import * as LogRefusals from "../rpc/LogRefusals.ts"
import * as LogWindow from "../rpc/LogWindow.ts"
import * as Receipts from "../rpc/Receipts.ts"
import { make as makeRequests, NoRequestLeft, type Requests, type Taken, withRequest } from "./LogRequests.ts"
import type { Node } from "./Node.ts"

const METHOD = "eth_getLogs"

/**
 * Requests of one read, including those that are refused for their width. A limit of 10 blocks then allows more than 300 blocks. One
 * that fails otherwise does not count, so that an endpoint without logs leaves the others their requests.
 */
const REQUESTS = 40

/** Time in which one read waits for endpoints that are behind, in milliseconds. */
const CATCH_UP_MILLIS = 3_000

/** Pause between two questions for the head of an endpoint that is behind, in milliseconds. */
const CATCH_UP_PAUSE_MILLIS = 500

/** Part of a range that an endpoint has read. Undefined if the requests were used up by refusals. */
interface Part {
  readonly read: BlockRange | undefined
  readonly logs: ReadonlyArray<Log>
}

const NOTHING: Part = { read: undefined, logs: [] }

/** State of one read. */
interface Reading extends Requests {
  readonly filter: LogFilter
  readonly order: "oldest" | "newest"
  /** UNIX milliseconds until which it waits for endpoints that are behind. Undefined: it has not waited yet. */
  waitsUntil: number | undefined
  /** Endpoints that were behind in the newest round, with the block that each lacked. */
  readonly behind: Map<Endpoint, bigint>
}

/** Blocks to ask an endpoint for: a whole part of the range, or those of it that the endpoint has. */
type Extent = "whole" | "available"

/** The smallest range with both. */
const hull = (older: BlockRange | undefined, newer: BlockRange | undefined): BlockRange | undefined =>
  older === undefined || newer === undefined ? (older ?? newer) : { fromBlock: older.fromBlock, toBlock: newer.toBlock }

/** Blocks of the range that are newer than those read. */
const newer = (range: BlockRange, { toBlock }: BlockRange): BlockRange | undefined =>
  toBlock < range.toBlock ? { fromBlock: toBlock + 1n, toBlock: range.toBlock } : undefined

/** Makes `readPart`, which asks one endpoint for ever narrower parts, until it answers. */
const makeReadPart = ({ pool }: Node) => {
  const windows = new Map<Endpoint, LogWindow.LogWindow>()
  const windowOf = (endpoint: Endpoint) => windows.get(endpoint) ?? LogWindow.initial

  /** Next part of the range that the endpoint has. */
  const nextPart = Effect.fnUntraced(function* (
    endpoint: Endpoint,
    { behind, order }: Reading,
    range: BlockRange,
    extent: Extent
  ) {
    const part = LogWindow.part(windowOf(endpoint), range, order)
    const height = yield* pool.heightFor(endpoint, part.toBlock)
    if (height === undefined || height >= part.toBlock) return part
    if (extent === "available" && height >= range.fromBlock) {
      return LogWindow.part(windowOf(endpoint), { fromBlock: range.fromBlock, toBlock: height }, order)
    }
    behind.set(endpoint, part.toBlock)
    return yield* new EndpointFailed({ endpoint: endpoint.name, detail: "its head is old" })
  })

  /** Sends one request. Undefined if the endpoint refused the width. */
  const send = Effect.fnUntraced(function* (endpoint: Endpoint, filtered: LogFilter, asked: BlockRange, taken: Taken) {
    const { address, topics } = filtered
    const width = LogWindow.widthOf(asked)
    const filter = {
      // Not all nodes accept an empty list.
      ...(Array.isArray(address) && address.length === 0 ? {} : { address }),
      topics,
      fromBlock: numberToHex(asked.fromBlock),
      toBlock: numberToHex(asked.toBlock)
    }
    taken.counts = true
    const outcome = yield* Effect.result(endpoint.request(METHOD, [filter]))
    const now = yield* Clock.currentTimeMillis
    if (outcome._tag === "Success") {
      const logs = Receipts.logs(outcome.success)
      if (logs._tag === "None") {
        taken.counts = false
        return yield* new EndpointFailed({ endpoint: endpoint.name, detail: `a malformed answer to ${METHOD}` })
      }
      windows.set(endpoint, LogWindow.granted(windowOf(endpoint), width, now))
      return { read: asked, logs: logs.value } satisfies Part
    }
    const { failure } = outcome
    const refusal = failure._tag === "RpcError" ? LogRefusals.refusalOf(failure) : undefined
    if (refusal === undefined) {
      taken.counts = false
      if (failure._tag === "EndpointFailed") {
        windows.set(endpoint, LogWindow.unanswered(windowOf(endpoint), width))
      }
      return yield* Effect.fail(failure)
    }
    windows.set(endpoint, LogWindow.refused(windowOf(endpoint), width, refusal, now))
    return width === 1n ? yield* Effect.fail(failure) : undefined
  })

  /** Fails with `NoRequestLeft` once the requests of the whole read are used, and the endpoint may borrow none. */
  return Effect.fnUntraced(function* (endpoint: Endpoint, reading: Reading, range: BlockRange, extent: Extent) {
    for (;;) {
      const part = yield* withRequest(reading, endpoint, (taken) =>
        Effect.flatMap(nextPart(endpoint, reading, range, extent), (asked) =>
          send(endpoint, reading.filter, asked, taken)
        )
      )
      if (part !== undefined) return part
    }
  })
}

/** Makes `next`, which reads the next part of a range: a whole one, or else the blocks that an endpoint has. */
const makeNext = (node: Node) => {
  const { pool } = node
  const readPart = makeReadPart(node)

  /** Asks the endpoints, or only some of them. */
  const ask = (reading: Reading, range: BlockRange, extent: Extent, only?: ReadonlySet<Endpoint>) =>
    Effect.suspend(() => {
      reading.short.clear()
      return pool.first(
        (endpoint) =>
          only === undefined || only.has(endpoint)
            ? readPart(endpoint, reading, range, extent)
            : Effect.fail(new NoRequestLeft()),
        { method: METHOD }
      )
    })

  /** One round over the endpoints. Reads nothing if none of them has read a part and no request is left. */
  const round = Effect.fnUntraced(function* (
    reading: Reading,
    range: BlockRange,
    extent: Extent
  ): Effect.fn.Return<Part, RpcFailure> {
    reading.behind.clear()
    reading.borrowers.clear()
    let failed: RpcFailure | undefined
    let only: ReadonlySet<Endpoint> | undefined
    for (;;) {
      const outcome = yield* Effect.result(ask(reading, range, extent, only))
      if (outcome._tag === "Success") return outcome.success
      if (outcome.failure._tag !== "NoRequestLeft") failed = outcome.failure
      const short = new Set(reading.short)
      if (short.size > 0 && reading.left <= 0) return NOTHING
      // The last request failed after these endpoints had found none left, so that it is theirs now.
      if (short.size === 0 || short.size >= (only?.size ?? Infinity)) break
      only = short
    }
    return failed === undefined ? NOTHING : yield* Effect.fail(failed)
  })

  /** True once one of the endpoints has the block that it lacked. False if none has it in time. */
  const caughtUp = Effect.fnUntraced(function* (reading: Reading) {
    const lacking = [...reading.behind]
    const now = yield* Clock.currentTimeMillis
    reading.waitsUntil ??= now + CATCH_UP_MILLIS
    const has = ([endpoint, block]: readonly [Endpoint, bigint]) =>
      Effect.match(pool.heightFor(endpoint, block), {
        onFailure: () => false,
        onSuccess: (height) => height === undefined || height >= block
      })
    const isOneThere = Effect.andThen(
      Effect.sleep(CATCH_UP_PAUSE_MILLIS),
      Effect.map(Effect.forEach(lacking, has, { concurrency: "unbounded" }), (all) => all.includes(true))
    )
    return yield* Effect.repeat(isOneThere, { until: (isThere) => isThere }).pipe(
      Effect.timeoutOrElse({ duration: Math.max(0, reading.waitsUntil - now), orElse: () => Effect.succeed(false) })
    )
  })

  return Effect.fnUntraced(function* (reading: Reading, range: BlockRange) {
    const whole = yield* Effect.result(round(reading, range, "whole"))
    if (whole._tag === "Success") return whole.success
    if (reading.behind.size === 0) return yield* Effect.fail(whole.failure)
    if (reading.order === "oldest" && (yield* caughtUp(reading))) {
      const again = yield* Effect.result(round(reading, range, "whole"))
      if (again._tag === "Success") return again.success
    }
    return yield* round(reading, range, "available")
  })
}

/** Makes `logs` of a chain. */
export const make = (node: Node): ChainClient["logs"] => {
  const next = makeNext(node)

  return Effect.fnUntraced(function* (filter) {
    const { fromBlock, order = "oldest", requests = REQUESTS, toBlock, until } = filter
    const reading: Reading = {
      filter,
      order,
      ...makeRequests(requests),
      waitsUntil: undefined,
      behind: new Map()
    }
    const logs: Array<Log> = []
    /** Newest blocks that no endpoint has. */
    let missing: BlockRange | undefined
    let unread: BlockRange | undefined = toBlock < fromBlock ? undefined : { fromBlock, toBlock }
    while (unread !== undefined && reading.left > 0) {
      const range: BlockRange = unread
      const outcome = yield* Effect.result(next(reading, range))
      if (outcome._tag === "Failure") {
        // A part was read, and nobody has the rest.
        if (reading.behind.size > 0 && LogWindow.widthOf(range) <= toBlock - fromBlock) break
        return yield* Effect.fail(node.failed(METHOD, outcome.failure))
      }
      const part = outcome.success
      if (part.read === undefined) break
      logs.push(...part.logs)
      unread = LogWindow.rest(range, part.read, order)
      if (order === "newest") missing = hull(newer(range, part.read), missing)
      if (until !== undefined && part.logs.some(until)) break
    }
    const left = hull(unread, missing)
    return left === undefined ? { logs } : { logs, unread: left }
  })
}
