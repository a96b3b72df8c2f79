/** Health of one chain: its node and contracts, its lanes, and its relaying. */
import { Clock, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { staleAfterSeconds } from "../../domain/HeadLag.ts"
import { LaneBook } from "../../ports/orchestrator/LaneBook.ts"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Pauses from "../shared/Pauses.ts"
import { answered, condition } from "./Probe.ts"

const DAY_MILLIS = 86_400_000

/** Names of the service's contracts that have no code at their configured addresses. */
export const missingContracts = ({ chain: { contracts }, code }: ChainClient) => {
  const { delegate, entry, guard } = contracts
  return Effect.map(
    Effect.forEach(
      Object.entries({ delegate, guard, entry }),
      ([name, address]) => Effect.map(code(address), (bytes) => (bytes === "0x" ? [name] : [])),
      { concurrency: "unbounded" }
    ),
    (missing) => missing.flat()
  )
}

/** Head, at most `headAgeMillis` old, block age and contracts of a chain, and its support of simulations. */
export const chainHealth = Effect.fnUntraced(function* (client: ChainClient, headAgeMillis: number) {
  const { block, chain, recentHead } = client
  const [head, missing, canSimulate, nowMs] = yield* Effect.all(
    [
      Effect.map(answered(headAgeMillis === 0 ? block("latest") : recentHead(headAgeMillis)), Option.flatten),
      answered(missingContracts(client)),
      answered(client.canSimulate),
      Clock.currentTimeMillis
    ],
    { concurrency: "unbounded" }
  )
  const blockAgeSeconds = Option.map(head, ({ timestamp }) => Math.max(0, Math.floor(nowMs / 1000) - Number(timestamp)))
  const contractsDeployed = Option.map(missing, ({ length }) => length === 0)
  const isStale = Option.exists(blockAgeSeconds, (age) => age > staleAfterSeconds(chain))
  const isUsable =
    Option.isSome(head) && Option.contains(contractsDeployed, true) && !Option.contains(canSimulate, false)
  return {
    id: chain.id,
    name: chain.name,
    status: condition(isUsable ? (isStale ? "degraded" : "ok") : "down"),
    blockNumber: Option.getOrNull(Option.map(head, ({ number }) => number)),
    blockAgeSeconds: Option.getOrNull(blockAgeSeconds),
    contractsDeployed: Option.getOrNull(contractsDeployed),
    canSimulate: Option.getOrNull(canSimulate),
    missingContracts: Option.getOrElse(missing, () => [])
  }
})

/** Makes `laneHealth(client)`: balance and unconfirmed transactions of each of a chain's lanes. */
export const makeLaneHealth = Effect.gen(function* () {
  const book = yield* LaneBook
  const keys = yield* RelayerKeys
  const { relayer } = yield* OrchestratorSettings
  const transactions = yield* RelayTransactions

  return Effect.fnUntraced(function* (client: ChainClient) {
    const chainId = client.chain.id
    const unfinished = Option.getOrElse(yield* answered(transactions.unfinished(chainId)), () => [])
    const states = Option.getOrUndefined(yield* answered(book.states))
    const laneHealth = Effect.fnUntraced(function* (address: Address.Address) {
      const balance = yield* answered(client.balance(address))
      const isFunded = Option.exists(balance, (wei) => wei >= ChainLimits.minLaneBalance(relayer, client.chain))
      // A lane that the operator has taken out of use need not send.
      const state = states === undefined ? undefined : (states.get(address)?.state ?? "active")
      const isUsed = state === undefined || state === "active"
      const canSend = !isUsed || (isFunded && (yield* keys.isAnswering(address)))
      return {
        chainId,
        address,
        status: condition(canSend ? "ok" : "down"),
        balance: Option.getOrNull(balance),
        unconfirmed: unfinished.filter(({ lane, status }) => lane === address && status === "pending").length,
        ...(state === undefined ? {} : { state })
      }
    })
    return yield* Effect.forEach(keys.lanes(chainId), laneHealth, { concurrency: "unbounded" })
  })
})

/** Makes `relayingHealth(client)`: degraded while the chain is paused or its daily spend cap is reached. */
export const makeRelayingHealth = Effect.gen(function* () {
  const pauses = yield* Pauses.make
  const { relayer } = yield* OrchestratorSettings
  const withLimits = yield* LimitChoices.make
  const transactions = yield* RelayTransactions

  return Effect.fnUntraced(function* ({ chain }: ChainClient) {
    const dailySpendCap = ChainLimits.dailySpendCap(relayer, yield* withLimits(chain))
    const paused = (yield* pauses.ofChain(chain.id)) !== undefined
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
