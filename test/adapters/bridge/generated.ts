/** Generated deposits, and calldata with a byte changed. */
import { Schema } from "effect"
import type * as AcrossDeposit from "../../../src/adapters/bridge/AcrossDeposit.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { address } from "../../support/FakeChain.ts"

export const between = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
export const Byte = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 255 }))
const UINT32 = 2 ** 32 - 1

export const Deposit = Schema.Struct({
  parties: Schema.Tuple([Byte, Byte, Byte, Byte, Byte]),
  inputAmount: between(Number.MAX_SAFE_INTEGER),
  outputAmount: between(Number.MAX_SAFE_INTEGER),
  destinationChainId: between(Number.MAX_SAFE_INTEGER),
  quoteTimestamp: between(UINT32),
  fillDeadline: between(UINT32),
  exclusivityParameter: between(UINT32)
})

export const depositOf = ({ parties, ...numbers }: typeof Deposit.Type): AcrossDeposit.AcrossDeposit => ({
  depositor: address(parties[0]),
  recipient: address(parties[1]),
  inputToken: address(parties[2]),
  outputToken: address(parties[3]),
  exclusiveRelayer: address(parties[4]),
  inputAmount: BigInt(numbers.inputAmount) ** 2n,
  outputAmount: BigInt(numbers.outputAmount) ** 2n,
  destinationChainId: BigInt(numbers.destinationChainId),
  quoteTimestamp: numbers.quoteTimestamp,
  fillDeadline: numbers.fillDeadline,
  exclusivityParameter: numbers.exclusivityParameter
})

export const sample = depositOf({
  parties: [1, 2, 3, 4, 5],
  inputAmount: 1_000,
  outputAmount: 999,
  destinationChainId: 10,
  quoteTimestamp: 1_700_000_000,
  fillDeadline: 1_700_010_000,
  exclusivityParameter: 12
})

/** The bytes with one byte changed. */
export const mutated = (data: Hex, at: number, by: number): Hex => {
  const bytes = Buffer.from(data.slice(2), "hex")
  bytes[at] = ((bytes[at] ?? 0) + by) % 256
  return `0x${bytes.toString("hex")}`
}
