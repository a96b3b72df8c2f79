import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Address from "../../src/domain/Address.ts"
import { burns, countsFees } from "../../src/domain/Destination.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import { chain as template } from "../support/FakeChain.ts"
import { address } from "./Arbitraries.ts"

const LISTED = address(0xb1_0001n)
const EARLIER = { delegate: address(0x41_0001n), guard: address(0x42_0001n), entry: address(0x43_0001n) }
const chain = {
  ...template,
  contracts: { delegate: address(0x51_0001n), guard: address(0x52_0001n), entry: address(0x53_0001n) },
  earlierContracts: [EARLIER],
  tokens: [{ chainId: template.id, address: LISTED, symbol: "LST", name: "Listed", decimals: 18 }],
  swapRouter: address(0x5a_0001n),
  spokePool: address(0x5b_0001n),
  formerSpokePools: [address(0x5b_0002n)],
  spokePoolPeriphery: address(0x5c_0001n),
  wrappedNative: address(0x5d_0001n),
  stables: [address(0x5e_0001n)],
  permit2: address(0x61_0001n),
  multicall3: address(0x62_0001n),
  sanctionsOracle: address(0x63_0001n),
  quoter: address(0x64_0001n)
}
const SWEPT = address(0xaa_0001n)

/** Parts of an order, drawn from so few accounts and tokens that they often coincide. */
const Order = Schema.Struct({
  tokenIn: Schema.Literals([NATIVE, chain.wrappedNative, SWEPT]),
  tokenOut: Schema.Literals([NATIVE, chain.wrappedNative, SWEPT]),
  owner: Schema.Literals([1n, 2n, 3n]),
  destination: Schema.Literals([1n, 2n, 3n]),
  feeRecipient: Schema.Literals([1n, 2n, 3n]),
  builder: Schema.Literals([1n, 2n, 3n]),
  feeAmount: Schema.Literals([0n, 5n]),
  builderFee: Schema.Literals([0n, 7n]),
  delivered: Schema.Literals([0n, 900n])
})

/** Output by which the delegate judges the order: the growth of the destination's balance, as `_process` of SweepDelegate.sol measures it. */
const countedOutput = (order: typeof Order.Type): bigint => {
  const amountIn = 1_000n
  const isNative = order.tokenIn === NATIVE
  const token = isNative ? chain.wrappedNative : order.tokenIn
  let output = 0n
  const move = (moved: string, account: bigint, amount: bigint) => {
    if (moved === order.tokenOut && account === order.destination) output += amount
  }
  const pay = (account: bigint, amount: bigint) => {
    move(token, order.owner, -amount)
    move(token, account, amount)
  }
  if (isNative) {
    move(NATIVE, order.owner, -amountIn)
    move(token, order.owner, amountIn)
  }
  pay(order.feeRecipient, order.feeAmount)
  pay(order.builder, order.builderFee)
  // The router is none of the accounts.
  pay(0n, amountIn - order.feeAmount - order.builderFee)
  move(order.tokenOut, order.destination, order.delivered)
  return output
}

describe("a destination", () => {
  it("is an ordinary account", () => {
    assert.isFalse(burns(chain, address(0xabcdefn), [SWEPT]))
    assert.isFalse(burns(chain, address(0x1_0000n), [SWEPT]))
  })

  it("burns the output at a precompiled contract, a token or a contract of the service", () => {
    const burning = [
      Address.zero,
      address(1n),
      address(0x11n),
      address(0xffn),
      address(0x100n),
      address(0xffffn),
      NATIVE,
      SWEPT,
      LISTED,
      chain.wrappedNative,
      ...chain.stables,
      chain.permit2,
      chain.multicall3,
      chain.sanctionsOracle,
      chain.quoter,
      ...Object.values(chain.contracts),
      ...Object.values(EARLIER),
      chain.swapRouter,
      chain.spokePool,
      ...chain.formerSpokePools,
      chain.spokePoolPeriphery
    ]
    for (const destination of burning) assert.isTrue(burns(chain, destination, [SWEPT]), destination)
  })

  it.prop("is refused exactly where a fee counts as output", [Order], ([order]) => {
    // The delegate refuses these itself.
    if (order.tokenIn === order.tokenOut) return
    const account = (number: bigint) => address(0xcc_0000n + number)
    const payees = [
      ...(order.feeAmount > 0n ? [account(order.feeRecipient)] : []),
      ...(order.builderFee > 0n ? [account(order.builder)] : [])
    ]
    const { destination, tokenIn, tokenOut } = order
    const asked = { tokenIn, tokenOut, destination: account(destination) }
    assert.strictEqual(
      countsFees(chain, { ...asked, destChainId: chain.id }, payees),
      countedOutput(order) > order.delivered
    )
    assert.isFalse(countsFees(chain, { ...asked, destChainId: chain.id + 1 }, payees))
  })
})
