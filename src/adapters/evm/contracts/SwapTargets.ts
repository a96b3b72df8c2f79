/** Reads the guard's list of swap targets, and encodes its changes. */
import { Effect, Option } from "effect"
import { decodeEventLog, encodeEventTopics, encodeFunctionData, erc20Abi, numberToHex, zeroAddress } from "viem"
import * as Address from "../../../domain/Address.ts"
import type { Hex } from "../../../domain/Hex.ts"
import type { TargetKind, TargetListing } from "../../../domain/SwapTarget.ts"
import { type ChainClient, ChainUnavailable, type Log } from "../../../ports/shared/Chains.ts"
import { sweepGuard } from "../abi/contracts.generated.ts"
import * as Multicall3 from "../codec/Multicall3.ts"

/** Members of the contract's `Kind`. */
const KINDS = ["router", "bridge"] as const satisfies ReadonlyArray<TargetKind>

const { abi } = sweepGuard

/** Calldata of `setTarget`. A removal names a kind too, which the guard ignores. */
export const encodeSet = (target: Address.Address, kind: TargetKind, isAllowed: boolean): Hex =>
  encodeFunctionData({ abi, functionName: "setTarget", args: [target, KINDS.indexOf(kind), isAllowed] })

const activeFrom = (target: Address.Address): Hex =>
  encodeFunctionData({ abi, functionName: "activeFrom", args: [target] })

const isTarget = (target: Address.Address, kind: TargetKind): Hex =>
  encodeFunctionData({ abi, functionName: "isTarget", args: [target, KINDS.indexOf(kind)] })

const noGuard = ({ chain }: ChainClient, guard = chain.contracts.guard) =>
  new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: `no guard at ${guard}` })

/** Reads the state of targets, in their order, in one request. */
export const read = Effect.fn("SwapTargets.read")(function* (
  client: ChainClient,
  targets: ReadonlyArray<Address.Address>
): Effect.fn.Return<ReadonlyArray<TargetListing>, ChainUnavailable> {
  if (targets.length === 0) return []
  const to = client.chain.contracts.guard
  const calls = targets.flatMap((target) => [
    { to, data: activeFrom(target) },
    ...KINDS.map((kind) => ({ to, data: isTarget(target, kind) }))
  ])
  const answers = (yield* Multicall3.read(client, calls)).map((answer) => Multicall3.word(answer))
  const words = Option.all(answers)
  if (Option.isNone(words)) return yield* noGuard(client)
  return targets.map((address, index) => {
    const [from = 0n, ...active] = words.value.slice(index * 3, index * 3 + 3)
    const kind = KINDS.find((_, position) => active[position] === 1n)
    return { address, activeFrom: from, ...(kind === undefined ? {} : { kind }) }
  })
})

export interface GuardFacts {
  readonly owner: Address.Address
  /** Seconds between the proposal of a target and the first sweep that may call it. */
  readonly timelockSeconds: bigint
}

/** Owner and timelock of a guard of any generation. Default: the current one. */
export const facts = Effect.fn("SwapTargets.facts")(function* (
  client: ChainClient,
  to: Address.Address = client.chain.contracts.guard
) {
  const answers = yield* Multicall3.read(client, [
    { to, data: encodeFunctionData({ abi, functionName: "owner" }) },
    { to, data: encodeFunctionData({ abi, functionName: "timelock" }) }
  ])
  const words = Option.all(answers.map((answer) => Multicall3.word(answer)))
  if (Option.isNone(words)) return yield* noGuard(client, to)
  const [owner = 0n, timelockSeconds = 0n] = words.value
  return { owner: Address.of(numberToHex(owner, { size: 20 })), timelockSeconds } satisfies GuardFacts
})

/** True if the contract answers as a token does. As a target it could move an owner's other funds. */
export const looksLikeToken = Effect.fn("SwapTargets.looksLikeToken")(function* (
  client: ChainClient,
  target: Address.Address
) {
  const [allowance = Option.none()] = yield* Multicall3.read(client, [
    { to: target, data: encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args: [zeroAddress, target] }) }
  ])
  return Option.isSome(Multicall3.word(allowance))
})

const [ADDED] = encodeEventTopics({ abi, eventName: "TargetAdded" })
const [REMOVED] = encodeEventTopics({ abi, eventName: "TargetRemoved" })

const changeIn = Option.liftThrowable(({ data, topics }: Log) => {
  const event = decodeEventLog({ abi, data, topics: topics as [Hex, ...ReadonlyArray<Hex>] })
  if (event.eventName === "TargetRemoved") return { target: Address.of(event.args.target), kind: undefined }
  if (event.eventName !== "TargetAdded") throw new Error("another event")
  return { target: Address.of(event.args.target), kind: KINDS[event.args.kind] }
})

/**
 * Kind of each target by the guard's latest event about it; undefined for a removed one. `unreadUpTo` is the newest block that was
 * not searched: endpoints limit how far back a search comes.
 */
export const history = Effect.fn("SwapTargets.history")(function* (client: ChainClient) {
  const head = yield* client.block("latest")
  const { logs, unread } = yield* client.logs({
    address: client.chain.contracts.guard,
    topics: [[ADDED, REMOVED]],
    fromBlock: 0n,
    toBlock: Option.match(head, { onNone: () => 0n, onSome: ({ number }) => number }),
    order: "newest"
  })
  const ordered = logs.toSorted((a, b) =>
    a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : a.blockNumber < b.blockNumber ? -1 : 1
  )
  const kinds = new Map(
    ordered.flatMap((log) => Option.toArray(changeIn(log))).map(({ kind, target }) => [target, kind] as const)
  )
  return { kinds, unreadUpTo: unread?.toBlock }
})
