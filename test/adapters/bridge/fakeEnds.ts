/** Two chains whose nodes say what a test wants: a source whose guard lists targets, and a destination with transactions. */
import { Effect, Layer, Option } from "effect"
import { encodeEventTopics, encodeFunctionResult, erc20Abi, multicall3Abi, numberToHex, zeroHash } from "viem"
import type { Address } from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import type { Hash, Hex } from "../../../src/domain/Hex.ts"
import type { NamedTarget } from "../../../src/domain/SwapTarget.ts"
import {
  type Block,
  type CallRequest,
  type ChainClient,
  Chains,
  type Log,
  type Receipt,
  UnsupportedChain
} from "../../../src/ports/shared/Chains.ts"
import { address, chain, client } from "../../support/FakeChain.ts"

export const hash = (number: number): Hash => numberToHex(number, { size: 32 })

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })

export const blockOf = (number: bigint, timestamp = number * 10n): Block => ({
  number,
  hash: hash(Number(number)),
  parentHash: zeroHash,
  timestamp,
  baseFeePerGas: 1n,
  gasLimit: 30_000_000n
})

export const log = (
  address: Address,
  topics: ReadonlyArray<Hash>,
  data: Hex,
  transactionHash: Hash,
  logIndex = 0
): Log => ({ address, topics, data, blockNumber: 1n, blockHash: hash(1), transactionHash, logIndex })

/** A transfer of an ERC-20. */
export const transfer = (
  token: Address,
  to: Address,
  value: bigint,
  transactionHash: Hash,
  logIndex = 0,
  from: Address = address(0x99)
): Log => {
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: { from, to } })
  return log(token, topics as ReadonlyArray<Hash>, word(value), transactionHash, logIndex)
}

export const receiptOf = (transactionHash: Hash, blockNumber: bigint, logs: ReadonlyArray<Log>): Receipt => ({
  transactionHash,
  blockNumber,
  blockHash: hash(Number(blockNumber)),
  status: "success",
  gasUsed: 1n,
  effectiveGasPrice: 1n,
  logs
})

/** Answers of the nodes. A test changes them. */
export interface Ends {
  head: bigint
  /** Receipts on both chains. */
  readonly receipts: Map<Hash, Receipt>
  /** True if the endpoint that is asked first has deleted its receipts. */
  isPruned: boolean
  /** Targets that the guard lists as bridges. */
  readonly listed: Set<Address>
  /** Looks at the guard's list. */
  reads: number
}

/** SpokePool of the destination. */
export const POOL = address(0x5b)

/** SpokePool that the destination had before. */
export const FORMER_POOL = address(0x5d)

/** Contracts of an earlier generation on the destination. */
export const EARLIER = { guard: address(0xe1), delegate: address(0xe2), entry: address(0xe3) }

export const SOURCE = 31337
export const DESTINATION = 31338

/** More that the nodes answer. */
export interface More {
  /** Targets of the destination. Default: none. */
  readonly destinationTargets?: ReadonlyArray<NamedTarget>
  /** SpokePools of the source. Default: none. */
  readonly sourcePools?: Pick<Chain, "spokePool" | "formerSpokePools">
  /** Answers to calls of other contracts than the guard. Undefined: the guard's answer. */
  readonly call?: (chainId: number, request: CallRequest) => Hex | undefined
  readonly logs?: ChainClient["logs"]
}

export const make = (
  targets: ReadonlyArray<NamedTarget>,
  tokens: Chain["tokens"] = chain.tokens,
  { call, destinationTargets = [], logs, sourcePools = {} }: More = {}
) => {
  const ends: Ends = {
    head: 100n,
    receipts: new Map(),
    isPruned: false,
    listed: new Set(targets.map((target) => target.address)),
    reads: 0
  }
  const answers = {
    ...(logs === undefined ? {} : { logs }),
    block: (which: "latest" | bigint) => {
      const number = which === "latest" ? ends.head : which
      return Effect.succeed(number > ends.head ? Option.none() : Option.some(blockOf(number)))
    },
    receipt: (wanted: Hash, scope?: "everywhere") =>
      Effect.succeed(
        ends.isPruned && scope === undefined ? Option.none() : Option.fromUndefinedOr(ends.receipts.get(wanted))
      )
  }
  const calls = (chainId: number) => (request: CallRequest) =>
    Effect.sync(() => {
      const answer = call?.(chainId, request)
      if (answer !== undefined) return answer
      ends.reads += 1
      const words = targets.flatMap((target) => {
        const active = ends.listed.has(target.address) ? 1n : 0n
        return [word(active), word(0n), word(active)]
      })
      return encodeFunctionResult({
        abi: multicall3Abi,
        functionName: "aggregate3",
        result: words.map((returnData) => ({ success: true, returnData }))
      })
    })
  const source = {
    ...client({ ...answers, call: calls(SOURCE) }),
    chain: {
      ...chain,
      id: SOURCE,
      name: "source",
      targets,
      tokens,
      ...sourcePools
    }
  }
  const destination = {
    ...client({ ...answers, call: calls(DESTINATION) }),
    chain: {
      ...chain,
      id: DESTINATION,
      name: "destination",
      targets: destinationTargets,
      confirmations: 3,
      tokens,
      spokePool: POOL,
      formerSpokePools: [FORMER_POOL],
      earlierContracts: [EARLIER]
    }
  }
  const all = [source, destination]
  return {
    ends,
    layer: Layer.succeed(Chains, {
      all,
      get: (chainId) => {
        const found = all.find((each) => each.chain.id === chainId)
        return found === undefined ? Effect.fail(new UnsupportedChain({ chainId })) : Effect.succeed(found)
      }
    })
  }
}
