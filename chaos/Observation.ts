/** Reads what the checker compares: the chains' logs and blocks, the service's tables, the builder backend's mail. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { type Hex, parseAbi, parseEventLogs, slice } from "viem"
import type { DevChain } from "../src/devnet/DevChain.ts"
import type {
  Delivery,
  LaneTransaction,
  Observed,
  OutboxRow,
  Settlement,
  StoredIntent,
  StoredTransaction
} from "./Checker.ts"
import * as Pieces from "./Pieces.ts"

/** As the contracts' sources have it. */
const sweptAbi = parseAbi([
  "event Swept(bytes32 indexed orderHash, address indexed owner, address indexed builder, address tokenIn, uint256 amountIn, uint256 feeAmount, uint256 builderFee, address tokenOut, uint256 amountOut, address destination, address swapTarget, uint256 nonce, uint256 destChainId)"
])

/** As Across's SpokePool has it. */
const filledAbi = parseAbi([
  "struct RelayExecutionInfo { bytes32 updatedRecipient; bytes32 updatedMessageHash; uint256 updatedOutputAmount; uint8 fillType; }",
  "event FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, RelayExecutionInfo relayExecutionInfo)"
])

export interface World {
  readonly chains: ReadonlyArray<{ readonly dev: DevChain; readonly fromBlock: bigint }>
  /** Addresses, the same on every chain. */
  readonly lanes: ReadonlyArray<Hex>
  readonly sql: PgClient.PgClient
}

const settlements = ({ node, chain }: DevChain, fromBlock: bigint) =>
  node.ask("read the settlements", async (client): Promise<ReadonlyArray<Settlement>> => {
    const logs = await Pieces.logsSince(client, chain.contracts.guard, fromBlock)
    return Pieces.each(parseEventLogs({ abi: sweptAbi, logs }), async ({ args, logIndex, transactionHash }) => {
      const receipt = await client.getTransactionReceipt({ hash: transactionHash })
      return {
        chainId: chain.id,
        orderHash: args.orderHash,
        txHash: transactionHash,
        eventIndex: receipt.logs.findIndex((log) => log.logIndex === logIndex),
        owner: args.owner,
        token: args.tokenIn,
        amountIn: args.amountIn,
        feeAmount: args.feeAmount,
        feeRecipient: chain.feeRecipient,
        builder: args.builder,
        builderFee: args.builderFee,
        destChainId: Number(args.destChainId),
        tokenOut: args.tokenOut,
        amountOut: args.amountOut,
        destination: args.destination
      }
    })
  })

/** Addresses in the bridge's events are words. */
const ADDRESS_BYTES = 20

const deliveries = ({ node, chain, spokePool }: DevChain, fromBlock: bigint) =>
  node.ask("read the bridge's deliveries", async (client): Promise<ReadonlyArray<Delivery>> => {
    const logs = await Pieces.logsSince(client, spokePool, fromBlock)
    return parseEventLogs({ abi: filledAbi, logs }).map(({ args }) => ({
      chainId: chain.id,
      originChainId: Number(args.originChainId),
      token: slice(args.outputToken, -ADDRESS_BYTES),
      amount: args.outputAmount,
      recipient: slice(args.recipient, -ADDRESS_BYTES)
    }))
  })

const mined = ({ node, chain }: DevChain, fromBlock: bigint, lanes: ReadonlyArray<Hex>) =>
  node.ask("read the blocks", async (client): Promise<ReadonlyArray<LaneTransaction>> => {
    const head = await client.getBlockNumber()
    const numbers = Array.from({ length: Number(head - fromBlock) + 1 }, (_, index) => fromBlock + BigInt(index))
    const blocks = await Pieces.each(numbers, (blockNumber) =>
      client.getBlock({ blockNumber, includeTransactions: true })
    )
    const ours = new Set(lanes.map((lane) => lane.toLowerCase()))
    return blocks
      .flatMap(({ transactions }) => transactions)
      .filter(({ from }) => ours.has(from.toLowerCase()))
      .map(({ from, hash, nonce }) => ({ chainId: chain.id, lane: from.toLowerCase(), nonce, hash }))
  })

const intents = (sql: PgClient.PgClient) => sql<StoredIntent>`
  SELECT i.id, i.source_chain_id::int AS "chainId", i.order_digest AS "orderHash", i.status, i.builder_id AS "builderId",
    ARRAY(
      SELECT e.event FROM orchestrator.intent_events e WHERE e.intent_id = i.id ORDER BY e.id
    ) AS history
  FROM orchestrator.intents i`

const transactions = (sql: PgClient.PgClient) => sql<StoredTransaction>`
  SELECT t.chain_id::int AS "chainId", lower(t.lane) AS lane, t.nonce::int AS nonce, t.status,
    ARRAY(SELECT a.hash::text FROM orchestrator.relay_attempts a WHERE a.transaction_id = t.id ORDER BY a.position) AS hashes
  FROM orchestrator.relay_transactions t`

/** Booked messages. The checker ignores messages that only report an event. */
const outbox = (sql: PgClient.PgClient) => sql<OutboxRow>`
  SELECT idempotency_key AS key,
    coalesce(message -> 'accrual', message -> 'revenue') ->> 'token' AS token,
    coalesce(message -> 'accrual', message -> 'revenue') ->> 'amount' AS amount
  FROM orchestrator.outbox
  WHERE message ? 'accrual' OR message ? 'revenue'`

/** True if the service has no work left. */
export const isIdle = (sql: PgClient.PgClient) =>
  Effect.map(
    sql<{ idle: boolean }>`
      SELECT NOT EXISTS (SELECT FROM orchestrator.relay_transactions WHERE status <> 'final')
        AND NOT EXISTS (SELECT FROM orchestrator.intents WHERE status IN ('submitted', 'settled_source'))
        AND NOT EXISTS (SELECT FROM orchestrator.outbox WHERE state = 'pending') AS idle`,
    ([row]) => row?.idle === true
  )

export const read = Effect.fnUntraced(function* ({ chains, lanes, sql }: World) {
  return {
    settlements: (yield* Effect.forEach(chains, ({ dev, fromBlock }) => settlements(dev, fromBlock))).flat(),
    mined: (yield* Effect.forEach(chains, ({ dev, fromBlock }) => mined(dev, fromBlock, lanes))).flat(),
    deliveries: (yield* Effect.forEach(chains, ({ dev, fromBlock }) => deliveries(dev, fromBlock))).flat(),
    intents: yield* intents(sql),
    transactions: yield* transactions(sql),
    outbox: yield* outbox(sql)
  } satisfies Omit<Observed, "acknowledged" | "signed" | "batches" | "booked" | "changes">
})
