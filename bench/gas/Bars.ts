/**
 * Maximum gas of a sweep, and gas of other implementations. The bars were measured under the same conditions (prague, two fee
 * transfers, approval and a real Uniswap v3 swap). The figures of this project come from `contracts/test/Gas.t.sol`.
 */
import { Schema } from "effect"

export interface Row {
  /** Its name in `contracts/snapshots/Gas.json`. */
  readonly measured: string
  /** Gas that it must not exceed. */
  readonly bar: number
  /** Gas of the best other way that was measured, and which. */
  readonly best: { readonly gas: number; readonly name: string }
}

export interface Table {
  readonly title: string
  /** The floor's name in the snapshot: what a plain account pays that does without our service. */
  readonly floor: string
  readonly rows: ReadonlyArray<Row>
}

const calibur = (gas: number) => ({ gas, name: "Calibur" })
const simple7702 = (gas: number) => ({ gas, name: "Simple7702 + EntryPoint v0.8" })

export const TABLES: ReadonlyArray<Table> = [
  {
    title: "One sweep: two fee transfers, approve, swap",
    floor: "plain account, fees too, 4 transactions",
    rows: [
      { measured: "single, word in use", bar: 155_255, best: calibur(162_027) },
      { measured: "single, first nonce of a word", bar: 172_343, best: calibur(179_139) },
      { measured: "single, fresh delegation", bar: 184_867, best: calibur(191_639) }
    ]
  },
  {
    title: "Batches, for each sweep: distinct owners, first nonce",
    floor: "plain account, fees too, 4 transactions",
    rows: [
      { measured: "batch of 1", bar: 180_515, best: simple7702(186_350) },
      { measured: "batch of 5", bar: 118_574, best: simple7702(125_912) },
      { measured: "batch of 20", bar: 106_793, best: simple7702(114_434) },
      { measured: "batch of 1, fresh delegations", bar: 190_527, best: simple7702(196_350) },
      { measured: "batch of 5, fresh delegations", bar: 132_608, best: simple7702(138_489) },
      { measured: "batch of 20, fresh delegations", bar: 123_199, best: simple7702(129_307) }
    ]
  },
  {
    title: "A bridge deposit with fees",
    floor: "Across, plain account, approve and deposit",
    rows: [
      {
        measured: "Across deposit, fresh delegation",
        bar: 147_538,
        best: { gas: 147_538, name: "the prototype" }
      }
    ]
  }
]

/** Forge writes numbers as strings. */
export const Snapshot = Schema.Record(Schema.String, Schema.NumberFromString)
export type Snapshot = typeof Snapshot.Type

export interface Judged extends Row {
  readonly gas: number
  /** Of the floor. */
  readonly ofFloor: number
  readonly met: boolean
}

/** Gas that the snapshot must have, or nothing can be said. */
const gasOf = (snapshot: Snapshot, name: string): number => {
  const gas = snapshot[name]
  if (gas === undefined) throw new Error(`the snapshot has no "${name}"; run forge test in contracts/`)
  return gas
}

export const judge = (
  table: Table,
  snapshot: Snapshot
): { readonly floor: number; readonly rows: ReadonlyArray<Judged> } => {
  const floor = gasOf(snapshot, table.floor)
  const rows = table.rows.map((row) => {
    const gas = gasOf(snapshot, row.measured)
    return { ...row, gas, ofFloor: gas / floor, met: gas <= row.bar }
  })
  return { floor, rows }
}
