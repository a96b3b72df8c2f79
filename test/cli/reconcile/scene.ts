/** A restored database, and a chain with transfers of the vault, on which a reconciliation runs. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { numberToHex, pad, toEventSelector } from "viem"
import * as SweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as Stores from "../../../src/adapters/sql/builder/Stores.ts"
import { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import { reconcile, restoreOf } from "../../../src/cli/reconcile/Reconcile.ts"
import type { Open } from "../../../src/cli/reconcile/Report.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { UsageError } from "../../../src/cli/UsageError.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { type ChainClient, Chains, type Log, UnsupportedChain } from "../../../src/ports/shared/Chains.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { address, hash } from "../../support/IntentFixtures.ts"
import { stores } from "../../support/OrchestratorStores.ts"
import { migratedDatabase } from "../../support/Postgres.ts"
import { source } from "../../support/RelayFixtures.ts"
import { lying } from "../../support/TwoEndpoints.ts"

export const [TOKEN, PAYEE] = [address(0xa), address(0x80)]

/** UNIX milliseconds of a minute since the start of the day on which everything happens. A block of the chain has the number of its minute. */
export const minute = (hours: number, minutes = 0) => (hours * 60 + minutes) * 60_000

/** Minute of the newest block: no payment that was recorded on the first day can be mined after it. */
export const NEWEST = 48n * 60n

export const blockAt = (number: bigint) => ({
  number,
  hash: hash(`block ${number}`),
  parentHash: hash(`block ${number - 1n}`),
  timestamp: number * 60n,
  baseFeePerGas: 1n,
  gasLimit: 1n
})

/** A log in the block of this moment, alone in its transaction. */
export const minedAt = (name: string, atMs: number, log: Pick<Log, "address" | "topics" | "data">): Log => {
  const { hash: blockHash, number: blockNumber } = blockAt(BigInt(atMs / 60_000))
  return { ...log, blockNumber, blockHash, transactionHash: hash(name), logIndex: 0 }
}

/** A transfer of the vault, unless `from` is another account, in the block of this moment. */
export const transfer = (
  name: string,
  atMs: number,
  amount: bigint,
  {
    from = source.builderVault,
    to = PAYEE,
    token = TOKEN
  }: { readonly from?: Address.Address; readonly to?: Address.Address; readonly token?: Address.Address } = {}
): Log => {
  return minedAt(name, atMs, {
    address: token,
    topics: [toEventSelector("Transfer(address,address,uint256)"), pad(from, { size: 32 }), pad(to, { size: 32 })],
    data: numberToHex(amount, { size: 32 })
  })
}

/** Answers that a test changes. */
export interface Answers extends Partial<Pick<ChainClient, "block" | "call" | "chain" | "code" | "transactionCount">> {
  /** More chains, without any logs. */
  readonly others?: ReadonlyArray<Chain>
  /** Answers of the first of two endpoints, which differ from those of the second one. */
  readonly lies?: Parameters<typeof lying>[1]
}

/** A chain without logs. */
const quiet = (chain: Chain) =>
  FakeChain.client({
    chain,
    block: (number) => Effect.succeedSome(blockAt(typeof number === "bigint" ? number : NEWEST)),
    code: () => Effect.succeed("0x"),
    transactionCount: () => Effect.succeed(0n),
    logs: () => Effect.succeed({ logs: [] })
  })

const chainsOf = (all: ReadonlyArray<ChainClient>) =>
  Layer.succeed(Chains, {
    all,
    get: (chainId) => {
      const found = all.find(({ chain }) => chain.id === chainId)
      return found === undefined ? Effect.fail(new UnsupportedChain({ chainId })) : Effect.succeed(found)
    }
  })

/** A chain with these logs. `meanwhile` happens while its settlements and payments are read. */
const chainWith = (
  transfers: ReadonlyArray<Log>,
  meanwhile: Effect.Effect<void>,
  { lies, others = [], ...answers }: Answers
) => {
  const chain = FakeChain.client({
    chain: source,
    block: (number) => Effect.succeedSome(blockAt(typeof number === "bigint" ? number : NEWEST)),
    code: () => Effect.succeed("0x"),
    transactionCount: () => Effect.succeed(0n),
    logs: ({ address: contracts, fromBlock, toBlock }) =>
      Effect.as(meanwhile, {
        logs: transfers.filter(
          (log) =>
            [contracts].flat().includes(log.address) && fromBlock <= log.blockNumber && log.blockNumber <= toBlock
        )
      }),
    receipt: (transactionHash) => {
      const log = transfers.find((each) => each.transactionHash === transactionHash)
      if (log === undefined) return Effect.succeedNone
      const { blockHash, blockNumber } = log
      return Effect.succeed(
        Option.some({
          transactionHash,
          blockNumber,
          blockHash,
          status: "success" as const,
          gasUsed: 1n,
          effectiveGasPrice: 1n,
          logs: [log]
        })
      )
    },
    ...answers
  })
  return chainsOf([lies === undefined ? chain : lying(chain, lies), ...others.map(quiet)])
}

const sceneWith = (transfers: ReadonlyArray<Log>, meanwhile: Effect.Effect<void>, answers: Answers) =>
  PayoutDesk.layer.pipe(
    Layer.provide(Layer.succeed(Screening, { clear: () => Effect.void })),
    Layer.provideMerge(
      Layer.mergeAll(
        stores,
        Stores.layer,
        chainWith(transfers, meanwhile, answers),
        SweepContracts.layer,
        SecureRandom.layerWebCrypto
      )
    ),
    Layer.provideMerge(migratedDatabase)
  )

/** The clock is set before the database opens, since its pool wakes every few seconds of a time that passes. */
export const sceneOf = (
  atMs: number,
  transfers: ReadonlyArray<Log> = [],
  meanwhile: Effect.Effect<void> = Effect.void,
  answers: Answers = {}
) => Layer.unwrap(Effect.as(TestClock.setTime(atMs), sceneWith(transfers, meanwhile, answers)))

/** An accrual of a builder on the chain of the scene. */
export const earn = Effect.fnUntraced(function* (sweepId: string, amount: bigint, chainId: number = source.id) {
  yield* (yield* Ledger).accrue({ builderId: "alpha", sweepId, token: TOKEN, amount, chainId })
})

const isReminder = ({ stopsPayouts, text }: Open) => !stopsPayouts && text.startsWith("reversals, suspensions, ")

/** Runs the command without options. Returns the report without the reminder that every run for an open restore has. */
export const reconcileNow = Effect.fnUntraced(function* (dryRun = false) {
  const restore = yield* restoreOf(undefined, dryRun)
  if (restore === undefined) return yield* new UsageError({ detail: "no restore is recorded" })
  const report = yield* reconcile({ restore, dryRun })
  assert.strictEqual(report.open.filter(isReminder).length, restore.ids.length === 0 ? 0 : 1)
  return { ...report, open: report.open.filter((each) => !isReminder(each)) }
})
