/**
 * Reads the answer of `contracts/src/simulation/RoundTrips.sol`. Written by hand, since viem takes longer for it than for all the rest of a
 * price.
 */
import { Option } from "effect"
import * as Address from "../../domain/Address.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import * as Words from "../evm/codec/Words.ts"

/** A pool, as the contract reads it (`RoundTrips.Reading`). */
export interface Reading {
  readonly pool: Address.Address
  readonly money: Address.Address
  readonly fee: number
  readonly bought: bigint
  readonly returned: bigint
  readonly depth: bigint
  readonly tick: number
  readonly meanTick: number
  readonly liquidity: bigint
  readonly meanLiquidity: bigint
  readonly hasMean: boolean
  readonly oldest: number
}

export interface Answer {
  /** UNIX seconds of the block. */
  readonly time: bigint
  readonly nativeAmount: bigint
  readonly native: ReadonlyArray<Reading>
  readonly stables: ReadonlyArray<ReadonlyArray<Reading>>
  readonly tokens: ReadonlyArray<ReadonlyArray<Reading>>
}

/** Words of a reading. */
const FIELDS = 12

/** Bits of a tick. */
const TICK_BITS = 24

/** Most elements of a list. A call asks for less, and lists can contain each other. */
const MOST = 100

const parse = (data: Hex): Answer => {
  const { numberAt, wordAt } = Words.reader(data)
  const bytes = size(data)

  /** Elements of a list of so many bytes each, which must be within the data. */
  const listAt = <A>(place: number, elementBytes: number, elementAt: (place: number, index: number) => A) => {
    const count = numberAt(place)
    const first = place + Words.WORD
    if (!(count <= MOST && first + count * elementBytes <= bytes)) throw new RangeError("a list ends behind the data")
    return Array.from({ length: count }, (_, index) => elementAt(first, index))
  }

  const addressAt = (place: number): Address.Address => {
    const digits = wordAt(place).toString(16).padStart(40, "0")
    return Address.of(`0x${digits}`)
  }
  const tickAt = (place: number): number => Number(BigInt.asIntN(TICK_BITS, wordAt(place)))

  const readingAt = (first: number, index: number): Reading => {
    const fieldAt = (field: number): number => first + (index * FIELDS + field) * Words.WORD
    return {
      pool: addressAt(fieldAt(0)),
      money: addressAt(fieldAt(1)),
      fee: numberAt(fieldAt(2)),
      bought: wordAt(fieldAt(3)),
      returned: wordAt(fieldAt(4)),
      depth: wordAt(fieldAt(5)),
      tick: tickAt(fieldAt(6)),
      meanTick: tickAt(fieldAt(7)),
      liquidity: wordAt(fieldAt(8)),
      meanLiquidity: wordAt(fieldAt(9)),
      hasMean: wordAt(fieldAt(10)) === 1n,
      oldest: numberAt(fieldAt(11))
    }
  }
  const readingsAt = (place: number) => listAt(place, FIELDS * Words.WORD, readingAt)
  const listsAt = (place: number) =>
    listAt(place, Words.WORD, (first, index) => readingsAt(first + numberAt(first + index * Words.WORD)))

  return {
    time: wordAt(0),
    nativeAmount: wordAt(Words.WORD),
    native: readingsAt(numberAt(2 * Words.WORD)),
    stables: listsAt(numberAt(3 * Words.WORD)),
    tokens: listsAt(numberAt(4 * Words.WORD))
  }
}

/** None for an answer that is malformed, such as that of a node that does not run the contract. */
export const decode: (data: Hex) => Option.Option<Answer> = Option.liftThrowable(parse)
