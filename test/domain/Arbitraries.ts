/** Schemas that property tests draw domain values from. */
import { Schema } from "effect"
import { numberToHex } from "viem"
import * as Address from "../../src/domain/Address.ts"
import { MAX_UINT256 } from "../../src/domain/Amount.ts"
import type { SweepOrder } from "../../src/domain/SweepOrder.ts"

const upTo = (maximum: bigint) => Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum }))

export const Uint256 = upTo(MAX_UINT256)
export const Uint64 = upTo(2n ** 64n - 1n)

/** The number of an account; see {@link address}. */
export const Account = upTo(2n ** 160n - 1n)

export const address = (account: bigint): Address.Address => Address.of(numberToHex(account, { size: 20 }))

/** Amounts as they occur: any that a token could have in existence. */
export const Units = upTo(10n ** 36n)

export const Bps = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

/** The numbers and accounts of an order; see {@link order}. */
export const OrderParts = Schema.Struct({
  accounts: Schema.Tuple([Account, Account, Account, Account, Account, Account]),
  amounts: Schema.Tuple([Uint256, Uint256, Uint256, Uint256, Uint256, Uint256, Uint256]),
  calldata: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))
})

export const order = ({ accounts, amounts, calldata }: typeof OrderParts.Type): SweepOrder => ({
  owner: address(accounts[0]),
  tokenIn: address(accounts[1]),
  amountIn: amounts[0],
  feeAmount: amounts[1],
  builder: address(accounts[2]),
  builderFee: amounts[2],
  tokenOut: address(accounts[3]),
  minAmountOut: amounts[3],
  destination: address(accounts[4]),
  swapTarget: address(accounts[5]),
  swapCalldata: `0x${Buffer.from(calldata).toString("hex")}`,
  deadline: amounts[4],
  nonce: amounts[5],
  destChainId: amounts[6]
})
