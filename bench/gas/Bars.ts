/**
 * Maximum gas of a sweep, and gas of other implementations. The bars were measured under the same conditions (prague, two fee
 * transfers, approval and a real Uniswap v3 swap). The figures of this project come from `contracts/test/Gas.t.sol`.
 */
import { Schema } from "effect"

export interface Best {
  readonly gas: number
  readonly name: string
}

export interface Row {
  /** Its name in `contracts/snapshots/Gas.json`. */
  readonly measured: string
  /** Gas that it must not exceed. */
  readonly bar: number
  /** Gas of the best other way, and which; or the names of other ways in the snapshot. */
  readonly best: Best | { readonly measured: ReadonlyArray<string> }
}

export interface Table {
  readonly title: string
  /** The floor's name in the snapshot: what a plain account pays that does without our service. */
  readonly floor: string
  readonly rows: ReadonlyArray<Row>
}

const calibur = (gas: number) => ({ gas, name: "Calibur" })
const simple7702 = (gas: number) => ({ gas, name: "Simple7702 + EntryPoint v0.8" })

/** The same scene with two transfers. */
const separate = (gas: number) => ({ gas, name: "two fee transfers" })

/** Tables of one owner's many tokens under one signature, by the names of their rows in the snapshot. */
const LEGS = [
  ["same", "Legs of one owner, for each leg: the same pair in every leg"],
  ["distinct", "Legs of one owner, for each leg: another input token in each"]
] as const

const LEG_BARS = [
  { count: 1, same: 167_273, distinct: 167_285 },
  { count: 4, same: 91_860, distinct: 131_410 },
  { count: 8, same: 79_292, distinct: 125_400 },
  { count: 20, same: 71_705, distinct: 121_792 }
]

export const TABLES: ReadonlyArray<Table> = [
  {
    title: "One sweep: two fee transfers, approve, swap",
    floor: "plain account, fees too, 4 transactions",
    rows: [
      { measured: "single, word in use", bar: 153_700, best: calibur(162_027) },
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
      { measured: "batch of 20", bar: 104_800, best: simple7702(114_434) },
      { measured: "batch of 1, fresh delegations", bar: 190_527, best: simple7702(196_350) },
      { measured: "batch of 5, fresh delegations", bar: 132_608, best: simple7702(138_489) },
      { measured: "batch of 20, fresh delegations", bar: 121_700, best: simple7702(129_307) }
    ]
  },
  {
    title: "One transfer for both fees, where they go to one account",
    floor: "plain account, fees too, 4 transactions",
    rows: [
      { measured: "one fee recipient, single, word in use", bar: 146_000, best: separate(149_526) },
      { measured: "one fee recipient, batch of 20", bar: 101_700, best: separate(105_243) },
      { measured: "one fee recipient, batch of 20, fresh delegations", bar: 119_200, best: separate(121_954) }
    ]
  },
  ...LEGS.map(([tokens, title]): Table => ({
    title,
    floor: "plain account, fees too, 4 transactions",
    rows: LEG_BARS.map(({ count, ...bars }) => ({
      measured: `legs: ${count} ${tokens}`,
      bar: bars[tokens],
      best: {
        measured: [`legs through the entry: ${count} ${tokens}`, `legs in separate transactions: ${count} ${tokens}`]
      }
    }))
  })),
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

export interface Judged extends Omit<Row, "best"> {
  readonly gas: number
  readonly best: Best
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

const bestOf = (snapshot: Snapshot, best: Row["best"]): Best =>
  "gas" in best
    ? best
    : best.measured
        .map((name) => ({ gas: gasOf(snapshot, name), name: name.slice(0, name.indexOf(":")) }))
        .reduce((least, way) => (way.gas < least.gas ? way : least))

export const judge = (
  table: Table,
  snapshot: Snapshot
): { readonly floor: number; readonly rows: ReadonlyArray<Judged> } => {
  const floor = gasOf(snapshot, table.floor)
  const rows = table.rows.map((row) => {
    const gas = gasOf(snapshot, row.measured)
    return { ...row, gas, best: bestOf(snapshot, row.best), ofFloor: gas / floor, met: gas <= row.bar }
  })
  return { floor, rows }
}
