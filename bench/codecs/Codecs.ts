/** Each hand-written codec beside the library's, with the work that a batch of 64 sweeps gives it. */
import { Effect, Option } from "effect"
import * as Receipts from "../../src/adapters/evm/rpc/Receipts.ts"
import * as TransactionRlp from "../../src/adapters/evm/codec/TransactionRlp.ts"
import * as EvmSweepContracts from "../../src/adapters/evm/contracts/SweepContracts.ts"
import * as IntentRow from "../../src/adapters/sql/orchestrator/IntentRow.ts"
import { SweepContracts } from "../../src/ports/orchestrator/SweepContracts.ts"
import * as Libraries from "./Libraries.ts"
import * as Samples from "./Samples.ts"

/** Both functions do all of a batch's work once. */
export interface Codec {
  readonly name: string
  /** The library that it replaces. */
  readonly library: "viem" | "Schema"
  /** The work of the functions for one batch. */
  readonly work: string
  readonly byHand: () => unknown
  readonly byLibrary: () => unknown
}

const LOGS = Option.getOrThrow(Receipts.receipt(Samples.receipt))?.logs ?? []

const { decodeSwept } = Effect.runSync(Effect.provide(SweepContracts, EvmSweepContracts.layer))

const repeat = (times: number, work: () => unknown) => () => {
  for (let time = 0; time < times; time++) work()
}

export const CODECS: ReadonlyArray<Codec> = [
  {
    name: "TransactionRlp",
    library: "viem",
    work: "the bytes to sign and the signed bytes",
    byHand: () => {
      TransactionRlp.serialize(Samples.transaction)
      TransactionRlp.serialize(Samples.transaction, Samples.transactionSignature)
    },
    byLibrary: () => {
      Libraries.serialize(Samples.transaction)
      Libraries.serialize(Samples.transaction, Samples.transactionSignature)
    }
  },
  {
    name: "IntentRow",
    library: "Schema",
    work: "the row of each intent three times: found, submitted, claimed",
    byHand: repeat(3, () => Samples.intentRows.map(IntentRow.toIntent)),
    byLibrary: repeat(3, () => Libraries.intents(Samples.intentRows))
  },
  {
    name: "Swept events",
    library: "viem",
    work: "the guard's events among the receipt's logs",
    byHand: () => {
      for (const log of LOGS) decodeSwept(Samples.GUARD, log)
    },
    byLibrary: () => {
      for (const log of LOGS) Libraries.decodeSwept(Samples.GUARD, log)
    }
  }
]
