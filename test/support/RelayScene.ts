/**
 * The relayer, the watcher and the outbox delivery on chains that a test writes by hand, with in-memory stores and real keys:
 * what is sent are real transactions, what is mined is what the test says.
 */
import { overrides } from "./Overrides.ts"
import { Effect, Layer, Option, Redacted, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { decodeFunctionData, erc20Abi, type Hex, numberToHex, pad } from "viem"
import * as RawKeys from "../../src/adapters/evm/keys/RawKeys.ts"
import * as SweepContracts from "../../src/adapters/evm/contracts/SweepContracts.ts"
import { sweepGuard } from "../../src/adapters/evm/abi/contracts.generated.ts"
import * as Alerts from "../../src/adapters/memory/shared/Alerts.ts"
import * as Bridge from "../../src/adapters/memory/orchestrator/Bridge.ts"
import * as BuilderLedger from "../../src/adapters/memory/orchestrator/BuilderLedger.ts"
import * as Chains from "../../src/adapters/memory/shared/Chains.ts"
import * as Exposures from "../../src/adapters/memory/orchestrator/Exposures.ts"
import * as Intents from "../../src/adapters/memory/orchestrator/Intents.ts"
import * as LaneBook from "../../src/adapters/memory/orchestrator/LaneBook.ts"
import * as Outbox from "../../src/adapters/memory/orchestrator/Outbox.ts"
import * as FeeValue from "../../src/adapters/memory/orchestrator/FeeValue.ts"
import * as Prices from "../../src/adapters/memory/orchestrator/Prices.ts"
import * as Refunds from "../../src/adapters/memory/orchestrator/Refunds.ts"
import * as RelayTransactions from "../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import * as SweepSimulation from "../../src/adapters/memory/orchestrator/SweepSimulation.ts"
import * as Screening from "../../src/adapters/memory/shared/Screening.ts"
import { orchestratorDefaults } from "../../src/config/Orchestrator.ts"
import type { Chain } from "../../src/domain/Chain.ts"
import { designator } from "../../src/domain/Delegation.ts"
import type { FeeCover } from "../../src/domain/FeeCover.ts"
import {
  OrchestratorSettings,
  type OrchestratorSettingsShape
} from "../../src/orchestrator/shared/OrchestratorSettings.ts"
import { OutboxDelivery } from "../../src/orchestrator/outbox/OutboxDelivery.ts"
import { Relayer } from "../../src/orchestrator/relay/Relayer.ts"
import { parse } from "../../src/orchestrator/relay/Envelope.ts"
import { Watcher } from "../../src/orchestrator/watch/Watcher.ts"
import { Alerts as AlertsPort } from "../../src/ports/shared/Alerts.ts"
import { type ChainClient, Chains as ChainsPort } from "../../src/ports/shared/Chains.ts"
import { Intents as IntentsPort } from "../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions as RelayTransactionsPort } from "../../src/ports/orchestrator/RelayTransactions.ts"
import { RelayerKeys } from "../../src/ports/orchestrator/RelayerKeys.ts"
import { address } from "./FakeChain.ts"
import { hash, submission } from "./IntentFixtures.ts"
import {
  DEADLINE,
  START,
  type Sweep,
  type SweepErrorName,
  TARGET,
  destination,
  offer,
  reverting,
  source
} from "./RelayFixtures.ts"

/** A node that accepts every request, and never answers. */
export const silent = (client: ChainClient): ChainClient => ({
  ...client,
  accounts: () => Effect.never,
  balance: () => Effect.never,
  block: () => Effect.never,
  call: () => Effect.never,
  code: () => Effect.never,
  feesPerGas: Effect.never,
  heads: Stream.never,
  logs: () => Effect.never,
  receipt: () => Effect.never,
  recentHead: () => Effect.never,
  send: () => Effect.never,
  simulate: () => Effect.never,
  transactionCount: () => Effect.never,
  transactionOf: () => Effect.never
})

export const settings = {
  ...orchestratorDefaults,
  relayer: {
    ...orchestratorDefaults.relayer,
    rebroadcastMillis: 15_000,
    bumpMillis: 45_000,
    minLaneBalance: 10n ** 16n,
    // Most owners of a scene have not swept before.
    firstSweepsLossBudget: 10n ** 21n
  }
}

const stores = Layer.mergeAll(
  Intents.layer,
  RelayTransactions.layer,
  Outbox.layer,
  Alerts.layer,
  Exposures.layer,
  Refunds.layer,
  LaneBook.layer,
  overrides
)

/** Stores, keys and services of the scene, on any chains. */
export const worldOn = <A, E>(chains: Layer.Layer<A, E>, relayer: Partial<OrchestratorSettingsShape["relayer"]> = {}) =>
  Layer.mergeAll(
    stores,
    chains,
    RawKeys.layer([Redacted.make<Hex>(`0x${"11".repeat(32)}`)]),
    SweepContracts.layer,
    SweepSimulation.layer(),
    Screening.layer(),
    Bridge.layer({ target: TARGET }),
    BuilderLedger.layer(),
    FeeValue.layer(),
    Prices.layer({
      prices: new Map([source.id, destination.id].map((id) => [id, new Map([[address(0xd1), 10n ** 18n]])]))
    }),
    OrchestratorSettings.layer({ ...settings, relayer: { ...settings.relayer, ...relayer } }),
    SecureRandom.layerWebCrypto
  )

export const world = worldOn(Chains.layer([source, destination]))

/** Everything on demand: nothing happens but what a test runs. */
const onDemand = Layer.mergeAll(Relayer.layerOnDemand, Watcher.layerOnDemand).pipe(
  Layer.provideMerge(OutboxDelivery.layerOnDemand)
)

/** Everything on demand in a world. */
export const onDemandIn = <A, E>(where: Layer.Layer<A, E>) => Layer.provideMerge(onDemand, where)

export const layer = Layer.provideMerge(onDemand, world)

/** As {@link layer}, with other settings of the relayer. */
export const layerWith = (relayer: Partial<OrchestratorSettingsShape["relayer"]>) =>
  Layer.provideMerge(onDemand, worldOn(Chains.layer([source, destination]), relayer))

const changed = (change: (client: ChainClient) => ChainClient, chains: ReadonlyArray<Chain>) =>
  Layer.effect(
    ChainsPort,
    Effect.map(ChainsPort, ({ all, get }) => ({
      all: all.map(change),
      get: (chainId: number) => Effect.map(get(chainId), change)
    }))
  ).pipe(Layer.provideMerge(Chains.layer(chains)))

/** The world of {@link layer} on nodes that `change` makes lie. */
export const worldOnNodes = (
  change: (client: ChainClient) => ChainClient,
  chains: ReadonlyArray<Chain> = [source, destination]
) => worldOn(changed(change, chains))

/** As {@link layer}, on nodes that `change` makes lie. */
export const layerOnNodes = (change: (client: ChainClient) => ChainClient) =>
  Layer.provideMerge(onDemand, worldOnNodes(change))

/** Everything as in the service, in a world: on timers, and woken by submissions. */
export const runningIn = <A, E>(where: Layer.Layer<A, E>, relayer = Relayer.layer) =>
  Layer.mergeAll(relayer, Watcher.layer).pipe(
    Layer.provideMerge(OutboxDelivery.layer),
    Layer.provideMerge(where),
    // Timers must not have to catch up with the scene's time.
    Layer.provide(Layer.effectDiscard(TestClock.setTime(Number(START) * 1000)))
  )

export const layerRunning = runningIn(world)

/** State that the service reads from the chain. */
interface Reads {
  ownerBalance: bigint
  readonly spentNonces: Set<bigint>
}

/** Answers of the guard to reads of nonces, of the entry, which skips no account, and of tokens to reads of balances. */
const readsOf =
  (state: Reads) =>
  ({ data, to }: { readonly data: Hex; readonly to: Hex }) =>
    Effect.sync(() => {
      if (to === source.contracts.entry) return numberToHex(1n, { size: 32 })
      if (to !== source.contracts.guard) {
        decodeFunctionData({ abi: erc20Abi, data })
        return numberToHex(state.ownerBalance, { size: 32 })
      }
      const { args } = decodeFunctionData({ abi: sweepGuard.abi, data })
      const word = BigInt(String(args?.[1]))
      const bits = [...state.spentNonces].filter((nonce) => nonce / 256n === word)
      return numberToHex(
        bits.reduce((bitmap, nonce) => bitmap | (1n << (nonce % 256n)), 0n),
        { size: 32 }
      )
    })

/** An owner's account runs the delegate, and a sweep of it has settled. `cover`: of its network fee. Default: that of `offer`. */
const sweptBefore = ({ setCode }: Chains.MemoryChain) =>
  Effect.fnUntraced(function* (owner: number, cover?: FeeCover) {
    const intents = yield* IntentsPort
    const id = `before ${owner}`
    const txHash = hash(id)
    yield* setCode(address(owner), designator(source.contracts.delegate))
    yield* intents.create(offer({ id, owner, ...(cover === undefined ? {} : { cover }), order: { nonce: 0n } }))
    yield* intents.submit(id, submission(source.id))
    yield* intents.apply(id, [
      { _tag: "SettledAtSource", txHash },
      { _tag: "Delivered", txHash }
    ])
  })

/** The handles of a scene in its starting state: a rich lane, plain owners who hold enough, sweeps that simulate well. */
export const scene = Effect.gen(function* () {
  const alerts = yield* AlertsPort
  const chains = yield* Chains.MemoryChains
  const intents = yield* IntentsPort
  const transactions = yield* RelayTransactionsPort
  const [lane] = (yield* RelayerKeys).lanes(source.id)
  if (lane === undefined) return yield* Effect.die("no lane")
  const chain = yield* chains.get(source.id)
  const client = yield* (yield* ChainsPort).get(source.id)

  /** The chain's answers to the service's own reads. */
  const state: Reads = { ownerBalance: 10n ** 18n, spentNonces: new Set() }

  yield* TestClock.setTime(Number(START) * 1000)
  for (const id of [source.id, destination.id]) {
    const { setBalance, setCode } = yield* chains.get(id)
    yield* setBalance(lane, 10n ** 18n)
    yield* setCode(source.contracts.entry, "0xfe")
  }
  yield* chain.mine([], 0n)
  yield* chain.onCall(readsOf(state))
  const simulates = (success: boolean, returnData: Hex) =>
    chain.onSimulate((calls) => Effect.succeed(calls.map(() => ({ success, returnData, gasUsed: 150_000n, logs: [] }))))
  yield* simulates(true, numberToHex(950n, { size: 32 }))

  return {
    alerts,
    chain,
    client,
    destinationChain: yield* chains.get(destination.id),
    lane,
    state,
    simulatesWell: simulates(true, numberToHex(950n, { size: 32 })),
    simulatesNothing: simulates(true, "0x"),
    simulatesRevert: (error: SweepErrorName) => simulates(false, reverting(error)),
    /** Quotes and submits. */
    submit: Effect.fnUntraced(function* (sweep: Sweep) {
      const intent = offer(sweep)
      yield* intents.create(intent)
      return yield* intents.submit(
        sweep.id,
        {
          signature: `0x${"ab".repeat(65)}`,
          authorization: {
            address: source.contracts.delegate,
            chainId: source.id,
            nonce: 0n,
            r: pad("0x0a", { size: 32 }),
            s: pad("0x0b", { size: 32 }),
            yParity: 0,
            ...sweep.submission
          }
        },
        sweep.network
      )
    }),
    sweptBefore: sweptBefore(chain),
    intent: (id: string) => Effect.map(intents.find(id), Option.getOrThrow),
    /** The one unfinished transaction of the source chain. */
    pending: Effect.flatMap(transactions.unfinished(source.id), ([first, ...others]) =>
      first === undefined || others.length > 0
        ? Effect.die(`${others.length + (first === undefined ? 0 : 1)} unfinished transactions`)
        : Effect.succeed(first)
    ),
    unfinished: transactions.unfinished(source.id),
    /** Transactions that the source chain's node received, in order. */
    sent: Effect.map(chain.sent, (all) => all.map((raw) => ({ raw, ...parse(raw) }))),
    alertKinds: Effect.map(alerts.list, (standing) => standing.map(({ kind }) => kind)),
    /** Mines a transaction of the lane, and with it spends the nonce. */
    mineLane: Effect.fnUntraced(function* (transaction: Chains.MinedTransaction, nonce = 0n) {
      const block = yield* chain.mine([transaction])
      yield* chain.setTransactionCount(lane, nonce + 1n)
      return block
    }),
    /** Mines empty blocks. */
    bury: (blocks: number) => Effect.repeat(chain.mine(), { times: blocks - 1 }),
    /** Reason for which an intent that is still open was given up. */
    givenUp: (id: string) =>
      Effect.gen(function* () {
        const { status } = Option.getOrThrow(yield* intents.find(id))
        if (status !== "submitted") return yield* Effect.die(`intent ${id} is ${status}`)
        return Option.getOrUndefined(Option.map(yield* intents.givenUp(id), ({ reason }) => reason))
      }),
    /** Confirms a block after the deadlines. */
    passDeadline: Effect.andThen(
      chain.mine([], DEADLINE - START + 1n),
      Effect.repeat(chain.mine(), { times: source.confirmations - 2 })
    )
  }
})
