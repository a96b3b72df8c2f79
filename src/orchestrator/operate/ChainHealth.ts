/** Health of one chain: its node and contracts, its lanes, and its relaying. */
import { Clock, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { answered, condition } from "./Probe.ts"

const DAY_MILLIS = 86_400_000

/** A node is behind when its newest block is older than both limits: this many block times, and this many seconds. */
const STALE_BLOCKS = 20
const STALE_SECONDS = 60

/** Head, block age and contracts of a chain. */
export const chainHealth = Effect.fnUntraced(function* ({ block, chain, code }: ChainClient) {
  const { contracts } = chain
  const [head, codes, nowMs] = yield* Effect.all(
    [
      Effect.map(answered(block("latest")), Option.flatten),
      answered(Effect.forEach([contracts.delegate, contracts.guard, contracts.entry], code, { concurrency: 3 })),
      Clock.currentTimeMillis
    ],
    { concurrency: "unbounded" }
  )
  const blockAgeSeconds = Option.map(head, ({ timestamp }) => Math.max(0, Math.floor(nowMs / 1000) - Number(timestamp)))
  const contractsDeployed = Option.map(codes, (found) => found.every((bytes) => bytes !== "0x"))
  const staleAfter = Math.max(STALE_SECONDS, (STALE_BLOCKS * chain.blockTimeMillis) / 1000)
  const isStale = Option.exists(blockAgeSeconds, (age) => age > staleAfter)
  const isUsable = Option.isSome(head) && Option.contains(contractsDeployed, true)
  return {
    id: chain.id,
    name: chain.name,
    status: condition(isUsable ? (isStale ? "degraded" : "ok") : "down"),
    blockNumber: Option.getOrNull(Option.map(head, ({ number }) => number)),
    blockAgeSeconds: Option.getOrNull(blockAgeSeconds),
    contractsDeployed: Option.getOrNull(contractsDeployed)
  }
})

/** Makes `laneHealth(client)`: balance and unconfirmed transactions of each of a chain's lanes. */
export const makeLaneHealth = Effect.gen(function* () {
  const keys = yield* RelayerKeys
  const { relayer } = yield* OrchestratorSettings
  const transactions = yield* RelayTransactions

  return Effect.fnUntraced(function* (client: ChainClient) {
    const chainId = client.chain.id
    const unfinished = Option.getOrElse(yield* answered(transactions.unfinished(chainId)), () => [])
    const laneHealth = Effect.fnUntraced(function* (address: Address.Address) {
      const balance = yield* answered(client.balance(address))
      const canSend = Option.exists(balance, (wei) => wei >= relayer.minLaneBalance)
      return {
        chainId,
        address,
        status: condition(canSend ? "ok" : "down"),
        balance: Option.getOrNull(balance),
        unconfirmed: unfinished.filter(({ lane, status }) => lane === address && status === "pending").length
      }
    })
    return yield* Effect.forEach(keys.lanes(chainId), laneHealth, { concurrency: "unbounded" })
  })
})

/** Makes `relayingHealth(client)`: degraded while the chain is paused or its daily spend cap is reached. */
export const makeRelayingHealth = Effect.gen(function* () {
  const { dailySpendCap, pausedChains } = (yield* OrchestratorSettings).relayer
  const transactions = yield* RelayTransactions

  return Effect.fnUntraced(function* ({ chain }: ChainClient) {
    const paused = pausedChains.includes(chain.id)
    const spent = yield* answered(
      Effect.flatMap(Clock.currentTimeMillis, (now) => transactions.spending(chain.id, now - DAY_MILLIS))
    )
    const isCapped = dailySpendCap !== undefined && Option.exists(spent, (wei) => wei >= dailySpendCap)
    return {
      chainId: chain.id,
      status: condition(paused || isCapped ? "degraded" : "ok"),
      paused,
      spent: Option.getOrNull(spent),
      dailyCap: dailySpendCap ?? null
    }
  })
})
