/** CCTP with a stub in place of Circle's API, and two chains whose contracts of CCTP say what a test wants. */
import { Context, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import {
  concatHex,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  sliceHex
} from "viem"
import * as Cctp from "../../../src/adapters/bridge/Cctp.ts"
import { contractsAbi } from "../../../src/adapters/bridge/CctpContracts.ts"
import { word } from "../../../src/adapters/bridge/CctpDeposit.ts"
import * as MemoryIdempotency from "../../../src/adapters/memory/shared/Idempotency.ts"
import * as Health from "../../../src/adapters/providers/Health.ts"
import type { Address } from "../../../src/domain/Address.ts"
import type { Hash, Hex } from "../../../src/domain/Hex.ts"
import type { BridgeRequest } from "../../../src/ports/orchestrator/Bridge.ts"
import { type CallRequest, type ChainClient, ChainUnavailable, type Log } from "../../../src/ports/shared/Chains.ts"
import { Idempotency } from "../../../src/ports/shared/Idempotency.ts"
import { address } from "../../support/FakeChain.ts"
import { type Answer, StubServer } from "../../support/StubServer.ts"
import * as FakeEnds from "./fakeEnds.ts"

/** Circle's numbers of the two chains. */
export const DOMAINS = { source: 6, destination: 3 } as const

export const CONTRACTS = {
  source: { messenger: address(0x61), transmitter: address(0x62), minter: address(0x63) },
  destination: { messenger: address(0x71), transmitter: address(0x72), minter: address(0x73) }
} as const

/** 1,000 USDC. */
export const request: BridgeRequest = {
  sourceChainId: FakeEnds.SOURCE,
  destChainId: FakeEnds.DESTINATION,
  tokenIn: address(0x11),
  tokenOut: address(0x22),
  amountIn: 1_000_000_000n,
  depositor: address(0x33),
  recipient: address(0x44),
  slippageBps: 50,
  deadline: 2n ** 40n
}

const forwardFee = { low: 200_000, med: 210_000, high: 220_000 }

/** Recorded shape of `GET /v2/burn/USDC/fees/{source}/{destination}?forward=true`. */
export const FEES: Answer = {
  status: 200,
  body: [
    { finalityThreshold: 1_000, minimumFee: 1.3, forwardFee },
    { finalityThreshold: 2_000, minimumFee: 0, forwardFee }
  ]
}

/** Answers of the contracts. A test changes them. */
const facts = () => ({
  /** Calls that they answered. */
  asked: 0,
  limit: 10_000_000_000_000n,
  minted: request.tokenOut as Address,
  domains: { ...DOMAINS } as Record<"source" | "destination", number>,
  /** Messengers that each end takes for the other one's. */
  trusted: { source: CONTRACTS.destination.messenger, destination: CONTRACTS.source.messenger } as Record<
    "source" | "destination",
    Address
  >
})

const answering =
  (said: ReturnType<typeof facts>) =>
  (chainId: number, { data, to }: CallRequest): Hex | undefined => {
    const end = chainId === FakeEnds.SOURCE ? "source" : "destination"
    const { messenger, minter, transmitter } = CONTRACTS[end]
    if (![messenger, minter, transmitter].some((each) => each === to)) return undefined
    said.asked += 1
    const { functionName } = decodeFunctionData({ abi: contractsAbi, data })
    const result = {
      localMessageTransmitter: transmitter,
      localMinter: minter,
      remoteTokenMessengers: word(said.trusted[end]),
      localDomain: said.domains[end],
      burnLimitsPerMessage: said.limit,
      getLocalToken: said.minted
    }[functionName]
    return encodeFunctionResult({ abi: contractsAbi, functionName, result } as never)
  }

export const scene = Effect.fnUntraced(function* (options: Partial<Cctp.Options> = {}) {
  const stub = yield* StubServer
  const said = facts()
  /** `blocks`: those that the node reads in one request. */
  const history = { logs: [] as ReadonlyArray<Log>, searches: 0, blocks: 1_000n, isSilent: false }
  const logs: ChainClient["logs"] = ({ address: of, fromBlock, requests = 40, toBlock, topics }) =>
    Effect.suspend(() => {
      history.searches += 1
      if (history.isSilent) {
        return Effect.fail(
          new ChainUnavailable({ chainId: FakeEnds.DESTINATION, method: "eth_getLogs", detail: "no answer" })
        )
      }
      const lowest = toBlock - history.blocks * BigInt(requests) + 1n
      const isRead = ({ blockNumber }: Log) =>
        blockNumber >= fromBlock && blockNumber >= lowest && blockNumber <= toBlock
      const read = history.logs.filter(
        (log) =>
          isRead(log) &&
          log.address === of &&
          topics.every((topic, index) => topic === null || log.topics[index] === topic)
      )
      return Effect.succeed({
        logs: read,
        ...(lowest > fromBlock ? { unread: { fromBlock, toBlock: lowest - 1n } } : {})
      })
    })
  const { ends, layer } = FakeEnds.make(
    [{ name: "cctp", kind: "bridge", address: CONTRACTS.source.messenger }],
    undefined,
    {
      call: answering(said),
      logs,
      destinationTargets: [{ name: "cctp", kind: "bridge", address: CONTRACTS.destination.messenger }]
    }
  )
  const environment = yield* Layer.build(Layer.mergeAll(layer, MemoryIdempotency.layer))
  const cctp = yield* Cctp.make({ apiUrl: stub.url, isOffered: true, bpsPerHour: 60, ...options }).pipe(
    Effect.provide(environment)
  )
  return { bridge: cctp.bridge, cctp, ends, history, keys: Context.get(environment, Idempotency), said, stub }
})

export const http = Layer.mergeAll(
  StubServer.answering(() => FEES),
  FetchHttpClient.layer,
  Health.layer
)

const events = parseAbi([
  "event MessageSent(bytes message)",
  "event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)",
  "event MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected)"
])

const BYTES = parseAbiParameters("bytes")

/** The log of a message that was sent. */
export const sentLog = (message: Hex, transactionHash: Hash): Log =>
  FakeEnds.log(
    CONTRACTS.source.transmitter,
    encodeEventTopics({ abi: events, eventName: "MessageSent" }) as ReadonlyArray<Hash>,
    encodeAbiParameters(BYTES, [message]),
    transactionHash
  )

/** A message as Circle attests to it. */
export const attested = (sent: Hex, nonce: Hash, fee: bigint): Hex =>
  concatHex([
    sliceHex(sent, 0, 12),
    nonce,
    sliceHex(sent, 44, 144),
    numberToHex(1_000, { size: 4 }),
    sliceHex(sent, 148, 148 + 164),
    numberToHex(fee, { size: 32 }),
    numberToHex(77n, { size: 32 }),
    sliceHex(sent, 148 + 228)
  ])

/** The logs of a mint: that of the messenger, then that of the transmitter. */
export const mintLogs = (
  message: Hex,
  transactionHash: Hash,
  amount: bigint,
  changes: { readonly recipient?: Address; readonly token?: Address; readonly sender?: Address } = {}
): readonly [Log, Log] => {
  const { messenger, transmitter } = CONTRACTS.destination
  const { recipient = request.recipient, sender = CONTRACTS.source.messenger, token = request.tokenOut } = changes
  const minted = encodeEventTopics({
    abi: events,
    eventName: "MintAndWithdraw",
    args: { mintRecipient: recipient, mintToken: token }
  })
  const received = encodeEventTopics({
    abi: events,
    eventName: "MessageReceived",
    args: { caller: address(0x99), nonce: sliceHex(message, 12, 44), finalityThresholdExecuted: 1_000 }
  })
  return [
    FakeEnds.log(
      messenger,
      minted as ReadonlyArray<Hash>,
      encodeAbiParameters(parseAbiParameters("uint256, uint256"), [amount, 0n]),
      transactionHash
    ),
    FakeEnds.log(
      transmitter,
      received as ReadonlyArray<Hash>,
      encodeAbiParameters(parseAbiParameters("uint32, bytes32, bytes"), [
        DOMAINS.source,
        word(sender),
        sliceHex(message, 148)
      ]),
      transactionHash,
      1
    )
  ]
}

/** Circle's answer about the messages of a transaction. */
export const told = (message: Hex, forwardTxHash?: Hash, forwardState?: string) => ({
  status: 200,
  body: {
    messages: [
      {
        message,
        eventNonce: message === "0x" ? null : sliceHex(message, 12, 44),
        attestation: message === "0x" ? "PENDING" : `0x${"ab".repeat(65)}`,
        status: message === "0x" ? "pending_confirmations" : "complete",
        ...(forwardTxHash === undefined ? {} : { forwardTxHash }),
        ...(forwardState === undefined ? {} : { forwardState })
      }
    ]
  }
})
