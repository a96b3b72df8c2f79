import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { booksOf, expected } from "../../src/domain/TreasuryBooks.ts"
import { Units } from "./Arbitraries.ts"
import { address } from "../support/IntentFixtures.ts"

const [DAI, WETH, USDC] = [address(1), address(2), address(3)]

describe("the books of the treasury", () => {
  it("have collected, sold and arrived amounts by chain and token", () => {
    const books = booksOf(
      [
        { chainId: 1, token: DAI, amount: 100n, sweeps: 2 },
        { chainId: 1, token: DAI, amount: 5n, sweeps: 1 },
        { chainId: 1, token: USDC, amount: 7n, sweeps: 1 },
        { chainId: 2, token: DAI, amount: 9n, sweeps: 1 }
      ],
      [
        { chainId: 1, token: DAI, asset: USDC, amount: 60n, amountOut: 59n },
        { chainId: 1, token: DAI, asset: WETH, amount: 10n, amountOut: 2n },
        { chainId: 1, token: WETH, asset: USDC, amount: 1n, amountOut: 5n }
      ]
    )
    assert.deepStrictEqual(books, [
      {
        chainId: 1,
        token: DAI,
        collected: 105n,
        sweeps: 3,
        sold: 70n,
        proceeds: [
          { token: USDC, amount: 59n },
          { token: WETH, amount: 2n }
        ],
        arrived: 0n
      },
      {
        chainId: 1,
        token: WETH,
        collected: 0n,
        sweeps: 0,
        sold: 1n,
        proceeds: [{ token: USDC, amount: 5n }],
        arrived: 2n
      },
      { chainId: 1, token: USDC, collected: 7n, sweeps: 1, sold: 0n, proceeds: [], arrived: 64n },
      { chainId: 2, token: DAI, collected: 9n, sweeps: 1, sold: 0n, proceeds: [], arrived: 0n }
    ])
    assert.deepStrictEqual(books.map(expected), [35n, 1n, 71n, 9n])
  })

  const Event = Schema.Struct({
    token: Schema.Literals([0, 1, 2]),
    amount: Units,
    amountOut: Units,
    isSale: Schema.Boolean
  })

  it.prop("foresee every balance, whatever is collected and sold", [Schema.Array(Event)], ([events]) => {
    const tokens = [DAI, WETH, USDC] as const
    const balances = new Map<string, bigint>()
    const add = (token: string, amount: bigint) => balances.set(token, (balances.get(token) ?? 0n) + amount)
    const [collected, sold] = [
      events.filter(({ isSale }) => !isSale),
      events.filter(({ isSale, token }) => isSale && token !== 2)
    ]
    for (const { amount, token } of collected) add(tokens[token], amount)
    for (const { amount, amountOut, token } of sold) {
      add(tokens[token], -amount)
      add(USDC, amountOut)
    }
    const books = booksOf(
      collected.map(({ amount, token }) => ({ chainId: 1, token: tokens[token], amount, sweeps: 1 })),
      sold.map(({ amount, amountOut, token }) => ({ chainId: 1, token: tokens[token], asset: USDC, amount, amountOut }))
    )
    for (const book of books) assert.strictEqual(expected(book), balances.get(book.token) ?? 0n)
    assert.strictEqual(books.length, balances.size)
  })
})
