/**
 * Steps in which every second request to a chain meets a fault, as behind a load balancer with a broken node: an HTTP error, a
 * useless answer, or the answer of a node that is behind or on a fork.
 */
import { Effect } from "effect"
import { type Hex, keccak256, numberToHex } from "viem"
import {
  type Answer,
  type Call,
  cut,
  delay,
  pass,
  type Reaction,
  refuse,
  rewrite
} from "../../test/support/FaultProxy.ts"
import type { Place } from "../Holdings.ts"
import { indexedTo, isAbout } from "./ChainFaults.ts"
import { REORG_ALERTS } from "./KillsAndReorgs.ts"
import { besides, otherOf, type Side, type Stage, type Step } from "./Step.ts"

export const RPC_FAULTS = [
  "429",
  "5xx",
  "cut answers",
  "wrong ids",
  "slow answers",
  "node behind",
  "node on a fork"
] as const
export type RpcFault = (typeof RPC_FAULTS)[number]

const SLOW_MILLIS = 1_200
const BLOCKS_BEHIND = 5n
/** Blocks at the top that a fork has otherwise. */
const FORKED_BLOCKS = 3n

type Responding = (call: Call) => Reaction

const heightOf = ({ dev }: Place) => Effect.promise(() => dev.node.client.getBlockNumber({ cacheTime: 0 }))

/** A request that names no block number names the newest one. */
const isTag = (param: unknown): boolean => param === "latest" || param === "pending"

const asNumber = (param: unknown): bigint | undefined =>
  typeof param === "string" && /^0x[0-9a-f]{1,16}$/.test(param) ? BigInt(param) : undefined

/** Position of the block among the parameters. */
const BLOCK_PARAM: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1
}

const INDEXED = new Set(["eth_getTransactionReceipt", "eth_getBlockReceipts", "eth_getLogs"])

/** The answer of a node whose newest block is `top`. */
export const asOf = (place: Place, { method, params }: Call, top: bigint): Reaction => {
  if (method === "eth_blockNumber") return () => Effect.succeed({ result: numberToHex(top) })
  const position = BLOCK_PARAM[method]
  if (position !== undefined && (asNumber(params[position]) ?? 0n) > top) return () => Effect.succeed({ result: null })
  if (position !== undefined && isTag(params[position])) {
    const older = params.map((param, index) => (index === position ? numberToHex(top) : param))
    return () => asked(place, method, older)
  }
  return INDEXED.has(method)
    ? rewrite((answer) => (answer.error === undefined ? { result: indexedTo(top)(answer.result) } : answer))
    : pass
}

/** The answer of the node itself, errors included. */
const asked = ({ dev }: Place, method: string, params: ReadonlyArray<unknown>): Effect.Effect<Answer> =>
  Effect.promise(async (signal): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    const headers = { "content-type": "application/json" }
    return (await fetch(dev.rpcUrl, { method: "POST", headers, body, signal })).json()
  })

/** Gives the blocks above `top` other hashes, wherever an answer names them. */
export const forked = (value: unknown, top: bigint): unknown => {
  if (Array.isArray(value)) return value.map((each) => forked(each, top))
  if (typeof value !== "object" || value === null) return value
  const fields = new Map<string, unknown>(Object.entries(value))
  const number = fields.has("parentHash") ? asNumber(fields.get("number")) : undefined
  /** Heights of the blocks whose hashes the fields are. */
  const heights = new Map([
    ["hash", number],
    ["parentHash", number === undefined ? undefined : number - 1n],
    ["blockHash", asNumber(fields.get("blockNumber"))]
  ])
  return Object.fromEntries(
    Array.from(fields, ([key, field]) => {
      const isOther = (heights.get(key) ?? 0n) > top && typeof field === "string"
      return [key, isOther ? keccak256(field as Hex) : forked(field, top)]
    })
  )
}

const responding = (fault: RpcFault, place: Place): Responding => {
  switch (fault) {
    case "429":
      return () => refuse(429)
    case "5xx":
      return () => refuse(503)
    case "cut answers":
      return () => cut
    case "wrong ids":
      return () => rewrite((answer) => ({ ...answer, id: "of another request" }))
    case "slow answers":
      return () => delay(SLOW_MILLIS)
    case "node behind":
      return (call) => (forward) =>
        Effect.flatMap(heightOf(place), (height) => asOf(place, call, height - BLOCKS_BEHIND)(forward))
    case "node on a fork":
      return () => (forward) =>
        Effect.flatMap(heightOf(place), (height) =>
          rewrite((answer) => ({ ...answer, result: forked(answer.result, height - FORKED_BLOCKS) }))(forward)
        )
  }
}

/** Every second request of each replica meets the fault until the scope closes. */
const meeting = ({ world }: Stage, side: Side, react: Responding) =>
  Effect.forEach(
    world.slots,
    (slot) => {
      let count = 0
      return Effect.acquireRelease(
        slot[side].react((call) => {
          count += 1
          return count % 2 === 0 ? react(call) : pass
        }),
        () => slot[side].react(() => pass)
      )
    },
    { discard: true }
  )

export const faultyNode = (
  { fault, millis, side }: { readonly fault: RpcFault; readonly millis: number; readonly side: Side },
  chainId: number
): Step => ({
  name: `${fault} of every second request to ${side} (${millis} ms)`,
  explains: (alarm) => isAbout(chainId)(alarm) || (fault === "node on a fork" && REORG_ALERTS.has(alarm.kind)),
  mayFail: false,
  play: (stage) => {
    const { traffic, world } = stage
    const [faulty, healthy] = [world[side], world[otherOf(side)]]
    return Effect.gen(function* () {
      yield* meeting(stage, side, responding(fault, faulty))
      yield* Effect.forEach([undefined, undefined, healthy], (destination) => traffic.hindered(faulty, destination), {
        discard: true
      })
      return yield* besides(stage, healthy, millis)
    }).pipe(Effect.scoped)
  }
})
